"""Writing pictures that move: a GIF, or an HTML file with everything inside. Pillow comes with matplotlib."""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tegotae import checks
from tegotae.errors import FileError
from tegotae.figures.colours import HAIR, INK, PALETTE, QUIET, STUCK
from tegotae.figures.style import Figure, style

if TYPE_CHECKING:
    from PIL.Image import Image

Frame = NDArray[Any]

_FOUND = 160  # colours beside those of the style

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ margin: 2rem auto; max-width: {width}px; font: 15px system-ui, sans-serif; color: #22303c; background: #fff }}
img {{ width: 100%; display: block; cursor: pointer }}
div {{ display: flex; gap: .8rem; align-items: center; margin-top: .6rem }}
input {{ flex: 1; accent-color: #1f6fb2 }}
button, select {{ font: inherit; padding: .2rem .7rem }}
</style></head><body>
<img id="show" alt="{title}">
<div><button id="play">pause</button><input id="at" type="range" min="0" max="{last}" value="0" aria-label="frame">
<select id="pace" aria-label="pace"><option value="4">¼ ×</option><option value="1" selected>1 ×</option>
<option value=".5">2 ×</option></select></div>
<script>
const frames = [{frames}];
const show = document.getElementById("show"), at = document.getElementById("at");
const play = document.getElementById("play"), pace = document.getElementById("pace");
let runs = true;
const turn = i => {{ at.value = i; show.src = "data:image/png;base64," + frames[i]; }};
const toggle = () => {{ runs = !runs; play.textContent = runs ? "pause" : "play"; }};
play.onclick = show.onclick = toggle;
at.oninput = () => {{ if (runs) toggle(); turn(+at.value); }};
document.onkeydown = e => {{
  if (e.code === "Space" && e.target === document.body) {{ e.preventDefault(); toggle(); }}
}};
const tick = () => {{ if (runs) turn((+at.value + 1) % frames.length); setTimeout(tick, {wait} * +pace.value); }};
turn(0); tick();
</script></body></html>
"""


def drawn(figure: Figure, moving: Sequence[Any], count: int, show: Callable[[int], None]) -> Iterator[Frame]:
    """RGB pictures of a sheet drawn once; only what moves is drawn anew, on a copy of it.

    `moving` are artists with `animated=True`, in the order in which they are drawn; `show` puts them in their places
    for picture i.
    """
    canvas: Any = figure.canvas
    with style():
        canvas.draw()
        figure.set_layout_engine("none")  # settled: nothing may shift from frame to frame
        canvas.draw()
        empty = canvas.copy_from_bbox(figure.bbox)
        for i in range(count):
            canvas.restore_region(empty)
            show(i)
            for artist in moving:
                figure.draw_artist(artist)
            yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def write_gif(frames: Iterable[Frame], path: Path, *, rate: float, title: str) -> None:
    """A GIF that repeats for ever."""
    few = _few_colours(frames)
    # Viewers count in hundredths of a second and slow down what is faster than two of them.
    wait = 10 * max(2, round(100.0 / rate))
    few[0].save(path, format="GIF", save_all=True, append_images=few[1:], duration=wait, loop=0, comment=title.encode())


def write_html(frames: Iterable[Frame], path: Path, *, rate: float, title: str) -> None:
    """One HTML file that needs nothing else: play, pause, pace, and a slider through the frames."""
    few = _few_colours(frames)
    texts = []
    for picture in few:
        page = io.BytesIO()
        picture.save(page, format="PNG", optimize=True)
        texts.append(f'"{base64.b64encode(page.getvalue()).decode()}"')
    content = _PAGE.format(
        title=html.escape(title),
        width=few[0].width,
        last=len(few) - 1,
        frames=",\n".join(texts),
        wait=1000.0 / rate,
    )
    path.write_text(content, encoding="utf-8")


FILMS: dict[str, Callable[..., None]] = {".gif": write_gif, ".html": write_html}
MOST_FRAMES = 250  # unless asked for; more make a file that nobody waits for
DPI = 100


def film_file(path: str | os.PathLike[str]) -> Path:
    """The file of a film; refused before anything is drawn if it is of no kind that can be written."""
    target = Path(path)
    if target.suffix.lower() not in FILMS:
        raise FileError(f"Cannot write {target}: films are written as {', '.join(FILMS)}.\n  Choose one of these.")
    return target


def write_film(target: Path, frames: Iterable[Frame], *, rate: float, title: str) -> Path:
    """Write frames at a rate [Hz], whole or not at all."""
    with checks.written_whole(target) as beside:
        FILMS[target.suffix.lower()](frames, beside, rate=rate, title=title)
    return target


def _few_colours(frames: Iterable[Frame]) -> list[Image]:
    """Every frame in one set of colours, undithered: flat areas stay flat, and files small."""
    from PIL import Image

    pictures = [Image.fromarray(np.ascontiguousarray(frame)) for frame in frames]
    sample = [pictures[i] for i in sorted(set(np.linspace(0, len(pictures) - 1, 8).astype(int).tolist()))]
    wide = Image.new("RGB", (sample[0].width, sample[0].height * len(sample)))
    for i, picture in enumerate(sample):
        wide.paste(picture, (0, i * picture.height))
    common = wide.quantize(_FOUND, dither=Image.Dither.NONE)
    # White and the colours of the style are exact, pixel by pixel; the rest is what edges need.
    fixed = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in ("#ffffff", INK, QUIET, STUCK, HAIR, *PALETTE)]
    common.putpalette([*(part for color in fixed for part in color), *(common.getpalette() or [])[: 3 * _FOUND]])
    return [_painted(picture, common, fixed) for picture in pictures]


def _painted(picture: Image, common: Image, fixed: list[list[int]]) -> Image:
    """In the common colours; Pillow's search for the nearest one is quick, and not always right."""
    from PIL import Image

    few = picture.quantize(palette=common, dither=Image.Dither.NONE)
    # Four bytes a pixel are one number: compared byte by byte, this would take longer than drawing.
    pixels, index = np.asarray(picture.convert("RGBA")).view(np.uint32)[..., 0], np.asarray(few).copy()
    for i, color in enumerate(fixed):
        index[pixels == np.array([*color, 255], dtype=np.uint8).view(np.uint32)[0]] = i
    exact = Image.fromarray(index)
    exact.putpalette(common.getpalette() or [])
    return exact
