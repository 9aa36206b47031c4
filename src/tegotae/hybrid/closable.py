"""What holds something of the system until it is closed: buses, links, clocks, logs, pages, processes."""

from abc import ABC, abstractmethod
from typing import Self


class Closable(ABC):
    """Something that is closed at the end of a `with`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> object:
        """Give back what it holds."""
