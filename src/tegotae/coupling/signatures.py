"""How a circuit's loop that ships calls blocks by their addresses: the contracts of `tegotae.block`, as types.

Real and whole numbers of p, s and w come first; of a group in columns (see `Group.in_columns`) the real ones of p and s
lie apart.
"""

from tegotae.compile import Signature

_OWN = "reals, wholes, reals, wholes, reals, wholes"
_COLUMN = "column, wholes, column, wholes, reals, wholes"

LINE_RESIST = Signature(f"{_OWN}, real, real -> real, real")
LINE_COMMIT = Signature(f"{_OWN}, real, real ->")
LINE_MOVE = Signature(f"{_OWN}, real, real -> real, real")
LINE_KEEP = Signature(f"{_OWN}, real, real, real ->")
LINE_PREPARE = Signature(f"{_OWN}, real ->")
LINE_RESTORE = Signature(f"{_OWN} ->")

COLUMN_RESIST = Signature(f"{_COLUMN}, real, real -> real, real")
COLUMN_COMMIT = Signature(f"{_COLUMN}, real, real ->")
COLUMN_PREPARE = Signature(f"{_COLUMN}, real ->")
COLUMN_RESTORE = Signature(f"{_COLUMN} ->")

SPACE_RESIST = Signature(f"{_OWN}, reals, real, reals, matrix ->")
SPACE_COMMIT = Signature(f"{_OWN}, reals, real ->")
SPACE_MOVE = Signature(f"{_OWN}, reals, real, reals, matrix ->")
SPACE_KEEP = Signature(f"{_OWN}, reals, reals, real ->")
