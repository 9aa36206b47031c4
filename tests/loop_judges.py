"""How runs of closed loops are judged: their order, and that loops stay closed."""

import numpy as np
import pytest

# Loops are closed in every tick, to what its solver leaves: no drift that adds up.
CLOSED = 1e-10  # m and rad


def rounded(angles):
    """Less whole turns."""
    return angles - 2.0 * np.pi * np.round(np.asarray(angles) / (2.0 * np.pi))


def check_second_order(periods, errors):
    """Ticks are of second order: errors ~ C T². Three periods, each half of the last, tell the slope to 0.1: the next
    term, of T³ or T⁴, is small where errors are below 1e-2."""
    assert max(errors) < 1e-2, errors
    assert np.polyfit(np.log(periods), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1), errors


def check_closed(reference, run, rows=12):
    """How far the links' coordinates, by themselves, leave the loops open."""
    for q in np.asarray(run.q)[np.linspace(0, len(run.q) - 1, rows).astype(int)]:
        assert np.abs(reference.constraints(reference.state(q))[0]).max() < CLOSED


def aligned(mechanism, q, like):
    """q with quaternions of the same sign and angles of the same turn as another's."""
    q, i = np.array(q), 0
    for one in (*mechanism.links, *mechanism.closures):
        kind = one.joint.kind
        if kind in ("spherical", "free"):
            i += 3 * (kind == "free")
            q[i : i + 4] *= np.sign(q[i : i + 4] @ like[i : i + 4])
            i += 4
            continue
        for number in {"prismatic": [0], "planar": [0, 0, 1], "cylindrical": [0, 1], "universal": [1, 1]}.get(
            kind, [1]
        ):
            if number:
                q[i] -= 2.0 * np.pi * np.round((q[i] - like[i]) / (2.0 * np.pi))
            i += 1
    return q
