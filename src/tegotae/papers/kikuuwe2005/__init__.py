"""Kikuuwe and Fujimoto, "Impedance-Type Discrete-Time Friction Model", 2005: its claims and its figures.

Every claim and figure takes its physics from a `KikuuweSubject`, so that a test can hand it a broken one. Importing a
module of claims registers them: the order below is the order of the table.
"""

from tegotae.papers.kikuuwe2005.subject import KikuuweSubject, paper

__all__ = ["KikuuweSubject", "paper"]

paper.collect(__name__, "admittance", "impedance", "laws", "joystick", "composite", "others", "figures")
