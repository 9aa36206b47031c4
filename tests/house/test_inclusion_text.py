"""Formulas given as text are read by a grammar of their own: no text is run as Python, and none takes for ever."""

import contextlib
import random

import numpy as np
import pytest
import sympy
from sympy import Symbol, symbols

from tegotae import InputError
from tegotae.inclusion import Inclusion, coulomb, dio, sgn
from tegotae.inclusion.language.grammar import DEEPEST, FUNCTIONS, LONGEST, value_of

p, v, x, y = symbols("p v x y")


def read(text, **names):
    return value_of(text, "Inclusion", "the row of v", names)


# ------------------------------------------------------------ what runs no code

# Each of them, run as Python, calls `mark`, which the test watches.
ATTACKS = [
    "__import__('test_inclusion_text').mark()",
    "Symbol('x').__class__.__mro__[1].__subclasses__()[0]",
    "p.subs(p, __import__('test_inclusion_text').mark())",
    "(lambda: __import__('test_inclusion_text').mark())()",
    "[__import__('test_inclusion_text').mark() for _ in (1,)][0]",
    "dio(p, name=__import__('test_inclusion_text').mark())",
    "coulomb(1, v, *[__import__('test_inclusion_text').mark()])",
    "coulomb(1, v, **{'name': __import__('test_inclusion_text').mark()})",
    "f'{__import__(\"test_inclusion_text\").mark()}'",
    "sin('__import__(\"test_inclusion_text\").mark()')",
    "S('__import__(\"test_inclusion_text\").mark()')",
    "sympify('__import__(\"test_inclusion_text\").mark()')",
    "Rational('__import__(\"test_inclusion_text\").mark()')",
    "(a := __import__('test_inclusion_text').mark())",
    "1 if __import__('test_inclusion_text').mark() else 2",
    "eval('__import__(\"test_inclusion_text\").mark()')",
    "open('/etc/passwd')",
    "p.x",
    "p[0]",
    "{1: 2}",
    "b'p'",
    "...",
    "1j*p",
    "'p'",
    "p and v",
    "p @ v",
    "p << 2",
    "p; v",
    "p\nv",
    "import os",
    "",
    "\0",
    "p!",
]
ran: list[bool] = []


def mark():
    """What no text may reach."""
    ran.append(True)
    return "1"


WAYS = {
    "a row": lambda text: Inclusion({"p": "v", "v": text}),
    "an input": lambda text: Inclusion({"p": "v", "v": "u"}, inputs={"u": text}),
    "a gap": dio,
    "a slip": sgn,
    "a limit": lambda text: coulomb(text, v),
    "slips": lambda text: coulomb(1, [v, text]),
    "a static limit": lambda text: coulomb(1, v, static=text),
    "a mass matrix": lambda text: Inclusion({"p": "v", "v": 1}, mass_matrix=[[1, 0], [0, text]]),
    "an array": lambda text: Inclusion({"p": "v", "v": 1}, mass_matrix=np.array([["1", "0"], ["0", text]])),
    "a list for a row": lambda text: Inclusion({"p": v, "v": [text]}),
    "a dictionary for a row": lambda text: Inclusion({"p": v, "v": {text: text}}),
    "a tuple for a gap": lambda text: dio((text,)),
    "a set for a limit": lambda text: coulomb({text}, v),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", ATTACKS)
def test_no_text_is_run_as_python(way, text):
    ran.clear()
    with pytest.raises(InputError):
        WAYS[way](text)
    assert not ran


class Disguised:
    """SymPy's own way would read what it prints as Python."""

    def __str__(self):
        return ATTACKS[0]

    __repr__ = __str__


def test_what_prints_as_code_is_not_run_either():
    ran.clear()
    with pytest.raises(InputError):
        Inclusion({"p": "v", "v": Disguised()})
    assert not ran


# ------------------------------------------------------------ what would take for ever


@pytest.mark.parametrize(
    ("text", "words"),
    {
        "9**9**9": "the power 387420489",
        "p**9**9": "the power 387420489",
        "((p + 1)**90)**90": "the power",
        "9.0**9.0**9.0**9.0": "the power|beyond",
        "(9**999)**999": "beyond",
        "1e308*1e308": "beyond",
        "9" * 400: "beyond",
        "exp(exp(exp(exp(exp(9)))))": "beyond",
        "p**exp(exp(exp(exp(9))))": "beyond|power",
        "p + " * LONGEST + "p": "characters",
        "(" * 90 + "p" + ")" * 90 + "*1": "",
        "sin(" * (DEEPEST + 1) + "p" + ")" * (DEEPEST + 1): "inside each other",
        "-" * 9000 + "p": "inside each other|cannot be read",
        "(" * 9000 + "p": "cannot be read",
    }.items(),
    ids=lambda text: text[:30],
)
def test_no_text_is_work_without_end(text, words):
    if not words:
        assert read(text) == p  # brackets alone are none in the tree
        return
    with pytest.raises(InputError, match=words):
        read(text)


WORDS = (
    "p v 1 2.5 0 9 1e300 I nan oo pi E True ** * + - / % // ( ) [ ] , < > == & | ~ ^ . lambda if else 'a' [0] static= "
    "name= sin( exp( log( Max( floor( Piecewise(( coulomb( dio( sgn( sqrt( Abs( Mod( root( Rational("
)


def test_texts_put_together_at_random_are_read_or_refused_in_words():
    draw, words, fine = random.Random(3), WORDS.split(), 0
    for _ in range(5000):
        text = " ".join(draw.choice(words) for _ in range(draw.randint(1, 9)))
        text += ")" * (text.count("(") - text.count(")"))
        with contextlib.suppress(InputError):  # and nothing else
            fine += isinstance(read(text), sympy.Basic)
    assert fine > 100


@pytest.mark.parametrize("text", ["p**nan", "floor(10**299*pi)", "sqrt(True)", "dio(p < v)", "Max(p, nan < 2)"])
def test_what_has_no_value_is_refused(text):
    with pytest.raises(InputError, match="cannot be read"):
        read(text)


# ------------------------------------------------------------ what is read, and as what

SAME = [
    "-p*3 + 2/3 - 0.25*v",
    "p^2 - v**-2 + (p + v)^3",
    "-p**2",
    "2**-p**2",
    "+p - -v",
    "p % 2 + p // 2",
    "sin(p)*cos(v) + atan2(p, v) + sqrt(abs(p)) + Abs(v) + log(p, 10) + ln(p)",
    "Max(p, 0, v) + min(p, 1)",
    "Piecewise((1, p > 0), (v, p <= -1), (0, True))",
    "Piecewise((1, (p > 0) & ~(v >= 2) | Ne(p, v)), (0, True))".replace("Ne(p, v)", "(p < v)"),
    "Heaviside(p) + erf(p) + floor(p) + Rational(1, 3) + cbrt(p) + root(p, 5)",
    "pi*E*p",
    " p + v\t",
    "+".join(["p*v", "1.5"] * 400),
]


@pytest.mark.parametrize("text", SAME)
def test_formulas_mean_what_sympy_means_by_them(text):
    assert read(text) == sympy.sympify(text)


def test_elements_are_read_with_their_names_and_keywords():
    assert read("dio(p, 'floor') - coulomb(3, v, 'rub')") == dio(p, "floor") - coulomb(3, v, "rub")
    assert read('coulomb(3, v, name="a^b", static=4)') == coulomb(3, v, "a^b", static=4)
    assert read("coulomb(3, [x, y], 'plane')[1]") == coulomb(3, [x, y], "plane")[1]
    with pytest.raises(InputError, match=r"several forces at once"):
        read("2*coulomb(3, [x, y], 'plane')")


def test_names_mean_the_symbols_that_were_made():
    own = Symbol("p", real=True)
    assert read("-E*p", p=own, E=Symbol("E", positive=True)) == -Symbol("E", positive=True) * own
    machine = Inclusion({own: "v", "v": "-k*p"}, {Symbol("k", positive=True): 3.0})
    assert machine.right[1] == -Symbol("k", positive=True) * own


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_can_be_called(name):
    text = {"atan2": "atan2(p, v)", "root": "root(p, 3)", "Mod": "Mod(p, 2)", "Rational": "Rational(1, 3)"}
    text |= {"Piecewise": "Piecewise((p, True))"}
    assert isinstance(read(text.get(name, f"{name}(p)")), sympy.Expr)


@pytest.mark.parametrize(
    ("text", "words"),
    {
        "sin": "has sin without brackets",
        "foo(p)": "calls foo, which is not a function here",
        "p(3)": "calls p, which is not a function",
        "p.diff(p)": r"the row of v, 'p.diff\(p\)', cannot be read: 'p.diff\(p\)' is not part of a formula",
        "sin(p, v)": r"cannot be read \(.*argument",
        "sin(x=p)": "is not part of a formula",
        "-p *": "cannot be read",
    }.items(),
)
def test_what_is_wrong_is_told_with_the_text_and_its_place(text, words):
    with pytest.raises(InputError, match=words) as error:
        read(text, p=p)
    assert "the row of v" in str(error.value)
    assert repr(text) in str(error.value)
