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
    Layout,
    Layouts,
    Part,
    Space,
    all_numbers,
    no_numbers,
    single_numbers,
)

# `fed[j, k]` is set in place slots[j] of the state before tick k; every so many ticks the numbers in places `picks`
# (real) and `counts` (whole) are recorded. `fresh` says that the workspace may be garbage.
_LOOP = """
@entry
def loop(p, s, w, x, fed, slots, T, every, picks, counts, fresh, first, last, record):
    {views}
    {room}
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
_STEPS = {
    (True, True): """
@entry
def step(p, s, w, x, placed, T, seen):
    x_k = x
    if placed == 1:
        x_k = 0.0 if np.isnan(seen[0]) else (x - seen[0]) / T
    if not (np.isfinite(x) and np.isfinite(x_k)):
        return np.nan
    {views}
    {prepare}
    {take}
    seen[0] = x if placed == 1 else seen[0] + T * x_k
    return {output} if sound(s.real, 0, s.real.shape[0]) and not np.isinf(seen[0]) else np.nan
""",
    (True, False): """
@entry
def step(p, s, w, x, placed, T, seen, found):
    x_k = np.empty({n})
    for i in range({n}):
        x_k[i] = x[i]
        if placed == 1:
            x_k[i] = 0.0 if np.isnan(seen[i]) else (x[i] - seen[i]) / T
        if not (np.isfinite(x[i]) and np.isfinite(x_k[i])):
            return False
    {views}
    {room}
    {prepare}
    {take}
    near = True
    for i in range({n}):
        seen[i] = x[i] if placed == 1 else seen[i] + T * x_k[i]
        near = near and not np.isinf(seen[i])
        found[i] = {output}
    return sound(s.real, 0, s.real.shape[0]) and near
""",
    (False, True): """
@entry
def step(p, s, w, x_k, T):
    if not np.isfinite(x_k):
        return np.nan
    {views}
    {prepare}
    {take}
    return {output} if sound(s.real, 0, s.real.shape[0]) else np.nan
""",
    (False, False): """
@entry
def step(p, s, w, x_k, T, found):
    for i in range({n}):
        if not np.isfinite(x_k[i]):
            return False
    {alone}
    {views}
    {room}
    {prepare}
    {take}
    for i in range({n}):
        found[i] = {output}
    return sound(s.real, 0, s.real.shape[0])
""",
}

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


def module_for(kernels: Kernels, own: Layouts, dimension: int, gives: str) -> ModuleType:
    """The generated module of blocks with these kernels and layouts."""
    known = kernels.style != "views" and dimension > 0
    output = str(Space(own.state, own.sizes).span(gives)[0]) if known else ""
    return _module(kernels, own.parameters, own.state, own.workspace, own.names, dimension, gives == "force", output)


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
    pieces = _pieces(kernels, Layouts(parameters, state, workspace, dict.fromkeys(names, 0)), sizes, n, impedance)
    path = path_of(state, _gives(impedance)) if n else next(path_of(state, part.name) for part in state.parts())
    place = f"S.{path}[{{i}}]" if not output_at else f"s.real[{output_at} + {{i}}]"
    pieces["output"] = place.format(i=0 if n == 1 else "i")
    head = "from collections import namedtuple\nfrom tegotae.layout import Memory\n" + kernels.source()
    if kernels.style != "memory":
        head += records_of(parameters, state, workspace)
    text = head + put(_LOOP + _STEPS[impedance, n == 1] + _HALVES, pieces)
    return build(text, (*kernels.imports(), ("sound", sound)))


def _gives(impedance: bool) -> str:
    return "force" if impedance else "velocity"


def records_of(parameters: Layout, state: Layout, workspace: Layout, suffix: str = "") -> str:
    """The named tuples of a block's parts."""
    return (
        parameters.records(f"Parameters{suffix}")
        + state.records(f"State{suffix}")
        + workspace.records(f"Workspace{suffix}")
    )


def path_of(layout: Layout, name: str) -> str:
    """How kernels reach a part of a view."""
    for item in layout.items:
        if isinstance(item, Part):
            if item.name == name:
                return item.key
        elif name.startswith(item.prefix) and (inner := path_of(item.layout, name.removeprefix(item.prefix))):
            return f"{item.key}.{inner}"
    return ""


def _pieces(kernels: Kernels, own: Layouts, sizes: dict[str, int | str], n: int, impedance: bool) -> dict[str, object]:
    """The lines that differ from block to block."""
    halves, values = kernels.halves(), kernels.style == "values"
    pieces: dict[str, object] = {
        "n": n,
        "room": "" if n == 1 else f"out = np.empty({n})\nslope = np.empty(({n}, {n}))",
        "memories": _MEMORIES,
        # Without ports, all that comes from outside is fed.
        "alone": "" if n else "if not sound(s.real, 0, s.real.shape[0]):\n    return False",
        "prepare": "prepare(P, S, W, T)" if halves.prepare else "",
        "restore": "restore(P, S, W)" if halves.restore else "",
        "restore_if_fresh": "if fresh == 1:\n    restore(P, S, W)" if halves.restore else "",
        "filled": "" if n == 1 else ", out, slope",
        "moved": "" if impedance else "v, ",
    }
    pieces["views"] = "P, S, W = p, s, w"
    state, store = "S", ""
    if kernels.style != "memory":
        lines = [f"size_{name} = p.whole[{i}]" for i, name in enumerate(own.names)]
        behind = Cursor(0, len(own.names))
        single = all_numbers if values else single_numbers
        lines.append(f"P = {own.parameters.view('Parameters', 'p', sizes, single, behind)}")
        lines.append(f"W = {own.workspace.view('Workspace', 'w', sizes, no_numbers)}")
        if values:
            state = own.state.view("State", "s", sizes, all_numbers)
            store = ", ".join(numbers_of(own.state, "s")) + " = "
        else:
            lines.append(f"S = {own.state.view('State', 's', sizes, no_numbers)}")
        pieces["views"] = "\n".join(lines)
    return pieces | _takes(halves, state, store, n, impedance)


def numbers_of(state: Layout, vector: str, at: tuple[int | str, int | str] = (0, 0)) -> list[str]:
    """Where each number lies of a state that is made of single ones and begins there."""
    cursor, told = Cursor(*at), []
    for part in state.parts():
        told.append(f"{vector}.{'whole' if part.whole else 'real'}[{cursor.text(part.whole)}]")
        cursor.move(part.whole, [1])
    return told


def _takes(halves: Halves, state: str, store: str, n: int, impedance: bool) -> dict[str, object]:
    """One tick, and the halves by themselves."""
    made = f"S = {state}\n" if state != "S" else ""
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
