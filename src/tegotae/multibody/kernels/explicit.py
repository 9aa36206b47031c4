"""Ticks of a scene whose forces are those of its start: without friction, contacts as plain springs."""

from tegotae.block import Halves
from tegotae.compile import kernel
from tegotae.multibody.kernels.joints import prepare_joints
from tegotae.multibody.kernels.kinematics import move, rates_of, spin_evenly, straighten
from tegotae.multibody.kernels.passes import backward, forward_two
from tegotae.multibody.kernels.places import spring_wrenches
from tegotae.multibody.kernels.stepping import (
    feed,
    no_answer,
    push_bodies,
    reposition,
    restore,
    show,
    tell_forces,
)


@kernel
def rate(p, s, w, q, v, a, T):
    """Accelerations at q and v with everything explicit, but for the spin of free bodies if T > 0."""
    reposition(p, w, q, v)
    if T > 0.0:
        spin_evenly(p, w.S, T)
    w.pushed[0] = 1  # contacts add to it
    push_bodies(p, s, w)
    spring_wrenches(p, s, w)
    prepare_joints(p, w, q, v, 0.0)
    backward(p.parent, p.kind, p.vi, p.C, w.free_tau, w.free_slope, w.wrench, w.S)
    forward_two(p.parent, p.kind, p.vi, p.g, w.S, a)


@kernel
def see(p, s, w):
    """Gaps and forces as they are at the end of a tick."""
    if len(p.which) > 0:
        reposition(p, w, s.q, s.v)
        spring_wrenches(p, s, w)
        tell_forces(p, s, w)
    show(p, s, w)


@kernel
def symplectic_advance(p, s, w, h, v, T):
    """v1 = v + T a(q, v), q1 = q + T v1; the spin of free bodies by the midpoint rule."""
    feed(p, s, w)
    rate(p, s, w, s.q, s.v, w.a, T)
    for o in range(len(s.v)):
        s.v[o] += T * w.a[o]
    move(p, s.q, s.v, T, s.q)
    see(p, s, w)


@kernel
def rk4_advance(p, s, w, h, v, T):
    """The classical method of fourth order; quaternions are brought back to length 1 after each step."""
    feed(p, s, w)
    nq, nv, stages = len(s.q), len(s.v), w.stages
    for i in range(4):
        ahead = 0.0 if i == 0 else (T if i == 3 else 0.5 * T)
        # stages[0..3]: dq/dt, then dv/dt; stages[4]: the point looked at
        for j in range(nq):
            stages[4, j] = s.q[j] + (ahead * stages[i - 1, j] if i > 0 else 0.0)
        for o in range(nv):
            stages[4, nq + o] = s.v[o] + (ahead * stages[i - 1, nq + o] if i > 0 else 0.0)
        here, speed = stages[4, :nq], stages[4, nq : nq + nv]
        a = stages[i, nq : nq + nv]
        rate(p, s, w, here, speed, a, 0.0)
        rates_of(p, here, speed, stages[i, :nq])
    for j in range(nq):
        s.q[j] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    for j in range(nq, nq + nv):
        s.v[j - nq] += T / 6.0 * (stages[0, j] + 2.0 * stages[1, j] + 2.0 * stages[2, j] + stages[3, j])
    straighten(p, s.q)
    see(p, s, w)


def explicit_kernels(advance):
    """Of one of the methods above."""
    return Halves(no_answer, advance, restore=restore)
