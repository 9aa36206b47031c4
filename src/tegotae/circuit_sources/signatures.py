"""How a circuit's loop that ships calls blocks by their addresses: the contracts of `tegotae.block`, as types."""

from tegotae.compile import Signature

LINE_RESIST = Signature("reals, reals, real, real -> real, real")
LINE_COMMIT = Signature("reals, reals, real, real ->")
# Of a group in columns; see `Group.in_columns`.
COLUMN_RESIST = Signature("column, column, real, real -> real, real")
COLUMN_COMMIT = Signature("column, column, real, real ->")
LINE_MOVE = Signature("reals, reals, real, real -> real, real")
LINE_KEEP = Signature("reals, reals, real, real, real ->")

SPACE_RESIST = Signature("reals, reals, reals, real, reals, matrix ->")
SPACE_COMMIT = Signature("reals, reals, reals, real ->")
SPACE_MOVE = Signature("reals, reals, reals, real, reals, matrix ->")
SPACE_KEEP = Signature("reals, reals, reals, reals, real ->")
