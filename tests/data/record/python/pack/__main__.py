import sys

from . import part

print(__name__, __package__, __spec__.name, sys.argv, part.double(4))
