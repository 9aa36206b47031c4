"""The source of the links of a network: how motion reaches them, and what they give back to their ends."""

from __future__ import annotations

from collections.abc import Sequence

from tegotae.compile.modules import put
from tegotae.coupling.group import Group, Inside

# Links of a group: how many ends they have, and whether those move them by numbers or through matrices. Their motion,
# force and slope lie in u, g and e of their dimension.
_READ = {
    "scalar": "r = p.real[{ratios} + i]",
    "between": "r, q = p.real[{ratios} + i], p.real[{others} + i]",
    "through": "R = p.real[{ratios} + i * {wide} : {ratios} + (i + 1) * {wide}].reshape(({n}, {first}))",
    "joined": """R = p.real[{ratios} + i * {wide} : {ratios} + (i + 1) * {wide}].reshape(({n}, {first}))
Q = p.real[{others} + i * {deep} : {others} + (i + 1) * {deep}].reshape(({n}, {second}))""",
}
_FEEL = {
    "scalar": "for j in range({n}):\n    u{n}[j] = r * v[{a} + j]{base}",
    "between": "for j in range({n}):\n    u{n}[j] = r * v[{a} + j] - q * v[{b} + j]",
    "through": "for j in range({n}):\n    u{n}[j] = 0.0{base}\nfeel_through(v, {a}, R, 1.0, u{n})",
    "joined": """for j in range({n}):
    u{n}[j] = 0.0
feel_through(v, {a}, R, 1.0, u{n})
feel_through(v, {b}, Q, -1.0, u{n})""",
}
_GIVE = {
    "scalar": "add_end(f, size, d, {a}, r, g{n}, e{n})",
    "between": "add_between(f, size, d, v, {a}, r, {b}, q, g{n}, e{n})",
    "through": "add_through(f, size, v, {a}, R, 1.0, u{n}, g{n}, e{n})\nadd_slopes(d, {a}, R, {a}, R, 1.0, e{n})",
    "joined": """add_through(f, size, v, {a}, R, 1.0, u{n}, g{n}, e{n})
add_through(f, size, v, {b}, Q, -1.0, u{n}, g{n}, e{n})
add_slopes(d, {a}, R, {a}, R, 1.0, e{n})
add_slopes(d, {a}, R, {b}, Q, -1.0, e{n})
add_slopes(d, {b}, Q, {a}, R, -1.0, e{n})
add_slopes(d, {b}, Q, {b}, Q, 1.0, e{n})""",
}
_LINK = """
for i in range({count}):
    {rows}
    {read}
    {feel}
    {call}
"""


def tables_of(groups: Sequence[Group]) -> str:
    """The rows at which the ends of each group's links begin, where there are several."""
    told = ""
    for index, group in enumerate(groups):
        if len(group.wires) > 1:
            for end, name in zip(range(len(group.shapes)), ("FIRST", "SECOND"), strict=False):
                told += f"{name}_{index} = {tuple(wire.ends[end].row for wire in group.wires)}\n"
    return told


def _fill(template: str, index: int, group: Group, inside: Inside) -> str:
    """Lines over one group: those that prepare and restore as they are, links by their kind."""
    words, n = _words(index, group, inside), group.dimension
    if template not in ("resist", "commit"):
        return template.format(**words)
    ends = ("through" if group.shapes[0] else "scalar", "joined" if group.shapes[0] else "between")[
        len(group.shapes) - 1
    ]
    felt = f"{words['own']}, u{n}{'[0]' if n == 1 else ''}, T"
    if template == "commit":
        call = f"{group.store(inside)}advance_{index}({felt})"
    elif n == 1:
        call = f"g1[0], e1[0, 0] = answer_{index}({felt})\n{_GIVE[ends].format(**words)}"
    else:
        call = f"answer_{index}({felt}, g{n}, e{n})\n{_GIVE[ends].format(**words)}"
    return _link(ends, words | {"call": call})


def _words(index: int, group: Group, inside: Inside) -> dict[str, object]:
    """What differs from group to group."""
    n, alone, shapes = group.dimension, len(group.wires) == 1, [(*shape, 1, 1)[:2] for shape in group.shapes]
    first = group.wires[0].ends
    words: dict[str, object] = {
        "n": n,
        "count": len(group.wires),
        "own": group.slices(inside),
        "prepare": f"prepare_{index}(",
        "restore": f"restore_{index}(",
        "ratios": group.ratios_at,
        "others": group.others_at,
        "wide": n * shapes[0][1],
        "first": shapes[0][1],
        "deep": n * shapes[-1][1],
        "second": shapes[-1][1],
        "base": f" - s.real[{group.bases_at} + i * {n} + j]" if group.based else "",
        "a": first[0].row if alone else "a",
        "b": first[-1].row if alone else "b",
    }
    rows = [f"a = FIRST_{index}[i]"] + ([f"b = SECOND_{index}[i]"] if len(first) > 1 else [])
    return words | {"rows": "" if alone else "\n".join(rows)}


def _link(ends: str, words: dict[str, object]) -> str:
    """The loop over the links of a group."""
    told = {name: templates[ends].format(**words) for name, templates in (("read", _READ), ("feel", _FEEL))}
    return put(_LINK, words | told)


# All lines that go over the groups, and how they are filled.
OVER_LINKS = {"resists": "resist", "commits": "commit"}, _fill
