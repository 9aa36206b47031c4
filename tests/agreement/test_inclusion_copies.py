"""Inclusions and the machines made of them, pickled and copied after use: the copies move as the first did."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sympy import Symbol

from tegotae.inclusion import Contact, Friction, Inclusion

PARTS = {"contact": Contact(stiffness=1e4, damping=10.0), "friction": Friction(stiffness=1e4, damping=10.0)}
ROWS = {"p": "v", "v": "push + dio(p, 'floor') - 9.81 - coulomb(3, v, 'rub')"}
RECORD = {"push": ([0.0, 0.02, 0.05], [0.0, 5.0, -5.0])}


def pushed():
    return Inclusion(ROWS, inputs=RECORD)


def fed():
    return Inclusion(ROWS, {Symbol("push", real=True): 2.0})


def tick(live):
    return np.array([[*live.step({"push": push}).values(), live["floor"]] for push in (1.0, 60.0, 60.0)])


# What is made, and the numbers that it gives.
MACHINES = {
    "inclusion": (pushed, lambda machine: machine.to_ode(**PARTS).solve((0.0, 0.05), {"p": 0.01}).p),
    "ode": (lambda: pushed().to_ode(**PARTS), lambda ode: ode.solve((0.0, 0.05), {"p": 0.01}, method="Radau").p),
    "stepper": (lambda: fed().to_stepper(period=1e-3, **PARTS), lambda made: made.run(ticks=50, initial={"p": 0.01}).v),
    "stepper by euler": (
        lambda: fed().to_stepper(period=1e-3, method="euler", **PARTS),
        lambda made: made.run(ticks=50, initial={"p": 0.01}).v,
    ),
    "live": (lambda: fed().to_stepper(period=1e-3, **PARTS).start(), tick),
    "exact": (lambda: pushed().to_events(restitution=0.5), lambda made: made.solve((0.0, 0.05), {"p": 0.01}).v),
    "admittance": (
        lambda: fed().to_stepper(period=1e-3, **PARTS).as_admittance(force="push", velocity="v"),
        lambda made: made.run(np.full(50, 4.0), period=1e-3).velocity,
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_copies_of_used_machines_move_as_they_do(name):
    make, numbers = MACHINES[name]
    machine = make()
    numbers(machine)  # used
    copies = [copy.copy(machine), copy.deepcopy(machine), pickle.loads(pickle.dumps(machine))]
    wanted = numbers(machine)
    assert np.ptp(wanted) > 0.0
    for other in copies:
        assert np.array_equal(numbers(other), wanted)
        assert repr(other).partition(", time")[0] == repr(machine).partition(", time")[0]


def test_another_process_computes_the_same():
    """One process for all of them: it unpickles, runs, and sends the numbers back."""
    machines = {name: make() for name, (make, _) in MACHINES.items()}
    for name, machine in machines.items():
        MACHINES[name][1](machine)
    sent = pickle.dumps(machines)
    program = (
        "import pickle, sys; from test_inclusion_copies import MACHINES; machines = pickle.load(sys.stdin.buffer)\n"
        "told = {name: MACHINES[name][1](machine) for name, machine in machines.items()}\n"
        "sys.stdout.buffer.write(pickle.dumps(told))"
    )
    folder = str(__file__).rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr.decode()
    told = pickle.loads(done.stdout)
    for name, machine in machines.items():
        assert np.array_equal(told[name], MACHINES[name][1](machine)), name
