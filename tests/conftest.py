import sys
from pathlib import Path

# Test modules share `machines.py`; nothing else is put on the path.
sys.path.insert(0, str(Path(__file__).parent))
