"""Kernels inside a loop: they become machine code with the loop, not on their own, and do what they do in Python."""

import os
import secrets
import subprocess
import sys

import numpy as np
import pytest

from tegotae.compiling import build, kernel, kernel_sums
from tegotae.linking import Linked


@kernel
def half(x):
    return 0.5 * x


@kernel
def refuse(x, limit):
    if x > limit:
        raise ValueError("too large", x)
    return half(x)


@kernel_sums
def total(values):
    out = 0.0
    for value in values:
        out += half(value)
    return out


LOOP = """
@entry
def loop(values, limit):
    out = 0.0
    for value in values:
        out += refuse(value, limit)
    return out
"""


def test_only_the_loop_becomes_machine_code():
    unheard_of = f"# {secrets.token_hex(8)}{LOOP}"  # so that it is compiled here, whatever the cache holds
    loop = build(unheard_of, (("refuse", refuse),)).loop
    assert loop(np.arange(4.0), 9.0) == 3.0
    (outer,) = loop.overloads.values()
    assert not isinstance(outer.library, Linked)
    assert outer.library.get_pointer_to_function(outer.fndesc.llvm_func_name)
    for inner in (refuse, half):
        (linked,) = inner.overloads.values()
        assert isinstance(linked.library, Linked)
        assert not linked.library.get_pointer_to_function(linked.fndesc.llvm_func_name)


def test_a_kernel_called_from_python_does_what_its_source_says():
    values = np.random.default_rng(1).normal(size=999)
    assert total(values) == pytest.approx(total.py_func(values), rel=1e-12)
    assert half(3) == 1.5
    assert half(np.float32(3.0)) == 1.5
    with pytest.raises(TypeError):
        half(1.0, 2.0)


def test_an_error_inside_a_kernel_comes_out_of_the_loop_with_its_numbers():
    """What a kernel needs of Python for that is found by the loop's machine code."""
    loop = build(LOOP, (("refuse", refuse),)).loop
    with pytest.raises(ValueError) as caught:
        loop(np.arange(4.0), 2.5)
    assert caught.value.args == ("too large", 3.0)


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from tegotae.compiling import build
from refusing import refuse
loop = build(sys.argv[2], (("refuse", refuse),)).loop
try:
    loop(np.arange(4.0), 2.5)
except ValueError as error:
    print(error.args, sum(loop.stats.cache_hits.values()), refuse.overloads == {})
"""


def test_a_loop_read_from_disk_needs_no_kernel_compiled(tmp_path):
    (tmp_path / "refusing.py").write_text(
        "from tegotae.compiling import kernel\n\n\n@kernel\ndef refuse(x, limit):\n"
        "    if x > limit:\n        raise ValueError('too large', x)\n    return x\n"
    )
    environment = os.environ | {"TEGOTAE_CACHE": str(tmp_path / "cache")}
    program = [sys.executable, "-c", PROGRAM, str(tmp_path), LOOP]
    said = [subprocess.run(program, capture_output=True, text=True, check=True, env=environment) for _ in range(2)]
    assert [one.stdout for one in said] == ["('too large', 3.0) 0 False\n", "('too large', 3.0) 1 True\n"]
