"""What every unit of C begins with, the few functions by which Python's arithmetic differs from C's, and names that
C would take for something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, count

from tegotae.compile.translate.types import REAL, TRUTH, WHOLE, Array

_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm typeof bool true false complex imaginary I NULL NAN INFINITY errno signgam HUGE_VAL EOF assert main
EXPORT INSIDE LONG word none"""
_LIBRARY = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
fma fmax fmin fmod frexp hypot ilogb isfinite isgreater isinf isless isnan isnormal ldexp lgamma llrint llround log
log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn signbit
sin sinh sqrt tan tanh tgamma trunc y0 y1 yn j0 j1 jn gamma drem finite significand scalb exp10 pow10 sincos near far
memcpy memmove memset memcmp strlen abs labs abort div ldiv free malloc calloc realloc qsort bsearch rand srand
system getenv atof atoi atol strtod exit index signal time clock stdin stdout stderr unix linux"""


# Functions, tables and types of the translator's own.
_OURS = re.compile(r"k\d*_|table_|tuple|(real|whole|truth)s\d|copy_|arg\d|_")


def plain(name: str) -> str:
    """The name itself if C leaves it free, else with a mark behind it, so that no two names become one.

    Names that end in _ without being so marked belong to the translator.
    """
    name = in_ascii(name)
    taken = name in RESERVED or name.endswith(("_", "_t", "_record", "_strided"))
    return name + "_" if taken or _OURS.match(name) else name


def unused(name: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number from 2 on under which nothing else is known."""
    return next(candidate for candidate in chain([name], (f"{name}_{i}" for i in count(2))) if candidate not in taken)


def in_ascii(name: str) -> str:
    """The name with a number for every letter that not all compilers know."""
    return "".join(letter if letter.isascii() else f"u{ord(letter):x}" for letter in name)


# More numbers than this have no place on the stack.
LARGEST_BUFFER = 4096
PRELUDE = """/* Made by tegotae from Python kernels; do not edit. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define INSIDE static inline __attribute__((always_inline))
#define RARE static __attribute__((noinline, cold))
#define EXPORT __attribute__((visibility("default")))
#else
#define INSIDE static inline
#define RARE static
#define EXPORT
#endif
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#define LONG static __attribute__((noinline, target("prefer-vector-width=512")))
#else
#define LONG static inline
#endif

typedef union { double f; int64_t i; void *p; } word;"""

# A helper is printed where its name is called; one that needs another stands behind it.
HELPERS = {
    "wrap": """/* Python counts negative indices from the end. */
static inline int64_t wrap(int64_t i, int64_t n) { return i < 0 ? i + n : i; }""",
    "clip": """/* Where a slice begins or ends: never outside. */
static inline int64_t clip(int64_t i, int64_t n)
{
    const int64_t j = i < 0 ? i + n : i;
    return j < 0 ? 0 : (j > n ? n : j);
}""",
    "span": """static inline int64_t span(int64_t begin, int64_t end) { return end > begin ? end - begin : 0; }""",
    "floordiv": """/* Division rounds down; by zero it gives 0. */
static inline int64_t floordiv(int64_t a, int64_t b)
{
    if (b == 0) { return 0; }
    if (b == -1) { return (int64_t)(0 - (uint64_t)a); }
    const int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}""",
    "floormod": """/* The remainder has the sign of the divisor; by zero it is 0. */
static inline int64_t floormod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) { return 0; }
    const int64_t r = a % b;
    return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
}""",
    "floormod_real": """static inline double floormod_real(double a, double b)
{
    const double r = fmod(a, b);
    if (r != 0.0) { return (b < 0.0) != (r < 0.0) ? r + b : r; }
    return r == r ? copysign(0.0, b) : r;
}""",
    "floordiv_real": """static inline double floordiv_real(double a, double b)
{
    const double r = fmod(a, b);
    const double m = (r != 0.0 && (b < 0.0) != (r < 0.0)) ? 1.0 : 0.0;
    const double q = (a - r) / b - m;
    if (b == 0.0) { return a / b; }
    if (q == 0.0) { return copysign(0.0, a / b); }
    const double whole_part = floor(q);
    return q - whole_part > 0.5 ? whole_part + 1.0 : whole_part;
}""",
    "powi": """static inline double powi(double a, int64_t b)
{
    uint64_t left = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    double product = 1.0;
    if (left > 65536) { return pow(a, (double)b); }
    for (; left != 0; left >>= 1) {
        if (left & 1) { product *= a; }
        a *= a;
    }
    return b < 0 ? 1.0 / product : product;
}""",
    "whole": """/* Towards zero; what no whole number can hold gives the smallest one. */
static inline int64_t whole(double x)
{
    return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}""",
    "shift_left": """static inline int64_t shift_left(int64_t a, int64_t b)
{
    return b >= 0 && b < 64 ? (int64_t)((uint64_t)a << b) : 0;
}""",
    "shift_right": """static inline int64_t shift_right(int64_t a, int64_t b)
{
    return b >= 0 && b < 64 ? a >> b : (a < 0 ? -1 : 0);
}""",
}

RESERVED = frozenset([*(_KEYWORDS + " " + _LIBRARY).split(), *HELPERS])


def copier(name: str, target_type: str, target: Array, source_type: str, source: Array) -> str:
    """A function that copies b into a, whose first dimensions b may lack, as if b were read before a is written."""
    n, lacks = target.dimensions, target.dimensions - source.dimensions
    places = [f"i{d}" for d in range(n)]
    value = f"b.p[{_place('b', source, places[lacks:])}]"
    if target.element is TRUTH and source.element is not TRUTH:
        value = f"({value} != 0)"
    elif target.element is WHOLE and source.element is REAL:
        value = f"whole({value})"
    element = target.element.stored
    extents = [f"const int64_t n{d} = a.n{d};" for d in range(lacks)]
    extents += [f"const int64_t n{d} = a.n{d} < b.n{d - lacks} ? a.n{d} : b.n{d - lacks};" for d in range(lacks, n)]
    loops = " ".join(f"for (int64_t i{d} = 0; i{d} < n{d}; ++i{d})" for d in range(n))
    size = " * ".join(f"n{d}" for d in range(n))
    order = places[0]
    for d in range(1, n):
        order = f"({order}) * n{d} + i{d}"
    return f"""static inline void {name}({target_type} a, {source_type} b)
{{
    {" ".join(extents)}
    const int64_t size = {size};
    if (size <= 0) {{ return; }}
    const uintptr_t a_low = {_end("a", target, "<")}, a_high = {_end("a", target, ">")};
    const uintptr_t b_low = {_end("b", source, "<")}, b_high = {_end("b", source, ">")};
    if (a_high < b_low || b_high < a_low) {{
        {loops} {{ a.p[{_place("a", target, places)}] = ({element}){value}; }}
        return;
    }}
    {element} small[{LARGEST_BUFFER}];
    {element} *const temporary = size <= {LARGEST_BUFFER} ? small : malloc((size_t)size * sizeof *temporary);
    if (!temporary) {{ abort(); }}
    {loops} {{ temporary[{order}] = ({element}){value}; }}
    {loops} {{ a.p[{_place("a", target, places)}] = temporary[{order}]; }}
    if (temporary != small) {{ free(temporary); }}
}}"""


def _place(name: str, kind: Array, places: list[str]) -> str:
    if not kind.contiguous:
        return " + ".join(f"{place} * {name}.s{d}" for d, place in enumerate(places))
    code = places[0]
    for d in range(1, len(places)):
        code = f"({code}) * {name}.n{d} + {places[d]}"
    return code


def _end(name: str, kind: Array, sign: str) -> str:
    """The lowest or highest address of an array that is not empty."""
    if kind.contiguous:
        last = " * ".join(f"{name}.n{d}" for d in range(kind.dimensions)) + " - 1"
        return f"(uintptr_t)({name}.p{'' if sign == '<' else f' + ({last})'})"
    terms = " + ".join(f"({name}.s{d} {sign} 0 ? ({name}.n{d} - 1) * {name}.s{d} : 0)" for d in range(kind.dimensions))
    return f"(uintptr_t)({name}.p + {terms})"
