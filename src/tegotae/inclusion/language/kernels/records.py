"""A record as a function of the time: lines between its points, held before the first and after the last."""

from tegotae.compile import kernel


def record_kernel(times, values):
    """The function of one record; by bisection, for integrators ask for times in any order."""

    @kernel
    def record(t):
        low, high = 0, times.shape[0] - 1
        if t <= times[low]:
            return values[low]
        if t >= times[high]:
            return values[high]
        while high - low > 1:
            middle = (low + high) // 2
            if times[middle] <= t:
                low = middle
            else:
                high = middle
        part = (t - times[low]) / (times[high] - times[low])
        return (1.0 - part) * values[low] + part * values[high]

    return record
