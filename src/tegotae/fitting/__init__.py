"""Identification: the parameters of a block, with confidence intervals, from a measured record."""

from tegotae.fitting.fits import Fit
from tegotae.fitting.identify import fit
from tegotae.fitting.record import Record, load_record
from tegotae.fitting.rods import RodRecord
from tegotae.fitting.steering import SteeringRecord

__all__ = ["Fit", "Record", "RodRecord", "SteeringRecord", "fit", "load_record"]
