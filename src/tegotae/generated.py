"""Where generated loops are imported from: a package whose folder is the kernel cache."""

from tegotae.compiling import cache_folder

__path__ = [str(cache_folder())]
