"""The viewer's page: who draws what, and the node that serves it. Only this loads viser."""

from tegotae.hybrid.view.drawers import CloseUp, Drawer, PlainBodies
from tegotae.hybrid.view.feed import Feed, Seen
from tegotae.hybrid.view.hexa import HexaDrawer
from tegotae.hybrid.view.node import View

__all__ = ["CloseUp", "Drawer", "Feed", "HexaDrawer", "PlainBodies", "Seen", "View"]
