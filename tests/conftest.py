import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The same examples every time: what is green stays green until something changes. `make thorough` draws new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("TEGOTAE_EXAMPLES", "steady"))

# Words in the names of test files, and of modules whose examples are tests, that tell which kernels they compile.
SYSTEMS = {
    "multibody": ("multibody", "tree", "scene", "stiction", "dual", "shapes", "hexa", "table", "robots", "tarao"),
    "rod": ("rod", "hirai"),
    "inclusion": ("inclusion", "xiong"),
    "steering": ("steering", "patch", "planar", "yamamoto", "tyre", "bristles"),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one system go to one worker: two workers would compile its large kernels at the same time, twice."""
    for item in items:
        key = item.path.stem
        if key == "test_doctests" and hasattr(item, "callspec"):
            key = item.callspec.id
        system = next((name for name, words in SYSTEMS.items() if any(word in key for word in words)), key)
        item.add_marker(pytest.mark.xdist_group(system))
