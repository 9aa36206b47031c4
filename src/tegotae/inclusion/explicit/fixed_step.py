"""Fixed-step integrators, as source that the generated module of an ODE carries: one loop, no Python in it.

`W` is room for the last state and the slopes of the stages, (6, N);
 `times` are increasing; steps of length T end with one of length `left`, if > 0.
Each loop returns how many steps were taken before a state stopped being finite.
"""

_LOOP = """
@entry
def {name}(start, T, steps, left, y, p, A, B, W, times, out):
    k = 0
    rows(start, y, p, A, B, W[1])
    while k < times.size and times[k] <= start:
        copy(y, out, k)
        k += 1
    total = steps + (1 if left > 0.0 else 0)
    for step in range(total):
        t = start + step * T
        h = T if step < steps else left
        copy(y, W, 0)
        # One place calls the rows, or the compiler would copy them into every stage. The last slopes, those at the
        # end, are the first of the next step: interpolation costs nothing.
        for s in range({stages}):
            for i in range(y.size):
{stage}
            rows(t + {when}, y, p, A, B, W[s + 2])
        whole = 0.0
        for i in range(y.size):
            whole += abs(y[i]) + abs(W[{stages} + 1, i])
        if not whole < np.inf:
            return step
        end = t + h + 1e-9 * h
        while k < times.size and times[k] <= end:
            q = (times[k] - t) / h
            cubic(1.0 if q > 1.0 - 1e-9 else q, h, W, 1, {stages} + 1, y, out, k)
            k += 1
        copy(W[{stages} + 1], W, 1)
    return total
"""

RK4 = _LOOP.format(
    name="rk4",
    stages=4,
    when="(0.5 * h if s < 2 else h)",
    stage="""\
                if s < 3:
                    y[i] = W[0, i] + (0.5 * h if s < 2 else h) * W[s + 1, i]
                else:
                    y[i] = W[0, i] + h / 6.0 * (W[1, i] + 2.0 * (W[2, i] + W[3, i]) + W[4, i])""",
)

HEUN = _LOOP.format(
    name="heun",
    stages=2,
    when="h",
    stage="""\
                if s < 1:
                    y[i] = W[0, i] + h * W[1, i]
                else:
                    y[i] = W[0, i] + 0.5 * h * (W[1, i] + W[2, i])""",
)
