"""Rotations in kernels."""

import math

from tegotae.compile import kernel


@kernel
def quaternion(R, y):
    """The quaternion of a rotation into y[3:7], by its largest part."""
    t = R[0, 0] + R[1, 1] + R[2, 2]
    if t > max(R[0, 0], R[1, 1], R[2, 2]):
        a = 2.0 * math.sqrt(1.0 + t)
        y[3], y[4], y[5], y[6] = a / 4, (R[2, 1] - R[1, 2]) / a, (R[0, 2] - R[2, 0]) / a, (R[1, 0] - R[0, 1]) / a
        return
    i = 0
    if R[1, 1] > R[i, i]:
        i = 1
    if R[2, 2] > R[i, i]:
        i = 2
    j, k = (i + 1) % 3, (i + 2) % 3
    a = 2.0 * math.sqrt(1.0 + R[i, i] - R[j, j] - R[k, k])
    y[3] = (R[k, j] - R[j, k]) / a
    y[4 + i], y[4 + j], y[4 + k] = a / 4, (R[j, i] + R[i, j]) / a, (R[k, i] + R[i, k]) / a
