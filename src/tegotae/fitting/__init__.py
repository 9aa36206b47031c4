"""Identification: the parameters of a block, with confidence intervals, from a measured record."""

from tegotae.fitting.fits import Fit
from tegotae.fitting.identify import fit
from tegotae.fitting.recipes.steering import SteeringRecord
from tegotae.fitting.record import Record, load_record
from tegotae.fitting.rods import RodRecord

__all__ = ["Fit", "Record", "RodRecord", "SteeringRecord", "fit", "load_record"]
