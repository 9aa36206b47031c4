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

# Module -> the public names that it defines. Loaded on first use, so that `import tegotae` stays quick and
# pulls in neither numba nor matplotlib before they are needed.
_NAMES = {
    "block": "Admittance Impedance",
    "elements": "Mass SpringDamper VirtualWall",
    "coupling.impedance_sum": "ImpedanceSum",
    "coupling.circuit": "Circuit",
    "coupling.links": "Link",
    "result": "Result load",
    "friction": "Coulomb CustomLaw FrictionAdmittance FrictionImpedance ParallelFriction Stribeck Tabulated Viscous",
    "fitting": "Fit fit load_record",
    "errors": "CausalityError DivergenceWarning FileError InputError LeftOutWarning MissingExtraError TegotaeError "
    "UniquenessError UnsolvedWarning",
}

# The parts, as modules: `tegotae.rod` is there without an import of its own. Loaded on first use too.
_PARTS = ("control", "device", "fitting", "friction", "hybrid", "inclusion", "multibody", "rod", "steering", "table")

# What lower layers ask of higher ones.
provide("loop", "tegotae.running.loop")
provide("batch", "tegotae.running.batch:Batch")
provide("live impedance", "tegotae.running.live:LiveImpedance")
provide("live admittance", "tegotae.running.live:LiveAdmittance")
provide("figure of a result", "tegotae.figures:of_result")
provide("figure of a workspace", "tegotae.figures.table:workspace")
provide("save a figure", "tegotae.figures:save")

__all__ = [*sorted(" ".join(_NAMES.values()).split()), "__version__"]
__getattr__, _ = loaded_on_first_use(__name__, _NAMES, _PARTS)

if TYPE_CHECKING:
    from tegotae import control as control
    from tegotae import device as device
    from tegotae import fitting as fitting
    from tegotae import friction as friction
    from tegotae import inclusion as inclusion
    from tegotae import multibody as multibody
    from tegotae import rod as rod
    from tegotae import steering as steering
    from tegotae import table as table
    from tegotae.block import Admittance as Admittance
    from tegotae.block import Impedance as Impedance
    from tegotae.coupling.circuit import Circuit as Circuit
    from tegotae.coupling.impedance_sum import ImpedanceSum as ImpedanceSum
    from tegotae.coupling.links import Link as Link
    from tegotae.elements import Mass as Mass
    from tegotae.elements import SpringDamper as SpringDamper
    from tegotae.elements import VirtualWall as VirtualWall
    from tegotae.errors import CausalityError as CausalityError
    from tegotae.errors import DivergenceWarning as DivergenceWarning
    from tegotae.errors import FileError as FileError
    from tegotae.errors import InputError as InputError
    from tegotae.errors import LeftOutWarning as LeftOutWarning
    from tegotae.errors import MissingExtraError as MissingExtraError
    from tegotae.errors import TegotaeError as TegotaeError
    from tegotae.errors import UniquenessError as UniquenessError
    from tegotae.errors import UnsolvedWarning as UnsolvedWarning
    from tegotae.fitting import Fit as Fit
    from tegotae.fitting import fit as fit
    from tegotae.fitting import load_record as load_record
    from tegotae.friction import Coulomb as Coulomb
    from tegotae.friction import CustomLaw as CustomLaw
    from tegotae.friction import FrictionAdmittance as FrictionAdmittance
    from tegotae.friction import FrictionImpedance as FrictionImpedance
    from tegotae.friction import ParallelFriction as ParallelFriction
    from tegotae.friction import Stribeck as Stribeck
    from tegotae.friction import Tabulated as Tabulated
    from tegotae.friction import Viscous as Viscous
    from tegotae.result import Result as Result
    from tegotae.result import load as load


def __dir__() -> list[str]:
    """What there is to use; `inclusion` where its extra is installed, so that `help` can look at all of it."""
    from importlib.util import find_spec

    missing = set() if find_spec("sympy") else {"inclusion"}
    return sorted({*__all__, *_PARTS} - missing)
