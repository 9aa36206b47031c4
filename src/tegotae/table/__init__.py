"""The motion table: HEXA kinematics, its simulated twin and what a contact feels of it.  [tarao1999]"""

from tegotae.rotations import rotation_about
from tegotae.table.hexa import Hexa
from tegotae.table.identification import TableImpedance, excitation, identify_impedance
from tegotae.table.limits import Margins, Workspace
from tegotae.table.live import LiveTable, Reading
from tegotae.table.mechanism import TableBody
from tegotae.table.parts import ArmServo, ForceSensor, ProbedSurface
from tegotae.table.plant import HexaPlant

__all__ = [
    "ArmServo",
    "ForceSensor",
    "Hexa",
    "HexaPlant",
    "LiveTable",
    "Margins",
    "ProbedSurface",
    "Reading",
    "TableBody",
    "TableImpedance",
    "Workspace",
    "excitation",
    "identify_impedance",
    "rotation_about",
]
