"""`tegotae bench --against`: two sides of a tiny repository whose contests tell times instead of taking them."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tegotae.bench import against, contest, contests, player, sides
from tegotae.bench.against import ContestComparison
from tegotae.cli import main
from tegotae.errors import InputError, TegotaeError

# What every commit has; `in_turn` gives the times that it is told, so that ratios are known.
CONTEST = """
from dataclasses import dataclass
from typing import Any, Callable

@dataclass(frozen=True)
class Outcome:
    name: str
    measured: str
    value: float
    bound: str
    met: bool

    @property
    def played(self):
        return self.bound != "not measured"

@dataclass(frozen=True)
class Contest:
    name: str
    play: Callable[[], Any]
    yardsticks: tuple[str, ...] = ()

def in_turn(rivals, *, rounds=15):
    return dict(rivals)
"""
# A round of each side notes itself in this file, beside both trees.
HEAD = """
import os, signal
from tegotae.bench.contest import Contest, Outcome, in_turn
count = 0
def note(side):
    with open({log!r}, "a") as file:
        file.write(side + " ")
"""


class Repository:
    """A git repository with a package called tegotae that has nothing but a bench."""

    def __init__(self, folder: Path):
        self.folder, self.log = folder, folder.parent / "log.txt"
        self.source = folder / "code"
        self.bench = self.source / "tegotae" / "bench"
        self.bench.mkdir(parents=True)
        (self.source / "tegotae" / "__init__.py").write_text("")
        (self.bench / "__init__.py").write_text("")
        (self.bench / "contest.py").write_text(CONTEST)
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(self.folder), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, body: str) -> None:
        (self.bench / "part.py").write_text(HEAD.format(log=str(self.log)) + body)

    def commit(self, body: str) -> str:
        self.write(body)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")
        return self.git("rev-parse", "HEAD")

    def compare(self, commit: str, **options: object) -> dict[str, ContestComparison]:
        found = against.compare(commit, self.source, **options)  # type: ignore[arg-type]
        return {one.contest: one for one in found}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    (tmp_path / "repository").mkdir()
    made = Repository(tmp_path / "repository")
    monkeypatch.setattr(sides, "SOURCE", made.source)
    monkeypatch.chdir(tmp_path)
    return made


def timed(side: str, ours: float) -> str:
    """A contest with a time of ours and one of a peer; its first round, which compiles, takes far longer."""
    return f"""
def play():
    global count
    count += 1
    note({side!r})
    in_turn({{"ours": {ours} if count > 1 else 1e3, "peer": 2.0}})
    in_turn({{"ours": {ours} / 10}})
    return [Outcome("twice", "", 2.0, "<= 3", True)]
CONTESTS = [Contest("twice", play, ("peer",))]
"""


def test_rounds_alternate_and_the_first_of_each_side_does_not_count(repository: Repository) -> None:
    before = repository.commit(timed("old", 1.0))
    repository.write(timed("new", 1.5))  # this tree: not committed
    one = repository.compare(before, rounds=3)["twice"]
    assert repository.log.read_text().split() == ["new", "old"] * 4
    assert one.state == "compared"
    assert {timing.name: (timing.ratio, timing.yardstick) for timing in one.timings} == {
        "ours": (1.5, False),
        "peer": (1.0, True),
        "ours 2": (pytest.approx(1.5), False),
    }
    assert one.timings[0].new == (1.5,) * 3
    assert one.timings[0].old == (1.0,) * 3
    assert "its own code differs" in one.words


def test_the_ratio_is_the_median_of_pairs() -> None:
    """A slow moment that hits both sides of a round leaves no trace; one that hits one side is outvoted."""
    timing = against.Timing("run", False, (1.0, 5.0, 9.0), (1.0, 5.0, 1.0))
    assert timing.ratio == 1.0
    assert max(timing.ratios) == 9.0


def test_the_same_tree_against_itself_is_even_and_leaves_no_trace(repository: Repository) -> None:
    before = repository.commit(timed("either", 1.0))
    worktrees = repository.git("worktree", "list")
    (one,) = repository.compare(before, rounds=1).values()
    assert all(timing.ratio == 1.0 for timing in one.timings)
    assert one.words == ""
    assert repository.git("worktree", "list") == worktrees
    assert [line for line in repository.git("status", "--short").splitlines() if "__pycache__" not in line] == []


def test_each_side_has_its_own_kernels(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEGOTAE_CACHE", "here")
    body = """
def play():
    note(os.environ["TEGOTAE_CACHE"] + "|" + os.path.dirname(__file__))
    in_turn({"run": 1.0})
    return []
CONTESTS = [Contest("cache", play)]
"""
    repository.compare(repository.commit(body), rounds=1)
    (new, its_place), (old, other_place) = (one.split("|") for one in repository.log.read_text().split()[:2])
    assert new == "here"
    assert its_place == str(repository.bench)
    assert old != "here"
    assert other_place != its_place
    assert not Path(old).exists(), "it goes when the comparison ends"
    assert not Path(other_place).exists()


def test_a_time_that_is_an_outcome_counts_where_none_is_taken(repository: Repository) -> None:
    body = """
def play():
    return [Outcome("compile", "", {value}, "<= 2 s", True), Outcome("memory", "", 90.0, "<= 500 MB", True)]
CONTESTS = [Contest("compile", play)]
"""
    before = repository.commit(body.format(value=2.0))
    repository.write(body.format(value=1.0))
    (one,) = repository.compare(before, rounds=1).values()
    assert [(timing.name, timing.ratio) for timing in one.timings] == [("compile", 0.5)]


def test_what_cannot_be_compared_is_told(repository: Repository) -> None:
    body = """
def no_peer():
    return [Outcome("against MuJoCo", "MuJoCo is not installed", 0.0, "not measured", False)]
def no_time():
    return [Outcome("failures", "0 of 5", 0.0, "0", True)]
def breaks():
    if {breaks}:
        raise ValueError("a wrong turn")
    in_turn({{"run": 1.0}})
    return []
def dies():
    print("words of a contest")
    if {breaks}:
        os.kill(os.getpid(), signal.SIGKILL)
    in_turn({{"run": 1.0}})
    return []
def fine():
    in_turn({{"run": 1.0, {extra}: 1.0}})
    return []
CONTESTS = [Contest("peer", no_peer), Contest("count", no_time), Contest("breaks", breaks), Contest("dies", dies),
            Contest("fine", fine), Contest({name!r}, fine)]
"""
    before = repository.commit(body.format(breaks=True, name="gone", extra="'a'"))
    repository.write(body.format(breaks=False, name="come", extra="'b'"))
    found = repository.compare(before, rounds=1)
    assert {name: one.state for name, one in found.items()} == {
        "peer": "skipped",
        "count": "skipped",
        "breaks": "failed",
        "dies": "failed",
        "fine": "compared",
        "come": "one side",
        "gone": "one side",
    }
    assert found["peer"].words == "against MuJoCo: MuJoCo is not installed"
    assert found["count"].words == "it measures no time"
    assert found["breaks"].words == "on the old side: ValueError: a wrong turn"
    assert "old side ended with signal 9" in found["dies"].words
    assert "words of a contest" in found["dies"].words
    assert [timing.name for timing in found["fine"].timings] == ["run"]
    assert "a is not timed in every round of both sides; b is not timed" in found["fine"].words
    assert found["come"].words == "only in this tree"
    assert found["gone"].words == "only in the commit"


def test_a_part_that_cannot_be_imported_does_not_hide_the_others(repository: Repository) -> None:
    (repository.bench / "broken.py").write_text("import no_such_module")
    before = repository.commit(timed("old", 1.0))
    (repository.bench / "broken.py").unlink()
    found = repository.compare(before, rounds=1)
    assert found["twice"].state == "compared"
    assert found["tegotae.bench.broken"].state == "failed"
    assert (
        "on the old side: ModuleNotFoundError: No module named 'no_such_module'" in found["tegotae.bench.broken"].words
    )


def test_the_command_prints_ratios_and_writes_them(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    before = repository.commit(timed("old", 1.0))
    repository.write(timed("new", 1.5))
    assert main(["bench", "--against", "HEAD", "--rounds", "2", "--json", "both.json"]) == 0
    said = capsys.readouterr().out
    assert "slower    twice, ours: 1.50 (1.50 to 1.50), best 1.5 s against 1 s" in said
    assert "yardstick twice, peer: 1.00" in said
    assert f"0 of 2 times are at most 1.10 of those of {before[:12]}; the largest is 1.50" in said
    assert "both.json" in said
    written = json.loads(Path("both.json").read_text(encoding="utf-8"))
    assert (written["against"], written["asked"], written["rounds"]) == (before, "HEAD", 2)
    (one,) = written["contests"]
    assert one["timings"][0] == {"name": "ours", "yardstick": False, "ratio": 1.5, "new": [1.5] * 2, "old": [1.0] * 2}


def test_the_command_fails_with_words_if_a_contest_does(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit(timed("old", 1.0))
    repository.write("def play():\n    raise ValueError('a wrong turn')\nCONTESTS = [Contest('twice', play)]")
    assert main(["bench", "--against", "HEAD", "--json", "both.json"]) == 2
    said = capsys.readouterr()
    assert "failed    twice: on the new side: ValueError: a wrong turn" in said.out
    assert "nothing of ours was timed" in said.out
    assert "not compared, because it failed on one side: twice" in said.err
    assert Path("both.json").exists(), "what is known is written all the same"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "no-such-commit"], "--against no-such-commit is not a commit of"),
        (["--against", "--all"], "--against --all is not a commit of"),
        (["--against", "HEAD", "--only", "glue"], "Give a part of one of these: twice"),
        (["--against", "HEAD", "--rounds", "0"], "Give 1 or more"),
        (["--against", "HEAD~1"], "has no code/tegotae/bench"),
        (["--rounds", "3"], "Give --against COMMIT with it"),
        (["--only", "glue"], "Give a part of one of these: one element;"),
        (["--against", "HEAD", "--json", "nowhere/both.json"], "does not exist"),
    ],
    ids=lambda value: " ".join(value).replace("/", "|") if isinstance(value, list) else "",
)
def test_bad_input_is_refused_with_a_way_out(
    arguments: list[str], said: str, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository.folder / "readme").write_text("no bench yet")
    repository.git("add", "readme")
    repository.git("commit", "--quiet", "--message", "first")
    repository.commit(timed("old", 1.0))
    assert main(["bench", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) >= 2, "the problem, then the way out"
    assert not repository.log.exists(), "nothing was played"


def test_what_is_no_checkout_is_told(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.commit(timed("old", 1.0))
    installed = repository.folder / "site-packages"  # inside a checkout, but no part of it
    (installed / "tegotae").mkdir(parents=True)
    (installed / "tegotae" / "__init__.py").write_text("")
    for place in (installed, tmp_path):
        with pytest.raises(TegotaeError, match="needs a git checkout"):
            sides.resolved("HEAD", place)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TegotaeError, match="git"):
        sides.resolved("HEAD", repository.source)


def test_a_side_that_imports_another_tegotae_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    repository.commit(timed("old", 1.0))
    with (
        contextlib.closing(sides.Side("new", tmp_path / "empty")) as side,
        pytest.raises(TegotaeError, match="not what is in"),
    ):
        side.start()


def test_the_player_finds_the_contests_that_bench_plays() -> None:
    modules, broken = player.parts()
    assert broken == {}
    found = [one.name for module in modules for one in getattr(module, "CONTESTS", ())]
    assert sorted(found) == sorted(one.name for one in contests.contests())
    assert len(set(found)) == len(found), "two contests of one name cannot be told apart"


def test_every_yardstick_is_a_name_that_its_contest_times() -> None:
    """As far as it can be seen without playing: the name stands in the file of the contest."""
    for one in contests.contests():
        text = Path(sys.modules[one.play.__module__].__file__ or "").read_text(encoding="utf-8")
        for name in one.yardsticks:
            assert f'"{name}"' in text, one.name


def test_words_choose_contests() -> None:
    names = ["rod, snake", "rod, MuJoCo", "circuit"]
    assert contests.chosen(names, []) == names
    assert contests.chosen(names, ["mujoco", "CIRC"]) == ["rod, MuJoCo", "circuit"]
    with pytest.raises(InputError, match="glue"):
        contests.chosen(names, ["rod", "glue"])


def test_bench_plays_only_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []

    def playing(name: str) -> Callable[[], list[contest.Outcome]]:
        return lambda: played.append(name) or []  # type: ignore[func-returns-value]

    both = [contest.Contest(name, playing(name)) for name in ("rod, snake", "circuit")]
    monkeypatch.setattr(contests, "contests", lambda: both)
    assert main(["bench", "--only", "snake"]) == 0
    assert played == ["rod, snake"]
