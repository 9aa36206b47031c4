"""Identification: the parameters of a block, with confidence intervals, from a measured record."""

from tegotae.fitting.identify import Fit, fit
from tegotae.fitting.record import Record, load_record

__all__ = ["Fit", "Record", "fit", "load_record"]
