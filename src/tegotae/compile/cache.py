"""The folder in which compiled kernels are kept between processes."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
import threading
import warnings
from functools import cache
from pathlib import Path

from tegotae.errors import FileError

VARIABLE = "TEGOTAE_CACHE"
PART = ".part"
_SEAL = b"tegotae:"


def folder() -> Path:
    """Where compiled kernels live: $TEGOTAE_CACHE, or the user's cache folder; else one of this process alone."""
    if named := os.environ.get(VARIABLE):
        wanted = Path(named).absolute()  # a bare name would be looked up where the system keeps its libraries
    else:
        import platformdirs

        wanted = Path(platformdirs.user_cache_dir("tegotae")) / "kernels"
    try:
        wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
        trouble = _trouble(wanted)
    except OSError:
        trouble = "cannot be written"
    return _own_folder(wanted, trouble) if trouble else wanted


def _trouble(wanted: Path) -> str:
    """Why code must not be loaded from there; empty if it may."""
    if not os.access(wanted, os.R_OK | os.W_OK | os.X_OK):
        return "cannot be written"
    if not hasattr(os, "getuid"):
        return ""
    told = wanted.stat()
    if told.st_uid != os.getuid():
        return "belongs to somebody else"
    return "can be written by everybody" if told.st_mode & stat.S_IWOTH else ""


@cache
def _own_folder(instead_of: Path, trouble: str) -> Path:
    """A folder of this process alone. Code is loaded from it, so nobody else may have made it or write to it."""
    try:
        own = Path(tempfile.mkdtemp(prefix="tegotae-"))
    except OSError as error:
        raise FileError(
            f"Cannot write compiled kernels to {instead_of} nor to a temporary folder ({error}).\n"
            f"  Set {VARIABLE} to a folder you may write to."
        ) from error
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    warnings.warn(
        f"{instead_of} {trouble}, so kernels are compiled anew in this process. "
        f"Set {VARIABLE} to a folder of your own to keep them.",
        stacklevel=3,
    )
    return own


def write(path: Path, text: str) -> None:
    """Write a file so that nobody ever reads half of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def seal(path: Path) -> None:
    """Put a digest behind a library, where loading it does not look: a part of one, loaded, would end the process."""
    digest = hashlib.sha256(path.read_bytes()).digest()
    with path.open("ab") as file:
        file.write(_SEAL + digest)


def is_whole(path: Path) -> bool:
    """Whether a library is there as it was sealed."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return content[-40:-32] == _SEAL and hashlib.sha256(content[:-40]).digest() == content[-32:]
