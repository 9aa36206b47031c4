import os
import sys
from pathlib import Path

from hypothesis import settings

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The same examples every time: what is green stays green until something changes. `make thorough` draws new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("TEGOTAE_EXAMPLES", "steady"))
