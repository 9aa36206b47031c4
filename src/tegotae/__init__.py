"""tegotae: machines that stick, slip, collide and bend, with a person or a real machine in the loop.

Every block has a causality. An *impedance* takes motion and gives force, an *admittance* takes force and
gives motion; a `Circuit` wires them together. All quantities are in SI units.

Example:
    >>> import numpy as np, tegotae as tg
    >>> brake = tg.FrictionImpedance(stiffness=6000.0, damping=10.0, law=tg.Coulomb(4.0))
    >>> result = brake.run(np.full(100, 0.05), period=1e-3)
    >>> float(result.force[-1])
    -4.0
"""

from typing import TYPE_CHECKING

from tegotae.on_demand import loaded_on_first_use, provide

__version__ = "0.1.0"

# What lower layers ask of higher ones.
provide("loop", "tegotae.running.loop")
provide("batch", "tegotae.running.batch:Batch")
provide("live impedance", "tegotae.running.live:LiveImpedance")
provide("live admittance", "tegotae.running.live:LiveAdmittance")
provide("figure of a result", "tegotae.figures:of_result")
provide("figure of a workspace", "tegotae.figures.table:workspace")
provide("save a figure", "tegotae.figures:save")

__all__ = [
    "Admittance", "CausalityError", "Circuit", "Coulomb", "CustomLaw", "DivergenceWarning", "FileError", "Fit",
    "FrictionAdmittance", "FrictionImpedance", "Impedance", "ImpedanceSum", "InputError", "LeftOutWarning", "Link",
    "Mass", "MissingExtraError", "ParallelFriction", "Result", "SpringDamper", "Stribeck", "Tabulated",
    "TegotaeError", "UniquenessError", "UnsolvedWarning", "VirtualWall", "Viscous", "__version__", "fit", "load",
    "load_record",
]  # fmt: skip

# Loaded on first use, the parts as modules, so that `import tegotae` stays quick and pulls in neither numba nor
# matplotlib before they are needed.
if TYPE_CHECKING:
    from tegotae import control as control
    from tegotae import device as device
    from tegotae import fitting as fitting
    from tegotae import friction as friction
    from tegotae import hybrid as hybrid
    from tegotae import inclusion as inclusion
    from tegotae import multibody as multibody
    from tegotae import rod as rod
    from tegotae import steering as steering
    from tegotae import table as table
    from tegotae.block import Admittance, Impedance
    from tegotae.coupling.circuit import Circuit
    from tegotae.coupling.impedance_sum import ImpedanceSum
    from tegotae.coupling.links import Link
    from tegotae.elements import Mass, SpringDamper, VirtualWall
    from tegotae.errors import (
        CausalityError,
        DivergenceWarning,
        FileError,
        InputError,
        LeftOutWarning,
        MissingExtraError,
        SingularWarning,
        TegotaeError,
        UniquenessError,
        UnsolvedWarning,
    )
    from tegotae.fitting import Fit, fit, load_record
    from tegotae.friction import (
        Coulomb,
        CustomLaw,
        FrictionAdmittance,
        FrictionImpedance,
        ParallelFriction,
        Stribeck,
        Tabulated,
        Viscous,
    )
    from tegotae.result import Result, load

__getattr__, _names = loaded_on_first_use(__name__)


def __dir__() -> list[str]:
    """What there is to use; `inclusion` where its extra is installed, so that `help` can look at all of it."""
    from importlib.util import find_spec

    missing = set() if find_spec("sympy") else {"inclusion"}
    return sorted({*_names()} - missing)
