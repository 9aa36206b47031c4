import os
import sys
from pathlib import Path

from hypothesis import settings

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The same examples every time: what is green stays green until something changes. `make thorough` draws new ones.
# None has a deadline: how long one takes says more about what else the machine does than about the example.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile(os.environ.get("TEGOTAE_EXAMPLES", "steady"))
