import gc
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The same examples every time: what is green stays green until something changes. `make thorough` draws new ones.
# None has a deadline: how long one takes says more about what else the machine does than about the example.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("TEGOTAE_EXAMPLES", "steady"))

# Compiling makes objects by the million, few of them garbage: looking for it less often saves a tenth of that time.
gc.set_threshold(50_000)

# Words in the names of test files, and of modules whose examples are tests, that tell which kernels they compile.
SYSTEMS = {
    "multibody": (
        "multibody",
        "tree",
        "scene",
        "stiction",
        "dual",
        "shapes",
        "hexa",
        "table",
        "robots",
        "tarao",
        "hybrid",
    ),
    "rod": ("rod", "hirai"),
    "inclusion": ("inclusion", "xiong"),
    "steering": ("steering", "patch", "planar", "yamamoto", "tyre", "bristles"),
}


def system_of(nodeid: str) -> str:
    """What a test belongs to: one of the systems, or the file it stands in."""
    file, _, case = nodeid.partition("::")
    module = re.search(r"\[(tegotae\.[\w.]+)\]", case)  # an example in a docstring
    key = module[1] if module else Path(file).stem
    return next((name for name, words in SYSTEMS.items() if any(word in key for word in words)), key)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Tests of one system go to one worker: two workers would compile its large kernels at the same time, twice."""
    from xdist.scheduler import LoadScopeScheduling

    class BySystem(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return system_of(nodeid)

    return BySystem(config, log)
