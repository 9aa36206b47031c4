"""What a shell offers while a command is typed (`tegotae --install-completion`): light, as it is asked at every key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

SHELLS = "bash, zsh, fish or PowerShell"
_INSTALLERS = {"--install-completion", "--show-completion"}


def completing(*words: str) -> Callable[[str], list[str]]:
    """What is offered in the place of a value that has begun."""

    def offered(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return offered


def papers(incomplete: str) -> list[str]:
    """Keys of papers."""
    from tegotae.papers import PAPERS

    return completing(*PAPERS)(incomplete)


def asked_for(arguments: Sequence[str]) -> bool:
    """Whether a command is about completion itself."""
    return bool(arguments) and arguments[0] in _INSTALLERS
