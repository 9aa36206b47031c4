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
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tegotae.errors import FileError

VARIABLE = "TEGOTAE_CACHE"
PART = ".part"
_SEAL = b"tegotae:"
T = TypeVar("T")


def folder() -> Path:
    """Where compiled kernels live: $TEGOTAE_CACHE, or the user's cache folder; else one of this process alone."""
    wanted = _wanted()
    if wanted in _instead:
        return _instead[wanted]
    try:
        trouble = "has no place, as HOME is not set" if not wanted.is_absolute() else _trouble(wanted)
    except (OSError, RuntimeError) as error:  # a loop of links was a RuntimeError once
        trouble = f"cannot be written ({getattr(error, 'strerror', None) or error})"
    return own_folder(wanted, trouble) if trouble else wanted.resolve()


def _wanted() -> Path:
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()  # a bare name would be looked up where the system keeps its libraries
    import platformdirs

    return Path(platformdirs.user_cache_dir("tegotae")) / "kernels"


def _trouble(wanted: Path) -> str:
    """Why code must not be loaded from there; empty if it may. Who may rename a folder above it may exchange it.

    The folder and those above it are made if they are not there, for nobody else.
    """
    missing = [place for place in (wanted, *wanted.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    wanted = wanted.resolve(strict=True)
    if not wanted.is_dir() or not os.access(wanted, os.R_OK | os.W_OK | os.X_OK):
        return "cannot be written"
    if not hasattr(os, "getuid"):
        return ""
    for place in (wanted, *wanted.parents):
        status = place.stat()
        where = "" if place == wanted else f"lies in {place}, which "
        if status.st_uid not in (os.getuid(), 0 if where else os.getuid()):
            return f"{where}belongs to somebody else"
        apart = where and status.st_mode & stat.S_ISVTX  # as in /tmp: nobody may rename what is not his own
        if (who := others_that_may_write(status)) and not apart:
            return f"{where}can be written by {who}"
    return ""


def others_that_may_write(status: os.stat_result) -> str:
    """Who besides its owner may write a file or folder, in words; empty if nobody. A group of the user alone may."""
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    if not status.st_mode & stat.S_IWGRP:
        return ""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(status.st_gid), pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"group {status.st_gid}"
    # Many systems give each user a group that is called as he is, and let it write.
    return "" if group.gr_name == user and {*group.gr_mem} <= {user} else f"the group {group.gr_name}"


_instead: dict[Path, Path] = {}
_turn = threading.Lock()


def own_folder(instead_of: Path, trouble: str) -> Path:
    """A folder of this process alone. Code is loaded from it, so nobody else may have made it or write to it."""
    with _turn:
        if instead_of in _instead:
            return _instead[instead_of]
        try:
            private = Path(tempfile.mkdtemp(prefix="tegotae-")).resolve()
        except OSError as error:
            raise FileError(
                f"Cannot keep compiled kernels: {instead_of} {trouble}, and there is no temporary folder ({error}).\n"
                f"  Set {VARIABLE} to a folder of your own, with room."
            ) from error
        _instead[instead_of] = private
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    warnings.warn(
        f"{instead_of} {trouble}, so kernels are compiled anew in this process. "
        f"Set {VARIABLE} to a folder of your own to keep them.",
        stacklevel=3,
    )
    return private


def written(work: Callable[[Path], T]) -> T:
    """Do work that writes into the folder; where that fails, as on a full disk, in one of this process alone."""
    place = folder()
    while True:
        try:
            return work(place)
        except OSError as error:
            if place in _instead.values():
                problem = f"Cannot write compiled kernels to {place} ({error})."
                raise FileError(f"{problem}\n  Set {VARIABLE} to a folder with room.") from error
            place = own_folder(_wanted(), f"cannot be written ({error})")


def write(path: Path, text: str) -> None:
    """Write a file so that nobody ever reads half of it."""
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
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


def is_ours(path: Path) -> bool:
    """Whether a file is there that nobody else made or may write: one may be left from when the folder was open."""
    try:
        status = path.lstat()
    except OSError:
        return False
    owned = not hasattr(os, "getuid") or (status.st_uid in (os.getuid(), 0) and not others_that_may_write(status))
    return owned and stat.S_ISREG(status.st_mode)
