"""What a shell is offered while a command is typed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import shellingham

from tegotae.cli import main

INCLUSIONS = ["belt", "bouncing-ball", "floor", "pendulum-on-table", "slope", "two-bodies", "woodpecker"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("run ", ["friction", "inclusion", "rod", "steering", "two-robots"]),
        ("run st", ["steering"]),
        ("run inclusion ", INCLUSIONS),
        ("run rod ", ["drag", "paper", "snake", "whip"]),
        ("run rod s", ["snake"]),
        ("run inclusion belt --route ", ["events", "ode", "stepper"]),
        ("run inclusion --route o", ["ode"]),
        ("run inclusion belt --method RK", ["RK45", "RK23", "RK4"]),
        ("run two-robots --method ", ["rk4", "symplectic", "midpoint", "euler"]),
        ("run steering --preset ", ["paper", "physical"]),
        ("run steering --speed 20 --hand r", ["ramp", "release"]),
        ("run rod drag --sp", ["--speed"]),
        ("run rod snake --sp", []),
        ("run friction --speed 3 --o", ["--out"]),  # what is wrong before it does not silence it
        ("run nonsense", []),
        ("papers kik", ["kikuuwe2005"]),
        ("fit record.csv --law ", ["coulomb", "viscous", "stribeck"]),
        ("hybrid re", ["report", "replay", "rearm"]),
    ],
)
def test_names_are_completed(
    typed: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_TEGOTAE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"tegotae {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" "))))
    assert main([]) == 0
    told = capsys.readouterr()
    assert told.out.split() == offered
    assert told.err == ""


def test_an_answer_loads_nothing_heavy() -> None:
    """A shell asks at every press of a key."""
    code = (
        "import sys; from tegotae.cli import main; main([]);"
        "print(*{'numpy', 'scipy', 'sympy', 'msgspec', 'matplotlib'} & set(sys.modules), file=sys.stderr)"
    )
    asked = {
        "_TEGOTAE_COMPLETE": "complete_bash",
        "COMP_WORDS": "tegotae run inclusion belt --route ",
        "COMP_CWORD": "5",
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **asked})
    assert (done.stdout.split(), done.stderr.strip()) == (["events", "ode", "stepper"], "")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """`tegotae`, as a shell calls it."""
    program = tmp_path / "tegotae"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tegotae "$@"\n')
    program.chmod(0o755)
    return program


def in_bash(script: str, program: Path) -> str:
    home = program.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "HOME": str(home), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


ASK = 'COMP_WORDS=(tegotae run rod ""); COMP_CWORD=3; _tegotae_completion tegotae; echo "${COMPREPLY[@]}"'


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_by_what_is_shown(program: Path) -> None:
    assert in_bash(f'eval "$(tegotae --show-completion)"; {ASK}', program) == "drag paper snake whip\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_by_what_is_installed(program: Path) -> None:
    told = in_bash(f"tegotae --install-completion; source ~/.bashrc; {ASK}", program)
    assert told.splitlines()[-1] == "drag paper snake whip"
    assert (program.parent / "home" / ".bash_completions" / "tegotae.sh").is_file()


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
@pytest.mark.parametrize("shell", ["dash", None])
def test_a_shell_that_is_not_known_does_not_look_like_a_failed_claim(
    option: str, shell: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def detected() -> tuple[str, str]:
        if shell is None:
            raise shellingham.ShellDetectionFailure
        return shell, f"/bin/{shell}"

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(shellingham, "detect_shell", detected)
    assert main([option]) == 2
    told = capsys.readouterr()
    assert "not supported" in told.out + told.err
    assert "Ask for it in bash, zsh, fish or PowerShell." in told.err
    assert os.listdir(tmp_path) == []
