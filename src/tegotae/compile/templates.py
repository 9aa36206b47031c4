"""Source put together from pieces."""

from __future__ import annotations

from collections.abc import Mapping


def put(template: str, pieces: Mapping[str, object]) -> str:
    """Put each piece in its place; a piece that stands alone on a line keeps that line's indent throughout.

    Example:
        >>> print(put("for i in range({n}):\\n    {body}", {"n": 2, "body": "a = i\\nb = a"}), end="")
        for i in range(2):
            a = i
            b = a
    """
    lines = []
    for line in template.splitlines():
        name = line.strip()[1:-1]
        if line.strip() == f"{{{name}}}" and name in pieces:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + inner for inner in str(pieces[name]).splitlines() if inner.strip()]
        else:
            lines.append(line.format(**pieces))
    return "\n".join(lines) + "\n"
