"""A parameter is declared once, where its class names it: unit, range, meaning, and the way out where it does not fit.

    @dataclass(frozen=True, kw_only=True)
    class Spring(Declared):
        stiffness: Annotated[float, Parameter("K [N/m], > 0, of the coil")]

From this follow the check at construction, the line below `Args:`, the part of a block's layout, the comment in a file
of settings, and what fitting may look for. Annotations are read when a first object is made, not on import.
"""

from __future__ import annotations

import ast
import copy
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from tegotae import checks
from tegotae.errors import InputError
from tegotae.layout import Part

Check = Callable[[str, str, Any], Any]  # owner, name and value -> the value as it is kept

_AFTER_ARGS = ("Runs record", "Returns:", "Raises:", "Example:")  # paragraphs of a docstring that stand behind `Args:`
_READ = "_declared_fields"
_DONE = "__match_args__"  # what a dataclass gets last; before it nothing is read, for names may still be missing
_HEAD = re.compile(r"(?:(\w+) )?\[([^\]]+)\](?:, |$)")
_NUMBER = r"-?[\d.]+(?:e-?\d+)?"
_BOUND = re.compile(rf"((?:>=|>|<=|<) {_NUMBER}(?:, <=? {_NUMBER})?|{_NUMBER} to {_NUMBER})(?:, |; |$)")
_NOT_READ = re.compile(r"[<>=\d-]")
_ARRAY = {*get_args(ArrayLike)}


class Parameter:
    """What a field of a class means, and which values it may have.

    Args:
        text: as a docstring tells it: the letter of papers and kernels, the unit in brackets ("-" for a bare number),
            the range ("> 0", ">= 0", "<= 1", "< 1", "> 0, <= 1" or "0 to 1"), and the meaning. Each may be left out.
        remedy: the way out that an error tells; one that follows from the text unless given.
        such_as: an example of its value, for that remedy.
        accept: checks the value instead of the rules for its type, and returns it as it is kept.

    Example:
        >>> stiffness = Parameter("K [N/m], > 0, of the coil")
        >>> stiffness.letter, stiffness.unit, stiffness.above, stiffness.meaning
        ('K', 'N/m', 0.0, 'of the coil')
    """

    def __init__(self, text: str, remedy: str = "", *, such_as: str = "", accept: Check | None = None):
        self.text, self.accept = text, accept
        head = _HEAD.match(text)
        self.letter, self.unit = (head[1] or "", head[2]) if head else ("", "")
        rest = text[head.end() :] if head else text
        bound = _BOUND.match(rest)
        self.bounds = bound[1] if bound else ""
        self.meaning = rest[bound.end() :] if bound else rest
        if not bound and _NOT_READ.match(self.meaning):
            raise ValueError(f"Parameter({text!r}): write its range as '> 0', '>= 0', '<= 1' or '0 to 1'.")
        bounds = re.sub(r"(.*) to (.*)", r">= \1, <= \2", self.bounds)
        self.limits = {sign: float(number) for sign, number in re.findall(r"([<>]=?) ([^,]+)", bounds)}
        self.above, self.least, self.most, self.below = (self.limits.get(sign) for sign in (">", ">=", "<=", "<"))
        self.remedy, self.such_as = remedy, such_as

    def completed(self, kinds: tuple[Any, ...], optional: bool, default: Any) -> Parameter:
        """The same with a remedy, for values of these types and perhaps None; a default is an example too."""
        if self.remedy:
            return self
        such_as = self.such_as or (f"{default:g}" if type(default) in (int, float) and default else "")
        example, rest = f", such as {such_as}" if such_as else "", ", or None" if optional else ""
        first = "" if self._apart else re.split(r"[;:(]", self.meaning)[0].strip()
        filled, array = copy.copy(self), {*kinds} >= _ARRAY
        makers = [kind for kind in kinds if _is_class(kind) and not array]
        if listed := _listed(kinds):
            filled.remedy = f"Give [{listed.__name__}(...), ...]."
        elif makers:
            filled.remedy = f"Give {' or '.join(f'{kind.__name__}(...)' for kind in makers)}{rest}."
        elif first.startswith(("the ", "a ", "an ", "half ", "how ", "its ")):
            filled.remedy = f"Give {first}{example}{rest}."
        elif array or any(get_origin(kind) in (Sequence, Iterable, tuple) for kind in kinds):
            filled.remedy = f"Give numbers {self.bounds}.".replace(" .", ".")
        elif kinds == (int,):
            filled.remedy = f"Give a whole number {self.bounds or '>= 0'}{example}{rest}."
        elif self.least == 0.0 and self.most is None:
            filled.remedy = f"Give a magnitude{example}, or 0 for none."
        else:
            filled.remedy = f"Give {'a number ' + self.bounds if self.bounds else 'one finite number'}{example}{rest}."
        return filled

    @property
    def _apart(self) -> bool:
        """Whether its meaning only adds to the range."""
        return bool(self.bounds) and f"{self.bounds}; {self.meaning}" in self.text

    @property
    def description(self) -> str:
        """One line for a file of settings: what stands behind a semicolon is left out where it makes the line long."""
        unit = f"[{self.unit}]" if self.unit else ""
        first, semicolon, more = (f"; {self.meaning}" if self._apart else self.meaning).partition("; ")
        text = ", ".join(filter(None, (f"{first} {unit}".strip(), self.bounds)))
        return text + semicolon + more if len(more) < 70 else text

    def inside(self, owner: str, name: str, value: float) -> None:
        """Refuse a number out of range."""
        subject = f"{name}={value} {self.unit.removeprefix('-')}"
        checks.inside(owner, subject, value, self.remedy, self.limits)


Dimension = Annotated[int, Parameter(">= 1, number of directions", "Use 1, 2 or 3.")]
Period = Annotated[
    float, Parameter("T [s], > 0, of a tick", accept=lambda owner, name, value: checks.period_of(owner, value))
]
Duration = Annotated[float, Parameter("[s], > 0, the length of the run")]
Seed = Annotated[int, Parameter(">= 0, of the noise; the same seed gives the same run", "Give a whole number.")]


class Field(NamedTuple):
    """A field as it was declared: its type, what it means, and the check of its values."""

    hint: Any
    parameter: Parameter
    check: Check


class _Documentation:
    """A docstring with the lines below `Args:` that follow from the declarations, made when somebody reads it."""

    def __init__(self, text: str):
        self.text = text

    def __get__(self, instance: object, owner: type) -> str:
        if _DONE not in vars(owner):
            return self.text
        lines = []
        for name, field in declared(owner).items():
            words = f"{name}: {field.parameter.text}."
            lines += textwrap.wrap(words, 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
        if not lines:
            return self.text
        paragraphs = self.text.rstrip().split("\n\n")
        places = [i for i, text in enumerate(paragraphs) if text.strip().startswith(_AFTER_ARGS)]
        section = "\n".join(["    Args:", *lines])
        place = places[0] if places else len(paragraphs)
        return "\n\n".join([*paragraphs[:place], section, *paragraphs[place:]]) + "\n    "


class _Signature:
    """The signature of a class with plain types, made when somebody reads it."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None or _DONE not in vars(owner):
            raise AttributeError("__signature__")
        fields = owner.__dataclass_fields__  # type: ignore[attr-defined]
        hints = {name: _plain(fields[name].type, found.hint) for name, found in declared(owner).items()}
        parameters = list(inspect.signature(vars(owner)["__init__"]).parameters.values())[1:]
        return inspect.Signature([one.replace(annotation=hints.get(one.name, one.annotation)) for one in parameters])


def _plain(annotation: Any, hint: Any) -> str:
    """A type as it was written, or else as Python tells it."""
    if isinstance(annotation, str) and annotation.startswith("Annotated["):
        tree: Any = ast.parse(annotation, mode="eval").body
        return ast.unparse(tree.slice.elts[0])
    return inspect.formatannotation(hint)


class Declared:
    """Base of dataclasses whose fields are declared: they are checked when an object is made."""

    __signature__ = _Signature()

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if text := cls.__doc__:
            cls.__doc__ = _Documentation(text)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        owner, values = type(self), self.__dict__
        for name, field in declared(owner).items():
            value = values[name]
            kept = field.check(owner.__name__, name, value)
            if kept is not value:
                values[name] = kept


def declared(owner: type) -> dict[str, Field]:
    """The declared fields of a class, by name."""
    known: dict[str, Field] | None = vars(owner).get(_READ)
    if known is None and hasattr(owner, "__dataclass_fields__"):
        known = {}
        for name, field in owner.__dataclass_fields__.items():
            if field.init and (found := _field(_hint(owner, name, field.type), field.default)):
                known[name] = found
        setattr(owner, _READ, known)
    return known or {}


def _hint(owner: type, name: str, hint: Any) -> Any:
    """An annotation, which mostly is source of the module where it stands; None for one that declares nothing."""
    if not isinstance(hint, str):
        return hint
    home = next(kind for kind in owner.__mro__ if name in vars(kind).get("__annotations__", {}))
    module = sys.modules.get(home.__module__)
    try:
        return eval(hint, vars(module) if module else {})
    except Exception:  # names that are there for the types' sake alone, and whatever else users annotate with
        if "Annotated" in hint:
            raise
        return None


def _field(hint: Any, default: Any) -> Field | None:
    parameter = next((m for m in getattr(hint, "__metadata__", ()) if isinstance(m, Parameter)), None)
    if parameter is None:
        return None
    hint = get_args(hint)[0]
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    others = tuple(kind for kind in kinds if kind is not NoneType)
    parameter = parameter.completed(others, len(others) < len(kinds), default)
    check = _accepting(parameter) or _check(others, parameter)
    if len(others) == len(kinds):
        return Field(hint, parameter, check)
    return Field(hint, parameter, lambda owner, name, value: None if value is None else check(owner, name, value))


def _is_class(kind: Any) -> bool:
    return isinstance(kind, type) and get_origin(kind) is None and kind not in (float, int, bool, str)


def _listed(kinds: tuple[Any, ...]) -> type | None:
    """Of a sequence of things of one class, that class."""
    inner = get_args(kinds[0])
    return inner[0] if get_origin(kinds[0]) is Sequence and _is_class(inner[0]) else None


def as_given(owner: str, name: str, value: Any) -> Any:
    """Accepts what can only be checked beside other fields."""
    return value


def _accepting(parameter: Parameter) -> Check | None:
    """Its own check, and its range where that gives an array."""
    accept = parameter.accept
    if accept is None or not parameter.bounds:
        return accept

    def check(owner: str, name: str, value: Any) -> Any:
        kept = accept(owner, name, value)
        if isinstance(kept, np.ndarray):
            _inside_all(owner, name, kept, parameter)
        return kept

    return check


def _check(kinds: tuple[Any, ...], parameter: Parameter) -> Check:
    """The rule for values of some type."""
    kind, origin, inner = kinds[0], get_origin(kinds[0]), get_args(kinds[0])
    unit = parameter.unit.removeprefix("-")
    if len(kinds) == 1 and kind in (float, int):
        if kind is float and not parameter.unit:
            raise TypeError(f"Parameter({parameter.text!r}): a number has a unit, such as [N] or [-].")
        return _real(parameter) if kind is float else _whole(parameter)
    if kind is bool:
        return checks.flag
    if kind is str:
        return lambda owner, name, value: checks.text(owner, name, value, parameter.remedy)
    if origin is Literal:
        return lambda owner, name, value: checks.choice(owner, name, value, inner)
    if origin is Callable:
        return lambda owner, name, value: checks.function(owner, name, value, parameter.remedy)
    if origin is tuple and set(inner) == {float}:
        return lambda owner, name, value: _inside_all(
            owner, name, checks.vector(owner, name, value, unit, len(inner)), parameter
        )
    if any(get_origin(one) in (Sequence, Iterable, tuple) and get_args(one)[0] is float for one in kinds):
        return lambda owner, name, value: _inside_all(
            owner, name, checks.values(owner, name, value, unit, parameter.remedy, -checks.LARGEST), parameter
        )
    if listed := _listed(kinds):
        return lambda owner, name, value: checks.several(owner, name, value, listed, parameter.remedy)
    if all(map(_is_class, kinds)):
        return lambda owner, name, value: checks.instance(owner, name, value, kind, parameter.remedy, *kinds[1:])
    raise TypeError(f"{kinds} has no rule of its own: give Parameter(..., accept=function).")


def _real(parameter: Parameter) -> Check:
    unit = parameter.unit.removeprefix("-")
    least = -checks.LARGEST if parameter.least is None else parameter.least
    # What is above a bound comes after it; whatever lies outside is looked at again, for the words of an error.
    low = max(checks.SMALLEST, parameter.above) if parameter.above is not None else least
    high = checks.LARGEST if parameter.most is None else parameter.most
    strict = parameter.above not in (None, 0.0) or parameter.below is not None

    def check(owner: str, name: str, value: Any) -> float:
        if type(value) is float and low <= value <= high and not strict:
            return value
        number = checks.number(owner, name, value, unit, parameter.remedy)
        parameter.inside(owner, name, number)
        return number

    return check


def _whole(parameter: Parameter) -> Check:
    """Counts: 0 is the least unless a range says otherwise."""
    least, most = int(parameter.least or 0), checks.MOST if parameter.most is None else parameter.most

    def check(owner: str, name: str, value: Any) -> int:
        if type(value) is int and least <= value <= most:
            return value
        count = checks.whole(owner, name, value, least, parameter.remedy)
        parameter.inside(owner, name, count)
        return count

    return check


def _inside_all(owner: str, name: str, found: checks.Array, parameter: Parameter) -> tuple[float, ...]:
    """The extremes are looked at first: columns may be long."""
    try:
        parameter.inside(owner, name, float(found.min()))
        parameter.inside(owner, name, float(found.max()))
    except InputError:
        for i, number in enumerate(found.tolist()):
            parameter.inside(owner, f"{name}[{i}]", number)
    return tuple(found.tolist())


def parts_of(owner: type, *names: str) -> tuple[Part, ...]:
    """The parts of a layout that hold parameters of a class.

    Args:
        owner: the class that declares them.
        names: of the parameters; all that are numbers unless given.

    Example:
        >>> from tegotae.elements import Mass
        >>> parts_of(Mass, "mass")[0].unit
        'kg'
    """
    fields = declared(owner)
    names = names or tuple(name for name, field in fields.items() if field.hint is float)
    parameters = ((name, fields[name].parameter) for name in names)
    return tuple(Part(name, one.unit, one.meaning, letter=one.letter) for name, one in parameters)


def parameter_of(owner: type, name: str) -> Parameter:
    """The declaration of a field of another class, for a setting that is the same thing.

    Args:
        owner: the class that declares it.
        name: of the field.

    Example:
        >>> from tegotae.elements import Mass
        >>> parameter_of(Mass, "mass").unit
        'kg'
    """
    return declared(owner)[name].parameter
