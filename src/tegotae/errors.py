"""The errors of tegotae. Each names what it got and the way out."""


class TegotaeError(Exception):
    """What every error of this package is."""


class InputError(TegotaeError, ValueError):
    """An argument that means nothing: the message names it, its value and the way out.

    Example:
        >>> import tegotae as tg
        >>> try:
        ...     tg.Coulomb(-1.0)
        ... except tg.InputError as error:
        ...     print(error)
        Coulomb: limit=-1.0 N must be > 0.
          Give the largest friction force as a positive magnitude.
    """


class UniquenessError(InputError):
    """Parameters that leave more than one motion possible: the message gives the smallest ones that do not."""


class CausalityError(TegotaeError, TypeError):
    """Blocks wired so that one lacks what it takes: two admittances, or no admittance at all."""


class FileError(TegotaeError, OSError):
    """A file that is missing, corrupt or cannot be written; nothing half-written is left behind."""


class MissingExtraError(TegotaeError, ImportError):
    """A package that only a part of tegotae needs is not installed; the message names it and its extra."""


class DivergenceWarning(UserWarning):
    """A run whose numbers are not finite from some time on; the message says from when."""


class LeftOutWarning(UserWarning):
    """A table that does not hold all of a result; the message names what was left out, and formats that hold all."""


class UnsolvedWarning(UserWarning):
    """Steps of a machine that found no solution: the message says how many, of which machine, and what helps."""


class SingularWarning(UserWarning):
    """A mechanism that passed positions in which its loops do not say how it moves on; the message says how often."""
