"""How the forces of a dual that is solved answer what else acts: its implicit derivative, in the modes that it is in.

With h = (W + diag C) f + b and b moved by db, every row keeps the equation of its mode (see
`coupling/kernels/natural_residual.py`):

- held: dh = 0;
- out of touch: df = 0;
- a joint that slips, whose friction falls by `rise` with its speed: df + rise (dh - C df) = 0;
- a contact that slips, u the direction of y_t = f_t - rho h_t: df_t = mu u df_n + turn (1 - u u')(df_t - rho dh_t),
  where turn = mu f_n/|y_t| tells how far a change of y_t turns the force.
"""

import math

from tegotae.compile import kernel
from tegotae.coupling.kernels.natural_newton import HOLD, OUT, SLIP, choose_modes
from tegotae.coupling.kernels.natural_residual import BOX, CONE, MATRIX, MODE, RHO, H, Problem
from tegotae.kernels.linear import eliminate
from tegotae.multibody.kernels.contacts import at_first, at_second, rows_in
from tegotae.multibody.kernels.records import BODY, FIRST, KINDS, ON, OWNER, B, C, F


@kernel
def row_count(w, blocks):
    """How many rows so many blocks have."""
    return w.blocks[FIRST, blocks - 1] + rows_in(w, blocks - 1)


@kernel
def rows_answer(p, w, blocks, column):
    """How every row of the dual moves by the impulse whose answer stands in S and a, into a column of two arrays."""
    for block in range(blocks):
        start, c = w.blocks[FIRST, block], w.blocks[OWNER, block]
        for row in range(start, start + rows_in(w, block)):
            lever, moved = w.levers[row], 0.0
            if c < 0:
                moved = w.a[-1 - c]
            else:
                moved = at_first(lever, w.S[p.which[c, BODY]])
                if p.which[c, ON] >= 0:
                    moved += at_second(lever, w.S[p.which[c, ON]])
            w.felt[row, column] = w.shift[row, column] = moved


@kernel
def settle_forces(w, blocks):
    """The change of all forces for each change of b in the columns of w.shift, in its place. False if there is none."""
    f, compliance, W, work, shift = w.columns[F], w.columns[C], w.W, w.work, w.shift
    h, rho, mode, A = work[H], work[RHO], work[MODE], work[MATRIX:]
    kinds, first, m = w.blocks[KINDS], w.blocks[FIRST], row_count(w, blocks)
    choose_modes(Problem(m, blocks, True, W, compliance, w.columns[B], kinds, first, w.limit, W), f, work)
    for i in range(m):
        for j in range(m):
            A[i, j] = W[i, j]
        A[i, i] += compliance[i]
    for block in range(blocks):
        i, kind, mu = first[block], kinds[block], w.limit[block]
        if mode[block] == OUT and kind != BOX:
            for row in range(i, i + rows_in(w, block)):
                known_row(m, A, shift, row)
        elif mode[block] == OUT:
            rise = w.rises[block]
            for j in range(m):
                A[i, j] *= rise
            A[i, i] += 1.0 - rise * compliance[i]
            for c in range(shift.shape[1]):
                shift[i, c] *= -rise
        else:
            turn_sign(shift, i)
            if kind == CONE and mu == 0.0:
                known_row(m, A, shift, i + 1)
                known_row(m, A, shift, i + 2)
            elif kind == CONE and mode[block] == HOLD:
                turn_sign(shift, i + 1)
                turn_sign(shift, i + 2)
            elif kind == CONE and mode[block] == SLIP:
                slipping_rows(m, i, mu, f, h, rho, A, shift)
    return eliminate(A[:m, :m], shift[:m])


@kernel
def known_row(m, A, shift, row):
    """A force that does not change."""
    for j in range(m):
        A[row, j] = 0.0
    A[row, row] = 1.0
    for c in range(shift.shape[1]):
        shift[row, c] = 0.0


@kernel
def turn_sign(shift, row):
    """dh = 0: what the forces move makes up for what else does."""
    for c in range(shift.shape[1]):
        shift[row, c] = -shift[row, c]


@kernel
def slipping_rows(m, i, mu, f, h, rho, A, shift):
    """Rows i + 1 and i + 2 of a contact that slips, divided by rho."""
    r = rho[i + 1]
    y1, y2 = f[i + 1] - r * h[i + 1], f[i + 2] - r * h[i + 2]
    size = math.hypot(y1, y2)
    u1, u2 = y1 / size, y2 / size
    turn = mu * f[i] / size
    # Only the part of a change of y_t across u matters, -u2 x1 + u1 x2; it acts along (-u2, u1).
    for j in range(m):
        across = turn * (-u2 * A[i + 1, j] + u1 * A[i + 2, j])
        A[i + 1, j], A[i + 2, j] = -u2 * across, u1 * across
    for c in range(shift.shape[1]):
        across = -turn * (-u2 * shift[i + 1, c] + u1 * shift[i + 2, c])
        shift[i + 1, c], shift[i + 2, c] = -u2 * across, u1 * across
    A[i + 1, i] -= mu * u1 / r
    A[i + 2, i] -= mu * u2 / r
    A[i + 1, i + 1] += (1.0 - turn * u2 * u2) / r
    A[i + 1, i + 2] += turn * u1 * u2 / r
    A[i + 2, i + 1] += turn * u1 * u2 / r
    A[i + 2, i + 2] += (1.0 - turn * u1 * u1) / r
