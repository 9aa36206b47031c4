"""A URDF file before it means anything: well-formed XML, complete elements, numbers that are numbers.

yourdfpy repairs what does not parse and invents what is missing (a moment of inertia that is not given becomes 1, an
element inside a default namespace vanishes). Here the file is read strictly first; yourdfpy then gets the links and
joints only, complete, and what was left out or filled in is noted by name.
"""

from __future__ import annotations

import math
import os
from typing import NoReturn
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from tegotae import checks
from tegotae.errors import FileError, InputError

_MOST = 1 << 28  # bytes of a file
KEPT = {
    "robot": {"link", "joint"},
    "link": {"inertial"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
}
LOOKS = {"visual", "collision", "material"}  # no part of dynamics
NUMBERS = {  # element -> attribute -> how many numbers it holds
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 1),
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), 1),
    "dynamics": dict.fromkeys(("damping", "friction"), 1),
    "mimic": dict.fromkeys(("multiplier", "offset"), 1),
}


class UrdfFile:
    """Links and joints of a file, checked and complete, and notes of what was left out or filled in."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"load_urdf: path={checks.shown(path)} is not a path.\n  Give the name of a URDF file.")
        self.name = os.fspath(path)
        self.notes: dict[str, list[str]] = {}
        found = self._read(path)
        if found.tag != "robot":
            remedy = "Give a URDF file; a xacro file must be expanded first."
            raise FileError(f"{self.name}: its root is <{found.tag}>, not <robot>.\n  {remedy}")
        self.root = Element("robot", {"name": found.get("name", "robot")})
        for element in found:
            kept = self._cleaned(element, "robot", element.get("name") or element.get("reference") or "")
            if kept is not None:
                self.root.append(kept)

    def note(self, what: str, name: str) -> None:
        """Something to be warned of, by name, once."""
        names = self.notes.setdefault(what, [])
        if name not in names:
            names.append(name)

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """An error that names the file."""
        checks.refuse(self.name, problem, remedy)

    def _read(self, path: str | os.PathLike[str]) -> Element:
        try:
            text = checks.read_bounded(path, _MOST, "Give the path of a URDF file.")
        except FileError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise FileError(f"{self.name}: cannot be read: {reason}.\n  Give the path of a URDF file.") from error
        builder = ElementTree.TreeBuilder()
        # Without namespaces: real files use prefixes that they never declare, inside what is not needed here.
        parser = expat.ParserCreate()
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        try:
            parser.Parse(text, True)
        except (expat.ExpatError, ValueError) as error:
            raise FileError(f"{self.name}: is not well-formed XML: {error}.\n  Repair it there.") from error
        return builder.close()

    def _cleaned(self, element: Element, inside: str, owner: str) -> Element | None:
        """A copy with only what dynamics needs; None if nothing of it is needed."""
        tag = element.tag
        if tag not in KEPT[inside]:
            if tag not in LOOKS:
                self.note(f"<{tag}> is not used" + ("" if inside == "robot" else ", in"), owner or "unnamed")
            return None
        copy = Element(tag, dict(element.attrib))
        if tag in ("link", "joint") and not owner:
            self.refuse(f"a <{tag}> has no name.", "Give each a name.")
        where = owner if inside != "robot" else f"{tag} {owner}"
        for child in element:
            kept = self._cleaned(child, tag, where) if tag in KEPT else None
            if kept is None:
                continue
            if copy.find(kept.tag) is not None:
                self.note(f"<{kept.tag}> is given twice, the first is used", where)
            else:
                copy.append(kept)
        self._check_numbers(copy, where)
        self._complete(copy, where)
        return copy

    def _check_numbers(self, element: Element, where: str) -> None:
        for name in element.attrib.keys() - NUMBERS.get(element.tag, element.attrib).keys() - {"joint"}:
            self.note(f"{name} of <{element.tag}> is not used, in", where)
        for name, count in NUMBERS.get(element.tag, {}).items():
            text = element.get(name)
            if text is None:
                continue
            try:
                values = [float(one) for one in text.split()]
            except ValueError:
                values = []
            bad = any(math.isnan(v) or (math.isinf(v) and element.tag != "limit") for v in values)
            if len(values) != count or bad:
                wanted = "one number" if count == 1 else f"{count} numbers"
                self.refuse(f"{where} has <{element.tag} {name}={checks.shown(text)}>.", f"Give {wanted}.")

    def _complete(self, element: Element, where: str) -> None:
        """What must be there is there, or is set to what the warning says."""
        if element.tag == "joint":
            for end in ("parent", "child"):
                found = element.find(end)
                if found is None or found.get("link") is None:
                    self.refuse(f"{where} has no <{end} link=...>.", "Name the two links that it joins.")
            if element.get("type") is None:
                self.refuse(f"{where} has no type.", "Give one, such as type='revolute'.")
        elif element.tag == "inertial":
            for part in ("mass", "inertia"):
                if element.find(part) is None:
                    self.note(f"<{part}> is missing and taken as 0", where)
        elif element.tag in ("inertia", "mass"):
            for name in NUMBERS[element.tag]:
                if name not in element.attrib:
                    self.note(f"{name} of <{element.tag}> is missing and taken as 0", where)
                    element.set(name, "0")
