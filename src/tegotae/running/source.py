"""The generated module of a block: the one loop, one tick of it, and its halves for whoever else calls them."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from tegotae.block import MODULE, Block, Halves, Kernels
from tegotae.compile import build
from tegotae.compile.modules import put
from tegotae.kernels.soundness import sound
from tegotae.layout import (
    Cursor,
    Extents,
    Layout,
    Layouts,
    Numbers,
    Part,
    Space,
    all_numbers,
    no_numbers,
    single_numbers,
)

# `fed[j, k]` is set in place slots[j] of the state before tick k; every so many ticks the numbers in places `picks`
# (real) and `counts` (whole) are recorded. `fresh` says that the workspace may be garbage.
_LOOP = """
@{entry}
def loop(p, s, w, x, fed, slots, T, every, picks, counts, fresh, first, last, record):
    {views}
    {buffers}
    {restore_if_fresh}
    row = first // every
    wait = every - first % every
    for k in range(first, last):
        for j in range(slots.shape[0]):
            s.real[slots[j]] = fed[j, k]
        x_k = x[k]
        {prepare}
        {take}
        wait -= 1
        if wait == 0:
            wait = every
            for j in range(picks.shape[0]):
                record[j, row] = s.real[picks[j]]
            for j in range(counts.shape[0]):
                record[picks.shape[0] + j, row] = s.whole[counts[j]]
            row += 1


@entry
def batch_loop(p, s, w, x, fed, slots, T, every, picks, counts, fresh, first, last, record):
    for b in range(p.real.shape[0]):
        own_p = Memory(p.real[b], p.whole[b])
        own_s = Memory(s.real[b], s.whole[b])
        own_w = Memory(w.real[b], w.whole[b])
        own_x, own_fed = x[b if x.shape[0] > 1 else 0], fed[b if fed.shape[0] > 1 else 0]
        loop(own_p, own_s, own_w, own_x, own_fed, slots, T, every, picks, counts, fresh, first, last, record[b])


@entry
def restore_all(p, s, w):
    {views}
    {restore}
    return
"""

# One tick of a control loop. It says whether the input was finite, in which case it was taken, and all that the next
# tick depends on is, the answer too: friction at its limit is finite still when its spring is no more. Live impedances
# keep the last position that they saw: nan as long as they know none.
_STEP_OF_ONE = """
@entry
def step(p, s, w, {given}):
    {motion}
    if not {finite}:
        return np.nan
    {views}
    {prepare}
    {take}
    {seen}
    return {output} if sound(s.real, 0, s.real.shape[0]){near} else np.nan
"""
_STEP = """
@entry
def step(p, s, w, {given}, found):
    {motion_buffer}
    for i in range({n}):
        {motion}
        if not {finite}:
            return False
    {alone}
    {views}
    {buffers}
    {prepare}
    {take}
    {all_near}
    for i in range({n}):
        {seen}
        found[i] = {output}
    return sound(s.real, 0, s.real.shape[0]){near}
"""

# The halves by themselves, with all that belongs to a tick: for Python (`Probe`), and to be reached by address.
_HALVES = """
@entry
def answer_once(p, s, w, x, T, out, slope):
    {views}
    {restore}
    {prepare}
    {answer_once}


@entry
def advance_once(p, s, w, x_k, v, T):
    {views}
    {restore}
    {prepare}
    {advance_once}


@kernel
def flat_answer(p_real, p_whole, s_real, s_whole, w_real, w_whole, x_k, T{filled}):
    {memories}
    {views}
    {answer}


@kernel
def flat_advance(p_real, p_whole, s_real, s_whole, w_real, w_whole, x_k, {moved}T):
    {memories}
    {views}
    {advance}


@kernel
def flat_prepare(p_real, p_whole, s_real, s_whole, w_real, w_whole, T):
    {memories}
    {views}
    {prepare}
    return


@kernel
def flat_restore(p_real, p_whole, s_real, s_whole, w_real, w_whole):
    {memories}
    {views}
    {restore}
    return
"""
_MEMORIES = "p, s, w = Memory(p_real, p_whole), Memory(s_real, s_whole), Memory(w_real, w_whole)"


def module_of(block: Block) -> ModuleType:
    """The generated module of a block; one for all that share kernels and the names of their parts."""
    known: ModuleType | None = block.__dict__.get(MODULE)
    if known is not None:
        return known
    module = module_for(block.kernels, block.layout, block.dimension, block.gives)
    block.__dict__[MODULE] = module
    return module


def module_for(kernels: Kernels, layouts: Layouts, dimension: int, gives: str) -> ModuleType:
    """The generated module of blocks with these kernels and layouts."""
    known = kernels.style != "views" and dimension > 0
    output = str(Space(layouts.state, layouts.sizes).span(gives)[0]) if known else ""
    return _module(kernels, *layouts[:3], layouts.names, dimension, gives == "force", output)


@lru_cache(maxsize=1024)
def _module(
    kernels: Kernels,
    parameters: Layout,
    state: Layout,
    workspace: Layout,
    names: tuple[str, ...],
    n: int,
    impedance: bool,
    output_at: str,
) -> ModuleType:
    sizes: dict[str, int | str] = {"axis": n, **{name: f"size_{name}" for name in names}}
    layouts = Layouts(parameters, state, workspace, dict.fromkeys(names, 0))
    inside = Inside(kernels, layouts, sizes=sizes)
    pieces = _pieces(inside, n, impedance)
    given = ("force" if impedance else "velocity") if n else next(state.parts()).name
    place = f"S.{path_of(state, given)}[{{i}}]" if not output_at else f"s.real[{output_at} + {{i}}]"
    pieces["output"] = place.format(i=0 if n == 1 else "i")
    text = HEAD + inside.head + put(_LOOP + (_STEP_OF_ONE if n == 1 else _STEP) + _HALVES, pieces)
    return build(text, (*kernels.imports(), ("sound", sound)))


HEAD = "from collections import namedtuple\nfrom tegotae.layout import Memory\n"


class Inside:
    """Blocks of one kind as generated source sees them.

    Args:
        kernels: of each of them.
        own: where their numbers lie.
        suffix: with which all names end.
        sizes: of every size its value, or the name under which the source finds it.
    """

    def __init__(self, kernels: Kernels, layouts: Layouts, suffix: str = "", sizes: Extents | None = None):
        self.kernels, self.layouts, self.suffix = kernels, layouts, suffix
        self.sizes = layouts.sizes if sizes is None else sizes
        self.halves = kernels.halves()

    @property
    def head(self) -> str:
        """The lines that make their kernels, and name their parts."""
        lines = self.kernels.source(self.suffix)
        if self.kernels.style != "memory":
            for name, layout in zip(_RECORDS.values(), self.layouts[:3], strict=True):
                lines += layout.records(f"{name}{self.suffix}")
        return lines

    def p(self, at: Start = (0, 0)) -> str:
        """The parameters of the one that begins there."""
        single = all_numbers if self.kernels.style == "values" else single_numbers
        return self._view("p", self.layouts.parameters, at, single, len(self.layouts.names))

    def s(self, at: Start = (0, 0)) -> str:
        """The state of the one that begins there."""
        return self._view("s", self.layouts.state, at, all_numbers if self.kernels.style == "values" else no_numbers)

    def w(self, at: Start = (0, 0)) -> str:
        """The workspace of the one that begins there."""
        return self._view("w", self.layouts.workspace, at, no_numbers)

    def _view(self, vector: str, layout: Layout, at: Start, numbers: Numbers, ahead: int = 0) -> str:
        if self.kernels.style != "memory":
            cursor = Cursor(at[0], _more(at[1], ahead))
            return layout.view(f"{_RECORDS[vector]}{self.suffix}", vector, self.sizes, numbers, cursor)
        lengths = Space(layout, self.layouts.sizes, (0,) * ahead).length
        real, whole = (f"{_more(start, 0)} : {_more(start, count)}" for start, count in zip(at, lengths, strict=True))
        return f"Memory({vector}.real[{real}], {vector}.whole[{whole}])"

    def store(self, at: Start = (0, 0)) -> str:
        """What takes the new state that a kernel gives by value; nothing where it writes itself."""
        if self.kernels.style != "values":
            return ""
        cursor, text = Cursor(*at), ""
        for part in self.layouts.state.parts():  # of one number each
            text += f"s.{'whole' if part.whole else 'real'}[{cursor.text(part.whole)}], "
            cursor.move(part.whole, [1])
        return text.removesuffix(", ") + " = "


Start = tuple[int | str, int | str]  # where real and whole numbers begin
_RECORDS = {"p": "Parameters", "s": "State", "w": "Workspace"}


def _more(start: int | str, count: int) -> int | str:
    if isinstance(start, int):
        return start + count
    return f"{start} + {count}" if count else start


def path_of(layout: Layout, name: str) -> str:
    """How kernels reach a part of a view."""
    for item in layout.items:
        if isinstance(item, Part):
            if item.name == name:
                return item.key
        elif name.startswith(item.prefix) and (inner := path_of(item.layout, name.removeprefix(item.prefix))):
            return f"{item.key}.{inner}"
    return ""


def _pieces(inside: Inside, n: int, impedance: bool) -> dict[str, object]:
    halves, style = inside.halves, inside.kernels.style
    pieces: dict[str, object] = {
        "n": n,
        "entry": "entry_long" if getattr(halves.tick, "long", False) else "entry",
        "buffers": "" if n == 1 else f"out = np.empty({n})\nslope = np.empty(({n}, {n}))",
        "memories": _MEMORIES,
        # Without ports, all that comes from outside is fed.
        "alone": "" if n else "if not sound(s.real, 0, s.real.shape[0]):\n    return False",
        "prepare": "prepare(P, S, W, T)" if halves.prepare else "",
        "restore": "restore(P, S, W)" if halves.restore else "",
        "restore_if_fresh": "if fresh == 1:\n    restore(P, S, W)" if halves.restore else "",
        "filled": "" if n == 1 else ", out, slope",
        "moved": "" if impedance else "v, ",
    }
    pieces["views"], made = "P, S, W = p, s, w", ""
    if style != "memory":
        lines = [f"size_{name} = p.whole[{i}]" for i, name in enumerate(inside.layouts.names)]
        lines += [f"P = {inside.p()}", f"W = {inside.w()}"]
        if style == "values":
            made = f"S = {inside.s()}\n"
        else:
            lines.append(f"S = {inside.s()}")
        pieces["views"] = "\n".join(lines)
    return pieces | _takes(halves, made, inside.store(), n, impedance) | _steps("" if n == 1 else "[i]", n, impedance)


def _steps(i: str, n: int, impedance: bool) -> dict[str, object]:
    """What a tick of a control loop is given; an impedance may be told its motion or its place."""
    if not impedance:
        names = ("given", "finite", "motion", "motion_buffer", "seen", "all_near", "near")
        return {**dict.fromkeys(names, ""), "given": "x_k, T", "finite": f"np.isfinite(x_k{i})"}
    x, x_k, seen = f"x{i}", f"x_k{i}", f"seen{i or '[0]'}"
    known = f"{seen} = {x} if placed == 1 else {seen} + T * {x_k}"
    return {
        "given": "x, placed, T, seen",
        "finite": f"(np.isfinite({x}) and np.isfinite({x_k}))",
        "motion": f"{x_k} = {x}\nif placed == 1:\n    {x_k} = 0.0 if np.isnan({seen}) else ({x} - {seen}) / T",
        "motion_buffer": f"x_k = np.empty({n})",
        "seen": f"{known}\nnear = near and not np.isinf({seen})" if i else known,
        "all_near": "near = True",
        "near": " and near" if i else f" and not np.isinf({seen})",
    }


def _takes(halves: Halves, made: str, store: str, n: int, impedance: bool) -> dict[str, object]:
    """One tick, and the halves by themselves; they need the line `made`, and what they give goes to `store`."""
    filled = "answer(P, S, W, {x}, T, out, slope)"
    if n == 1:
        answer, asked = f"{made}return answer(P, S, W, x_k, T)", f"{made}out[0], slope[0, 0] = answer(P, S, W, x[0], T)"
    else:
        answer, asked = filled.format(x="x_k"), filled.format(x="x")
    if impedance:
        advance = f"{made}{store}advance(P, S, W, x_k, T)"
        take, once = advance, advance.replace("x_k", "x_k[0]") if n == 1 else advance
    else:
        advance = f"{made}{store}advance(P, S, W, x_k, v, T)"
        once = advance.replace("x_k, v", "x_k[0], v[0]") if n == 1 else advance
        if halves.tick is not None:
            take = "tick(P, S, W, x_k, T)" if n == 1 else "tick(P, S, W, x_k, T, out)"
        elif n == 1:
            take = f"{made}v, _ = answer(P, S, W, x_k, T)\n{store}advance(P, S, W, x_k, v, T)"
        else:
            take = "answer(P, S, W, x_k, T, out, slope)\nadvance(P, S, W, x_k, out, T)"
    return {"answer": answer, "answer_once": asked, "advance": advance, "advance_once": once, "take": take}
