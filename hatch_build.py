"""Compiles the loops that ship, when a wheel is made or a checkout is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """A wheel carries the library in the package; a checkout gets it into the environment, not among its sources."""

    def dependencies(self) -> list[str]:
        """A compiler from PyPI where the machine has none."""
        return [] if any(map(shutil.which, ("cc", "gcc", "clang"))) else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say where the files belong."""
        if version == "editable":
            self._compile(_of_the_environment())
            return
        folder = Path(self.directory) / "library"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        ours = _of_the_environment()
        for path in [*ours.glob("*.so"), *ours.glob("*.json")]:
            shutil.copy2(path, folder)  # if these are just the loops, none is compiled again
        self._compile(folder)
        for path in sorted(folder.iterdir()):
            build_data["force_include"][str(path)] = f"tegotae/compile/library/{path.name}"
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Only the wheel is left."""
        shutil.rmtree(Path(self.directory) / "library", ignore_errors=True)

    def _compile(self, folder: Path) -> None:
        self.app.display_info(f"compiling the loops of tegotae into {folder}")
        # Not by PYTHONPATH: the environment of a build takes folders that the machine has installed off the path.
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); from tegotae import shipped_machines; "
            "shipped_machines.main(sys.argv[2])"
        )
        words = [str(Path(self.root) / "src"), str(folder)]
        environment = os.environ | {"TEGOTAE_BACKEND": "c"}
        subprocess.run([sys.executable, "-c", program, *words], check=True, env=environment)


def _of_the_environment() -> Path:
    """Where a checkout that is installed has its library."""
    return Path(sys.prefix) / "share" / "tegotae"
