"""Clocks: ticks do not drift, none is missed in silence, the wall clock does not matter, virtual runs repeat."""

import ctypes
import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.hybrid import Deadlines, Latencies, Lockstep, RealClock, Timeline, VirtualClock
from tegotae.hybrid.clocks import clock

MS = 1_000_000  # ns


class Machine:
    """A machine whose time is ours: sleeping oversleeps by so much, asking for the time takes so long [ns]."""

    def __init__(self, oversleep=0, asking=100):
        self.now, self.wall, self.oversleep, self.asking, self.slept = 5_000 * MS, 10**18, oversleep, asking, 0

    def pass_by(self, nanoseconds):
        self.now += nanoseconds
        self.wall += nanoseconds

    def monotonic_ns(self):
        self.pass_by(self.asking)
        return self.now

    def time_ns(self):
        return self.wall

    def sleep(self, seconds):
        self.slept += 1
        self.pass_by(round(1e9 * seconds) + self.oversleep)


@pytest.fixture
def machine(monkeypatch):
    it = Machine()
    monkeypatch.setattr(clock, "time", it)
    return it


def test_ticks_do_not_drift(machine):
    """Oversleeping a tenth of a period every time leaves tick k where it belongs, at k periods."""
    machine.oversleep = MS // 10
    real = RealClock(1e-3)
    assert real.wait() == 0
    start = machine.now
    for k in range(1, 2001):
        assert real.wait() == k
        assert 0 <= machine.now - start - k * MS <= MS // 10 + 1000
        machine.pass_by(MS // 3)  # the work of the tick
    assert real.deadlines.missed == 0
    assert real.deadlines.lateness.largest == pytest.approx(1e-4, rel=0.02)


def test_a_period_that_is_no_whole_number_of_nanoseconds_does_not_drift(machine):
    real = RealClock(1e-3 / 3.0)
    real.wait()
    start = machine.now
    for _ in range(3000):
        tick = real.wait()
    assert tick == 3000
    assert abs(machine.now - start - 1000 * MS) < 1000


def test_spinning_ends_on_time_and_costs_no_more_than_it_says(machine):
    machine.oversleep = 60_000
    for spin, latest in ((0.0, 61_000), (2e-4, 300)):
        real = RealClock(2e-3, spin=spin)
        for _ in range(100):
            real.wait()
        assert real.deadlines.lateness.largest <= 1e-9 * latest
    slept = machine.slept
    spinning = RealClock(1e-3, spin=1e-3)
    for _ in range(10):
        spinning.wait()
    assert machine.slept == slept


@pytest.mark.parametrize(
    ("work", "tick", "overruns", "skipped"),
    [(0.5, 1, 0, 0), (0.9, 1, 0, 0), (1.5, 1, 1, 0), (2.5, 2, 1, 1), (7.2, 7, 1, 6)],
)
def test_work_that_takes_too_long_is_counted_and_the_clock_skips_ahead(machine, work, tick, overruns, skipped):
    real = RealClock(1e-3)
    real.wait()
    machine.pass_by(round(work * MS))
    assert real.wait() == tick
    assert (real.deadlines.overruns, real.deadlines.skipped) == (overruns, skipped)
    assert real.deadlines.missed == overruns + skipped
    assert real.wait() == tick + 1
    assert real.deadlines.count == 3
    assert bool(real.deadlines.troubles()) == bool(overruns)


def test_a_sleep_that_takes_too_long_skips_but_is_no_overrun(machine):
    real = RealClock(1e-3)
    real.wait()
    machine.oversleep = 4 * MS
    assert real.wait() == 5
    assert (real.deadlines.overruns, real.deadlines.skipped) == (0, 4)
    assert real.deadlines.lateness.largest == pytest.approx(4e-3, rel=1e-3)  # it went on so late


@settings(deadline=None, max_examples=50)
@given(works=st.lists(st.integers(0, 5 * MS), max_size=40), oversleep=st.integers(0, 3 * MS))
def test_every_tick_ran_or_is_counted_as_skipped(works, oversleep):
    with pytest.MonkeyPatch.context() as patch:
        machine = Machine(oversleep=oversleep)
        patch.setattr(clock, "time", machine)
        real, begun = RealClock(1e-3), []
        begun.append(real.wait())
        for work in works:
            machine.pass_by(work)
            begun.append(real.wait())
            assert 0.0 <= real.now - 1e-3 * begun[-1] <= 1e-3 + 1e-6
    assert begun == sorted(set(begun))
    assert real.deadlines.count == len(begun) == real.deadlines.lateness.count
    assert begun[-1] + 1 == real.deadlines.count + real.deadlines.skipped


@pytest.mark.parametrize("step", [-3600.0, -0.01, 0.01, 3600.0])
def test_setting_the_wall_clock_moves_no_tick_and_is_told(machine, step):
    real = RealClock(1e-3)
    real.wait()
    start = machine.now
    for k in range(1, 20):
        if k == 10:
            machine.wall += round(1e9 * step)
        assert real.wait() == k
        assert machine.now - start - k * MS < 1000
    assert real.deadlines.wall_steps == 1
    assert real.deadlines.wall_step == pytest.approx(step, abs=1e-6)
    assert "wall clock was set 1 times" in " ".join(real.deadlines.troubles())


def test_a_monotonic_clock_that_goes_back_is_held_and_told(machine):
    real = RealClock(1e-3)
    real.wait()
    before = real.nanoseconds
    machine.now -= 50 * MS
    assert real.nanoseconds == before
    assert real.deadlines.went_back == 1
    assert "went back" in " ".join(real.deadlines.troubles())


@pytest.mark.realtime
def test_real_ticks_of_this_machine_come_in_order_and_not_too_early():
    ticks, times = [], []
    with RealClock(1e-3, spin=1e-4) as real:
        for _ in range(30):
            ticks.append(real.wait())
            times.append(real.now)
    assert ticks == sorted(set(ticks))
    assert all(t >= 1e-3 * k - 1e-9 for k, t in zip(ticks, times, strict=True))
    assert ticks[-1] + 1 == real.deadlines.count + real.deadlines.skipped


def test_real_time_priority_without_rights_is_refused_with_the_way_out(monkeypatch):
    def never(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", never)
    with pytest.raises(tg.InputError, match=r"priority=80 of SCHED_FIFO is refused.*not permitted") as caught:
        RealClock(1e-3, priority=80).wait()
    assert "ulimit -r" in str(caught.value)
    assert "priority=None" in str(caught.value)


def test_priority_is_taken_at_the_first_tick_and_given_back(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "sched_setscheduler", lambda *given: asked.append((given[1], given[2].sched_priority)))
    before = (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority)
    with RealClock(1e-3, priority=7) as real:
        real.wait()
        real.wait()
        assert asked == [(os.SCHED_FIFO, 7)]
    assert asked == [(os.SCHED_FIFO, 7), before]


def test_memory_that_cannot_be_locked_is_refused_with_the_way_out(monkeypatch):
    class NoLibrary:
        def mlockall(self, _):
            ctypes.set_errno(12)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: NoLibrary())
    with pytest.raises(tg.InputError, match=r"lock_memory=True is refused.*Cannot allocate") as caught:
        RealClock(1e-3, lock_memory=True).wait()
    assert "ulimit -l" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: RealClock(0.0), "period=0.0 s"),
        (lambda: RealClock(float("nan")), "period=nan"),
        (lambda: RealClock(1e-3, spin=-1.0), "spin=-1.0"),
        (lambda: RealClock(1e-3, spin=2e-3), "longer than period"),
        (lambda: RealClock(1e-3, priority=0), "priority=0"),
        (lambda: RealClock(1e-3, priority=100), "priority=100"),
        (lambda: RealClock(1e-3, priority=1.5), "priority=1.5"),
        (lambda: VirtualClock(-1.0), "period=-1.0"),
        (lambda: VirtualClock(1e-12), "below a nanosecond"),
        (lambda: VirtualClock(1e-3, offset=-1.0), "offset=-1.0"),
        (lambda: Lockstep().run(1.0), "no node"),
    ],
)
def test_bad_clocks_are_refused(make, says):
    with pytest.raises(tg.InputError, match=says):
        make()


def test_nodes_in_lockstep_run_in_the_order_of_their_times():
    """Periods 3 and 2 ms, the second from 1 ms on: the union of two combs, the first added first where they meet."""
    line, told = Lockstep(), []

    def noting(name):
        return lambda tick: told.append((line.timeline.nanoseconds // MS, name, tick))

    line.add(noting("a"), period=3e-3)
    line.add(noting("b"), period=2e-3, offset=1e-3)
    line.run(6e-3)
    first = list(told)
    line.run(6e-3)
    assert first == [(0, "a", 0), (1, "b", 0), (3, "a", 1), (3, "b", 1), (5, "b", 2)]
    assert told[len(first) :] == [(6, "a", 2), (7, "b", 3), (9, "a", 3), (9, "b", 4), (11, "b", 5)]


def test_a_million_virtual_seconds_do_not_drift():
    line = Timeline()
    virtual = VirtualClock(1e-3, timeline=line)
    virtual.tick = 10**9 - 1  # as if they had passed
    assert virtual.wait() == 10**9
    assert line.nanoseconds == 10**15
    assert virtual.deadlines.missed == 0


def test_virtual_time_never_goes_back():
    line = Timeline(nanoseconds=5 * MS)
    late = VirtualClock(1e-3, timeline=line)
    assert [late.wait() for _ in range(3)] == [0, 1, 2]
    assert line.nanoseconds == 5 * MS
    assert late.deadlines.lateness.largest == 5e-3


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=300), st.sampled_from([0.0, 1.0, 50.0, 99.0, 100.0]))
def test_percentiles_are_those_of_the_record_within_a_sixty_fourth(values, percent):
    seen = Latencies()
    for value in values:
        seen.add(value)
    truth = 1e-9 * float(np.percentile(np.array(values, dtype=float), percent, method="inverted_cdf"))
    assert truth * (1 - 1e-12) <= seen.percentile(percent) <= truth * (1 + 1 / 64) + 1e-15
    assert seen.largest == pytest.approx(1e-9 * max(values), rel=1e-12)
    assert seen.mean == pytest.approx(1e-9 * sum(values) / len(values), rel=1e-12)


def test_what_cannot_be_is_counted_at_the_ends():
    seen = Latencies()
    seen.add(-5)
    seen.add(2**80)
    assert (seen.count, seen.percentile(50.0), seen.largest) == (2, 0.0, pytest.approx(2**63 * 1e-9))
    assert Latencies().percentile(99.0) == 0.0
    assert Deadlines().summary()["lateness_p99"] == 0.0


@pytest.mark.realtime
def test_a_clock_may_wait_in_any_thread():
    real, ticks = RealClock(1e-3), []
    thread = threading.Thread(target=lambda: ticks.extend(real.wait() for _ in range(3)))
    thread.start()
    thread.join(5.0)
    assert ticks == sorted(set(ticks))
    assert len(ticks) == 3
