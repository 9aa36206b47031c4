"""Small dense linear algebra for coupled steps; sizes of a few, so nothing is worth a library call."""

from tegotae.compile import kernel


@kernel
def eliminate(A, B):
    """Solve A X = B by elimination with row pivots; X replaces B and A is used up. False if A is singular."""
    n, m = A.shape[0], B.shape[1]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if A[pivot, k] == 0.0:
            return False
        if pivot != k:
            for j in range(n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            for j in range(m):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
            for j in range(m):
                B[i, j] -= factor * B[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(m):
            for i in range(k + 1, n):
                B[k, j] -= A[k, i] * B[i, j]
            B[k, j] /= A[k, k]
    return True


@kernel
def solve_one(n, A, x, pivoting):
    """Solve A y = x for the first n rows, y in the place of x and A used up. The sign of det A; 0 if it is singular.

    Rows need not be exchanged (pivoting) where A is symmetric and positive.
    """
    sign = 1.0
    for k in range(n):
        best = k
        if pivoting:
            for i in range(k + 1, n):
                if abs(A[i, k]) > abs(A[best, k]):
                    best = i
        if not abs(A[best, k]) > 0.0:  # also if it is no number
            return 0.0
        if best != k:
            sign = -sign
            x[k], x[best] = x[best], x[k]
            for j in range(k, n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        if A[k, k] < 0.0:
            sign = -sign
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
                x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    return sign


@kernel
def solve_symmetric(n, A, x):
    """Solve A y = x for the first n rows of a symmetric positive A, y in the place of x. False if it is singular.

    Only the upper half of A is read, and used up. What lies beyond the last number of a row that is not 0 is left out.
    """
    for k in range(n):
        if not abs(A[k, k]) > 0.0:  # also if it is no number
            return False
        end = n
        while A[k, end - 1] == 0.0:
            end -= 1
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, end):
            factor = A[k, i] * inverse
            if factor != 0.0:
                for j in range(i, end):
                    A[i, j] -= factor * A[k, j]
                x[i] -= factor * x[k]
        A[k, k] = inverse
    for k in range(n - 1, -1, -1):
        x[k] *= A[k, k]
        for i in range(k):
            x[i] -= A[i, k] * x[k]
    return True
