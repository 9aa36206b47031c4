"""A page of HTML with everything inside: figures, no links outward, opens offline, prints well, light or dark."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape
from importlib.resources import files

import tegotae
from tegotae.figures.style import Figure, style

_LARGEST_SVG = 600_000  # bytes; a denser drawing is smaller and quicker to show as PNG


def html_page(title: str, parts: Iterable[str], footer: str, *, rules: str = "") -> str:
    """The page as text; the footer goes on after the version of tegotae, rules are CSS beside that of every page."""
    css = files("tegotae.figures").joinpath("page.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tegotae: {escape(title)}</title>
<style>
{css}{rules}</style>
</head>
<body>
<main>
{"".join(parts)}
<footer>Made by tegotae {escape(tegotae.__version__)}{footer}</footer>
</main>
</body>
</html>
"""


def tiles(counts: Iterable[tuple[object, str, str]]) -> str:
    """Numbers in a row, each with its words and its kind: "good", "bad", "warn" or none."""
    return "".join(f'<div class="count {kind}"><b>{n}</b><span>{text}</span></div>' for n, text, kind in counts)


def captioned(figure: Figure, caption: str) -> str:
    """A drawing and its caption."""
    with style():
        buffer, kind = io.BytesIO(), "svg+xml"
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        if buffer.tell() > _LARGEST_SVG:
            buffer, kind = io.BytesIO(), "png"
            figure.savefig(buffer, format="png", dpi=200)
    drawn = f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"
    return f'<figure><img alt="{escape(caption)}" src="{drawn}"><figcaption>{escape(caption)}</figcaption></figure>'
