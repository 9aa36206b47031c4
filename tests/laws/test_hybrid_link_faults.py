"""A bad network on purpose: what is asked for happens, is counted, repeats with its seed, and harms nothing."""

import itertools
import math
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tegotae as tg
from tegotae.hybrid import Command, Faults, Lockstep, Measurement, MemoryLink, Settings, Stop, VirtualClock

T = 2e-3  # s
MS = 1_000_000  # ns


def flight(faults, ticks=2000, back=None, max_age=10.0):
    """A command a tick from one node to another, which looks once a tick; what came in, and both links."""
    clock = VirtualClock(T)
    one, two = MemoryLink.pair(clock, there=faults, back=back, max_age=max_age)
    came = []
    for _ in range(ticks):
        tick = clock.wait()
        one.send(Command(label=float(tick)))
        packet = two.receive()
        came.append(None if packet is None else int(packet.label))
    return came, one, two


def test_without_faults_everything_comes_at_once():
    came, _, two = flight(Faults(), ticks=100)
    assert came == list(range(100))
    assert two.statistics.loss == 0.0


@pytest.mark.parametrize("late", [1, 5, 10])
def test_a_delay_of_whole_periods_is_exactly_that(late):
    came, _, two = flight(Faults(delay=late * T), ticks=50)
    assert came == [None] * late + list(range(50 - late))
    assert two.statistics.lost == two.statistics.reordered == 0


def test_a_delay_between_two_looks_is_found_at_the_next():
    came, _, _ = flight(Faults(delay=1.5 * T), ticks=20)
    assert came == [None, None, *range(18)]


def test_the_same_seed_gives_the_same_flight_and_another_does_not():
    bad = {"delay": 3e-3, "jitter": 8e-3, "loss": 0.3, "duplication": 0.1, "reordering": 0.1, "corruption": 0.05}
    first, again = (flight(Faults(**bad, seed=1), ticks=500) for _ in range(2))
    assert first[0] == again[0]
    assert first[2].statistics.summary() == again[2].statistics.summary()
    assert first[0] != flight(Faults(**bad, seed=2), ticks=500)[0]


def within(part, count, wanted):
    """Five standard deviations of the binomial: one run in two million falls outside; the seeds are fixed."""
    return abs(part / count - wanted) < 5.0 * math.sqrt(wanted * (1.0 - wanted) / count)


@pytest.mark.parametrize("loss", [0.05, 0.3, 0.5])
def test_as_much_is_lost_as_was_asked_for_and_all_of_it_is_counted(loss):
    came, _, two = flight(Faults(loss=loss))
    missing = sum(label is None for label in came)
    assert within(missing, 2000, loss)
    trailing = next(k for k, label in enumerate(reversed(came)) if label is not None)
    assert two.statistics.lost == missing - trailing, "all but those after which nothing has come yet"
    assert two.statistics.received == 2000 - missing


def test_everything_lost_is_silence():
    came, _, two = flight(Faults(loss=1.0), ticks=100)
    assert set(came) == {None}
    assert two.silence == pytest.approx(99 * T)


def test_copies_are_counted_and_not_handed_on():
    came, _, two = flight(Faults(duplication=0.2))
    assert came == list(range(2000))
    assert within(two.statistics.duplicated, 2000, 0.2)


def test_damaged_packets_are_counted_and_not_handed_on():
    came, _, two = flight(Faults(corruption=0.2))
    handed = [label for label in came if label is not None]
    assert handed == sorted(set(handed))
    seen = two.statistics
    refused = seen.malformed + seen.foreign + seen.wrong_version  # a bit of the version, or of the key's mark
    assert refused == 2000 - len(handed)
    assert within(refused, 2000, 0.2)
    assert seen.malformed > 0.9 * refused


def test_swapped_packets_are_told_from_lost_ones():
    """Each one held back comes with the next, and is late: nothing is lost in the end but the last."""
    came, _, two = flight(Faults(reordering=0.2))
    held = sum(label is None for label in came)
    assert within(held, 2000, 0.2)
    assert two.statistics.reordered == held
    assert two.statistics.lost == 0


def test_jitter_lies_between_its_ends():
    clock = VirtualClock(1e-4)
    one, two = MemoryLink.pair(clock, there=Faults(delay=5e-3, jitter=8e-3), max_age=10.0)
    sent, times = {}, []
    for tick in range(4000):
        clock.wait()
        if tick % 200 == 0:  # so far apart that none can overtake
            one.send(Command(label=float(tick)))
            sent[float(tick)] = clock.now
        packet = two.receive()
        if packet is not None:
            times.append(clock.now - sent[packet.label])
    assert len(times) == 20
    assert min(times) >= 5e-3 - 1e-12
    assert max(times) <= 13e-3 + 1e-4
    assert max(times) - min(times) > 4e-3


parts = st.sampled_from([0.0, 0.1, 0.5])


@settings(deadline=None, max_examples=25)
@given(
    delay=st.sampled_from([0.0, 1e-3, 20e-3]), jitter=st.sampled_from([0.0, 8e-3]), loss=parts, duplication=parts,
    reordering=parts, corruption=parts, drift=st.sampled_from([-1e-3, 0.0, 1e-3]), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_whatever_the_network_does_labels_only_rise_and_every_packet_is_accounted_for(seed, **bad):
    """No mixture hands on an older command after a newer one, or one twice, or one that was never sent."""
    came, one, two = flight(Faults(**bad, seed=seed), ticks=150)
    handed = [label for label in came if label is not None]
    assert handed == sorted(set(handed))
    assert all(label <= tick for tick, label in enumerate(came) if label is not None)
    seen = two.statistics
    assert seen.received == len(handed) + seen.superseded + seen.reordered
    assert seen.received + seen.lost <= one.statistics.sent == 150
    assert seen.replayed == seen.too_old == seen.unmet == 0


@pytest.mark.parametrize("drift", [-0.1, -1e-4, 1e-4, 0.1])
def test_clocks_that_drift_apart_change_no_age(drift):
    """Up to ten seconds apart in the end, still nothing is too old: ages are round trips, by one clock each."""
    clock = VirtualClock(1.0)
    one, two = MemoryLink.pair(clock, there=Faults(drift=drift), max_age=0.5)
    for tick in range(100):
        clock.wait()
        one.send(Command(label=float(tick)))
        assert two.receive() == Command(label=float(tick))
        two.send(Measurement(label=float(tick)))
        assert one.receive() is not None
    assert one.statistics.too_old == two.statistics.too_old == 0
    assert one.statistics.clock_steps == two.statistics.clock_steps == 0


def test_a_delay_beyond_the_largest_age_lets_nothing_through_but_a_stop():
    clock = VirtualClock(T)
    one, two = MemoryLink.pair(clock, there=Faults(delay=0.1), max_age=0.05)
    came = []
    for tick in range(200):
        clock.wait()
        one.send(Stop() if tick == 100 else Command(label=float(tick)))
        two.send(Measurement(label=0.0))
        one.receive()
        came.append(two.receive())
    assert set(came) == {None, Stop()}
    assert came.index(Stop()) == 150
    assert two.statistics.too_old == 149
    assert two.silence == pytest.approx(199 * T), "packets that are too old are no sign of life"


def test_both_directions_add_up_to_the_round_trip():
    clock = VirtualClock(1e-3)
    one, two = MemoryLink.pair(clock, there=Faults(delay=3e-3), back=Faults(delay=4e-3), max_age=1.0)
    for _ in range(30):
        clock.wait()
        one.send(Command(label=0.0))
        two.receive()
        two.send(Measurement(label=0.0))
        one.receive()
    assert one.round_trip == pytest.approx(7e-3, abs=1e-12)
    assert two.round_trip == pytest.approx(7e-3, abs=1e-12)


def test_nodes_in_lockstep_over_a_bad_network_repeat_bit_by_bit():
    """A mass between two springs, one of them at the far end of the link: any chance would change its last bit."""

    def run():
        line, trace = Lockstep(), []
        link, far = MemoryLink.pair(
            VirtualClock(T, timeline=line.timeline),
            there=Faults(jitter=5e-3, loss=0.2, seed=3),
            back=Faults(delay=1e-3, loss=0.2, reordering=0.1, seed=4),
        )
        mass = {"x": 0.1, "v": 0.0, "f": 0.0}

        def dynamics(tick):
            packet = link.receive()
            if isinstance(packet, Measurement):
                mass["f"] = packet.wrench[0]
            mass["v"] += T * (mass["f"] - 10.0 * mass["x"])
            mass["x"] += T * mass["v"]
            link.send(Command(label=tick * T, pose=(mass["x"], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
            trace.append(mass["x"])

        def table(_):
            packet = far.receive()
            if isinstance(packet, Command):
                far.send(Measurement(label=packet.label, wrench=(-30.0 * packet.pose[0], 0, 0, 0, 0, 0)))

        line.add(dynamics, period=T)
        line.add(table, period=1e-3, offset=5e-4)
        line.run(2.0)
        return trace

    first = run()
    assert first == run()
    assert len(first) == 1000
    assert len(set(itertools.islice(first, 500, 600))) > 50, "it moves"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"delay": -1.0}, "delay=-1.0"),
        ({"jitter": math.nan}, "jitter=nan"),
        ({"loss": 1.5}, "loss=1.5 must be <= 1"),
        ({"loss": 30}, "loss=30.0 must be <= 1"),
        ({"duplication": -0.1}, "duplication=-0.1"),
        ({"corruption": "much"}, "corruption='much'"),
        ({"drift": 0.5}, "drift=0.5"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 0.5}, "seed=0.5"),
    ],
)
def test_bad_faults_are_refused(changes, says):
    with pytest.raises(tg.InputError, match=says):
        Faults(**changes)


def test_settings_of_a_link_are_no_faults():
    """Their delay is that of the whole loop, half on either way: taken for a link's own it would count twice."""
    links = Settings().link
    with pytest.raises(tg.InputError, match=r"LinkSettings\(.* is not a Faults"):
        MemoryLink.pair(VirtualClock(T), there=links)
    written = Settings().toml().partition("[link]\n")[2].partition("\n[")[0].splitlines()
    names = [line.partition(" = ")[0] for line in written if line]
    assert names[:4] == ["dynamics", "table", "table_device", "device"]
    assert {*names[4:]} == {"key", "max_age", *(each.name for each in fields(Faults))}


def test_the_first_of_all_may_come_late_too():
    """Half of the flights hold the first packet back; its gap is filled in every one."""
    for seed in range(8):
        _, _, two = flight(Faults(reordering=0.5, seed=seed), ticks=50)
        assert two.statistics.lost == 0
