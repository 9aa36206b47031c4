"""Every well-formed call, with one argument (now and then two) replaced by a bad value; what came of it, line by line.

    python tests/fuzzing/attack.py tegotae.friction [--every 7] [--seed 0]

It runs by itself, in a process that a test starts: a crash, a hang or all memory taken is then seen, with the call.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import faulthandler
import inspect
import io
import json
import mmap
import os
import random
import resource
import signal
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from harvest import Call
from judge import kinds, may_be_nan, names, not_finite, raw, wrongly_accepted
from public import public_calls
from values import NEVER, VOCABULARY

from tegotae.errors import TegotaeError

PATIENCE = 3.0  # s a call may take; what is asked for takes milliseconds
MEMORY = 6 << 30  # bytes that the process may have in all
_ENDLESS = {"inf", "-inf", "with inf", "longdouble", "10**400", "-10**400", "10**5000", "huge as objects", "2**63"}


class Hang(BaseException):
    """A call that takes too long; no `except Exception` of the package may swallow it."""


@dataclass(frozen=True)
class Change:
    """One bad value: in which argument, at which place inside it (None: instead of it), and which."""

    argument: str
    inside: Any
    word: str

    def __str__(self) -> str:
        spot = "" if self.inside is None else f"[{self.inside!r}]"
        return f"{self.argument}{spot}=<{self.word}>"


def changes(call: Call) -> list[Change]:
    """Every single change of a call."""
    found = []
    for name, parameter in call.signature.parameters.items():
        given = call.arguments.get(name)
        together = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        spots: list[Any] = [] if together else [None]
        if isinstance(given, dict) and given:
            spots += [next(iter(given))]
        elif isinstance(given, list | tuple) and given:
            spots += [len(given) - 1]
        words = VOCABULARY if not _waits(call, name) else [*NEVER, "None", "0", "0.0", "-1", "{}", "[]", "function"]
        found += [Change(name, spot, word) for spot in spots for word in words]
    return found


def _waits(call: Call, argument: str) -> bool:
    """Whether a call rightly takes as long as it is told to."""
    patient = argument in ("timeout", "seconds", "ticks", "duration") and call.name.startswith("tegotae.hybrid")
    return patient or (argument == "span" and call.name.endswith(".solve"))


def changed(arguments: dict[str, Any], change: Change) -> tuple[dict[str, Any], Any]:
    """The arguments with the bad value in place, and the value."""
    value = VOCABULARY[change.word]()
    arguments = dict(arguments)
    if change.inside is None:
        arguments[change.argument] = value
    elif isinstance(arguments[change.argument], dict):
        arguments[change.argument] = {**arguments[change.argument], change.inside: value}
    else:
        whole = list(arguments[change.argument])
        whole[change.inside] = value
        arguments[change.argument] = whole if isinstance(arguments[change.argument], list) else tuple(whole)
    return arguments, value


def number_inside(given: Any, inside: Any) -> bool:
    """Whether what stands at a place inside an argument is a number."""
    return isinstance(given[inside], int | float | np.number) and not isinstance(given[inside], bool)


class Attack:
    """Calls with bad values, and what came of them."""

    def __init__(self, call: Call):
        self.call = call
        self.kinds = kinds(call)
        self.copied = self._copies()

    def _copies(self) -> bool:
        """Whether it can be copied, quickly; otherwise calls share what they are made on."""
        begun = time.perf_counter()
        try:
            copy.deepcopy((self.call.owner, self.call.arguments))
        except Exception:
            return False
        return time.perf_counter() - begun < 0.02

    def fresh(self) -> tuple[Any, dict[str, Any]]:
        """What it is called on, and its arguments, untouched by other calls."""
        whole = (self.call.owner, self.call.arguments)
        owner, arguments = copy.deepcopy(whole) if self.copied else whole
        return owner, arguments

    def judged(self, *several: Change) -> tuple[str, str]:
        """(verdict, details) of one call: fine, said, raw, unnamed, accepted, silent, hang."""
        owner, arguments = self.fresh()
        for change in several:
            arguments, value = changed(arguments, change)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            np.seterr(all="ignore")
            try:
                result = self.call.made(owner, arguments)
                if inspect.isgenerator(result):
                    next(result, None)
            except Hang:
                return "hang", ""
            except MemoryError as error:
                return "raw", str(raw(error))
            except Exception as error:
                return self._said(error, several)
        if any(str(one.category.__module__).startswith("tegotae") for one in told):
            return "warned", ""
        if len(several) == 1 and self._wrong(several[0], value):
            return "accepted", ""
        try:
            spot = "" if any(one.word in _ENDLESS for one in several) else not_finite(result)
            if self.call.function is not None and isinstance(self.call.function, type) and "inf" in spot:
                spot = ""  # no limit, as it was made
        except Exception as error:  # what came back cannot even be looked at
            return "accepted", repr(error)
        return ("silent", spot) if spot else ("fine", "")

    def _said(self, error: Exception, several: tuple[Change, ...]) -> tuple[str, str]:
        found = raw(error)
        if found is not None:
            return "raw", found
        if isinstance(error, TegotaeError) and not any(names(error, one.argument) for one in several):
            return "unnamed", str(error)
        return "said", ""

    def _wrong(self, change: Change, value: Any) -> bool:
        annotation = self.call.annotations[change.argument]
        if may_be_nan(self.call, change.word):
            return False
        if change.inside is None:
            return wrongly_accepted(self.kinds[change.argument], annotation, change.word, value)
        if not number_inside(self.call.arguments[change.argument], change.inside):
            return False
        return wrongly_accepted("number", "None" if "None" in annotation else "", change.word, value)

    def chosen(self, every: int, seed: int) -> list[tuple[Change, ...]]:
        """All single changes and a few of two at once; or one of `every`, drawn with the seed."""
        single = changes(self.call)
        random_ = random.Random(zlib.crc32(self.call.name.encode()) + seed)
        two = (tuple(random_.sample(single, 2)) for _ in range(len(single) // 20))
        apart = (pair for pair in two if pair[0].argument != pair[1].argument)
        found: list[tuple[Change, ...]] = [*((one,) for one in single), *apart]
        return found if every == 1 else random_.sample(found, -(-len(found) // every))

    def timed(self, *several: Change) -> tuple[str, str]:
        """The verdict, or "hang". Time is that of the processor: how busy the machine is does not count."""
        faulthandler.dump_traceback_later(300.0, exit=True)  # who waits uses no processor
        signal.setitimer(signal.ITIMER_VIRTUAL, 2.0 * PATIENCE)  # ends the process, where Python cannot interrupt
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return self.judged(*several)
        except Hang:
            return "hang", ""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
            faulthandler.cancel_dump_traceback_later()


def attack(call: Call, every: int, seed: int) -> Iterator[dict[str, Any]]:
    """Every chosen call in a child: one that ends the process is reported, and the next child goes on."""
    whole = Attack(call)
    chosen = whole.chosen(every, seed)
    at = mmap.mmap(-1, 8)
    first = 0
    while first < len(chosen):
        with tempfile.TemporaryFile("w+") as lines:
            child = os.fork()
            if child == 0:
                for place in range(first, len(chosen)):
                    at[:] = place.to_bytes(8, "little")
                    lines.write(json.dumps(whole.timed(*chosen[place])) + "\n")
                    lines.flush()
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            lines.seek(0)
            told = [json.loads(line) for line in lines]
        if status:
            told.append(("crash", f"ended with status {status}"))
        for several, (verdict, details) in zip(chosen[first:], told, strict=False):
            changed_ = ", ".join(map(str, several))
            yield {"call": call.name, "changed": changed_, "verdict": verdict, "details": details}
        first = int.from_bytes(at[:], "little") + 1


def _hang(*_: Any) -> None:
    raise Hang


def main() -> None:
    """Attack what the command line names; each verdict is a line of JSON on standard output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, _hang)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for call in public_calls(options.packages):
            if options.only not in call.name:
                continue
            for verdict in attack(call, options.every, options.seed):
                lines.write(json.dumps(verdict) + "\n")
        lines.flush()
        os._exit(0)  # threads that an example left behind are not waited for


if __name__ == "__main__":
    main()
