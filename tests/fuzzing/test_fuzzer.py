"""The fuzzer sees what it is for."""

import ctypes
import faulthandler
import inspect

import numpy as np
import pytest
from attack import Attack, Change, attack
from harvest import Call

from tegotae import checks
from tegotae.errors import TegotaeError


def good(number: float = 1.0, word: str = "a", *, on: bool = True) -> float:
    checks.text("good", "word", word, "Give a word.")
    return checks.number("good", "number", number, "") + checks.flag("good", "on", on)


def raw(number: float = 1.0) -> float:
    return number + 1.0


def mute(number: float = 1.0) -> float:
    """It says no way out."""
    raise TegotaeError("number is bad")


def silent(number: float = 1.0) -> float:
    return float(np.float64(checks.number("silent", "number", number, "")) * 1e200 * 1e200)


def endless(number: float = 1.0) -> float:
    while True:
        number = -number


def fatal(number: float = 1.0) -> None:
    faulthandler.disable()  # it is meant, and not to be told at length
    ctypes.string_at(0)


def call_of(function):
    return Call(function.__name__, None, "", function, {}, inspect.signature(function))


@pytest.mark.parametrize(
    ("function", "change", "verdict"),
    [
        (good, Change("number", None, "text"), "said"),
        (good, Change("number", None, "2.5"), "fine"),
        (good, Change("word", None, "None"), "said"),
        (good, Change("on", None, "1"), "said"),
        (raw, Change("number", None, "True"), "accepted"),
        (mute, Change("number", None, "text"), "raw"),
        (silent, Change("number", None, "2.5"), "silent"),
    ],
)
def test_verdicts(function, change, verdict):
    assert Attack(call_of(function)).judged(change)[0] == verdict


def test_an_error_that_is_not_ours_is_raw():
    verdict, details = Attack(call_of(raw)).judged(Change("number", None, "object"))
    assert verdict == "raw"
    assert "TypeError" in details


def test_a_call_that_ends_the_process_is_told_and_the_next_ones_go_on():
    told = list(attack(call_of(fatal), every=40, seed=0))
    assert len(told) >= 2
    assert {one["verdict"] for one in told} == {"crash"}
