"""The viewer's page: who draws what, and the node that serves it. Only this loads viser."""

from tegotae.hybrid.view.bodies import PlainBodies
from tegotae.hybrid.view.closeup import CloseUp
from tegotae.hybrid.view.feed import Feed, Seen
from tegotae.hybrid.view.hexa import HexaPainter
from tegotae.hybrid.view.node import View
from tegotae.hybrid.view.painters import Painter, painter_of
from tegotae.hybrid.view.robots import TwoRobotsPainter

__all__ = ["CloseUp", "Feed", "HexaPainter", "Painter", "PlainBodies", "Seen", "TwoRobotsPainter", "View", "painter_of"]
