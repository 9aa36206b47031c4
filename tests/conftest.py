import os
import re
import sys
from pathlib import Path

# Before anything imports NumPy, and for all processes that tests start: its threads wait for each other at work, and
# beside another test on every core they wait long.
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The same examples every time: what is green stays green until something changes. `make thorough` draws new ones.
# None has a deadline: how long one takes says more about what else the machine does than about the example.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("TEGOTAE_EXAMPLES", "steady"))

# A file with tests in real time says so: it marks them, or names claims that are `timed`.
_TIMED = re.compile(r"\brealtime\b|\btimed=")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Asked for tests in real time alone, other files are not even imported: that would take longer than some tests."""
    if not config.option.markexpr.startswith("realtime and") or not re.fullmatch(r"test_\w+\.py", collection_path.name):
        return None
    return True if not _TIMED.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Nothing in real time may stand in a file that does not say so."""
    files = {item.path for item in items if item.get_closest_marker("realtime")}
    silent = [str(path) for path in sorted(files) if not _TIMED.search(path.read_text(encoding="utf-8"))]
    if silent:
        raise pytest.UsageError(f"{', '.join(silent)}: tests are `realtime`, and the file does not hold the word.")
