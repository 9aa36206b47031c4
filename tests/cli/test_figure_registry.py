"""Machines bring their own figures: a result names one, and gets it back from a file too."""

import numpy as np
import pytest

import tegotae as tg
from tegotae import figures
from tegotae.elements import Mass
from tegotae.figures import result_figures as registry
from tegotae.result import Result
from tegotae.rod import Phase, PlanarRod


@pytest.fixture
def drawn(monkeypatch):
    """A registered figure "sled", and the results that it drew."""
    monkeypatch.setattr(registry, "_DRAWERS", dict(registry._DRAWERS))
    seen = []

    def draw(result):
        seen.append(result)
        return figures.sheet()[0]

    figures.register("sled", draw, lambda result: "velocity" in result.variables)
    return seen


class Sled(Mass):
    """A block with a figure of its own."""

    figure = "sled"


def test_a_block_is_drawn_by_the_figure_of_its_class(drawn, tmp_path):
    result = Sled(mass=1.0).run(np.ones(10), period=1e-3)
    result.plot()
    assert drawn == [result]
    result.save(tmp_path / "run.mat")
    tg.load(tmp_path / "run.mat").plot()
    assert len(drawn) == 2
    Mass(mass=1.0).run(np.ones(10), period=1e-3).plot()
    assert len(drawn) == 2


@pytest.mark.parametrize("what", ["too little is recorded", "one tick", "an unknown name"])
def test_without_what_it_needs_a_result_is_drawn_as_any_other(drawn, what):
    run = Sled(mass=1.0).run(np.ones(10), period=1e-3, every=10 if what == "one tick" else 1)
    kept = {n: v for n, v in run.variables.items() if n != "velocity" or what != "too little is recorded"}
    about = run.about | ({"figure": "nobody's"} if what == "an unknown name" else {})
    assert Result(kept, title="run", about=about).plot().axes
    assert drawn == []


def test_names_of_variables_choose_nothing():
    """What looks like a rod but does not say so is drawn as anything is."""
    run = PlanarRod(length=1.0, nodes=3, density=1.0, elasticity=1.0).run([Phase(until=1.0)])
    assert registry.drawer_of(run) is figures.rod.rod
    silent = Result(run.variables, title="run", about={n: v for n, v in run.about.items() if n != "figure"})
    assert registry.drawer_of(silent) is None
    assert silent.plot().axes
