"""What numba keeps on disk, sealed as libraries are: it would read pickles and machine code, whatever they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from numba.core.caching import IndexDataCacheFile

from tegotae.compile import cache


class SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data of one function. What is damaged or somebody else's is not read, and made anew."""

    def _load_index(self) -> dict[Any, str]:
        return dict(super()._load_index()) if _whole(self._index_path) else {}  # type: ignore[no-untyped-call]

    def _load_data(self, name: str) -> Any:
        if not _whole(path := self._data_path(name)):  # type: ignore[no-untyped-call]
            raise FileNotFoundError(path)  # as numba takes it: it compiles
        return super()._load_data(name)  # type: ignore[no-untyped-call]

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BinaryIO]:
        with super()._open_for_write(filepath) as file:
            yield file
            file.flush()
            cache.seal(Path(file.name))  # behind a pickle, where reading it does not look

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled; without room it runs all the same."""
        try:
            super().save(key, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            warnings.warn(
                f"{self._index_path} cannot be written ({error}), so the next process compiles it again. "
                f"Set {cache.VARIABLE} to a folder with room.",
                stacklevel=2,
            )


def seal(dispatcher: Any) -> None:
    """Have a function's files sealed from now on."""
    files = dispatcher._cache._cache_file
    base = files._index_name.removesuffix(".nbi")
    dispatcher._cache._cache_file = SealedFiles(files._cache_path, base, files._source_stamp)  # type: ignore[no-untyped-call]


def _whole(path: str) -> bool:
    return cache.is_ours(Path(path)) and cache.is_whole(Path(path))
