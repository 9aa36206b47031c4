"""Names of Python under which C means something else."""

from __future__ import annotations

import re

_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm typeof bool true false complex imaginary I NULL NAN INFINITY errno signgam HUGE_VAL EOF assert main
EXPORT INSIDE LONG word none"""
_LIBRARY = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
fma fmax fmin fmod frexp hypot ilogb isfinite isgreater isinf isless isnan isnormal ldexp lgamma llrint llround log
log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn signbit
sin sinh sqrt tan tanh tgamma trunc y0 y1 yn j0 j1 jn gamma drem finite significand scalb exp10 pow10 sincos near far
memcpy memmove memset memcmp strlen abs labs abort div ldiv free malloc calloc realloc qsort bsearch rand srand
system getenv atof atoi atol strtod exit index signal time clock stdin stdout stderr unix linux
wrap clip span floordiv floormod floordiv_real floormod_real powi whole shift_left shift_right copy_numbers"""
RESERVED = frozenset((_KEYWORDS + " " + _LIBRARY).split())


# Functions, tables and types of the translator's own.
_OURS = re.compile(r"k\d*_|table_|tuple|(real|whole|truth)s\d|copy_|arg\d|_")


def plain(name: str) -> str:
    """The name itself if C leaves it free, else with a mark behind it, so that no two names become one.

    Names that end in _ without being so marked belong to the translator.
    """
    name = in_ascii(name)
    taken = name in RESERVED or name.endswith(("_", "_t", "_record", "_strided"))
    return name + "_" if taken or _OURS.match(name) else name


def in_ascii(name: str) -> str:
    """The name with a number for every letter that not all compilers know."""
    return "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in name)
