"""Arrays: NumPy's where it is there, memoryviews otherwise.

The extension writes into memory that is made here or there, and hands it out as it is: nothing is copied
on the way. Whoever has NumPy gets ndarrays, whoever has not gets memoryviews of float64 with the same
shapes, which answer to the same indices.
"""

from array import array

try:
    import numpy
except ImportError:
    numpy = None


def convert(object, what):
    """Anything that holds numbers as an object with a buffer of float64, C-contiguous."""
    if numpy is not None:
        try:
            return numpy.ascontiguousarray(object, dtype=numpy.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what} is not made of numbers: {error}") from None
    if isinstance(object, memoryview):
        object = object.tolist()
    flat, shape = array("d"), []
    _flatten(object, flat, shape, 0, what)
    view = memoryview(flat)
    return view if len(shape) < 2 or 0 in shape else view.cast("B").cast("d", shape)


def _flatten(object, flat, shape, depth, what):
    if isinstance(object, (int, float)) or not hasattr(object, "__len__"):
        try:
            flat.append(float(object))
        except (TypeError, ValueError):
            raise TypeError(f"{what} is not made of numbers") from None
        return
    if isinstance(object, (str, bytes)):
        raise TypeError(f"{what} is not made of numbers")
    if len(shape) == depth:
        shape.append(len(object))
    if len(object) != shape[depth]:
        raise ValueError(f"{what} has rows of different lengths")
    for part in object:
        _flatten(part, flat, shape, depth + 1, what)


def empty(rows, width):
    """A table of float64 to be written: the array, and what its columns are cut from."""
    if numpy is not None:
        table = numpy.empty((rows, width))
        return table, table
    from . import _zwang

    block = _zwang.new_block(rows * width)
    return block.view(2, 0, rows, width, width), block


def shape_of(object):
    """The shape of anything that holds numbers."""
    if numpy is not None:
        return numpy.shape(object)
    if hasattr(object, "shape"):
        return tuple(object.shape)
    if isinstance(object, (list, tuple)) or isinstance(object, (array, range)):
        return (len(object),) + (shape_of(object[0]) if len(object) else ())
    return ()


def to_list(object):
    """Nested lists of Python's own numbers."""
    if hasattr(object, "tolist"):
        return object.tolist()
    if isinstance(object, (list, tuple, range)):
        return [to_list(part) for part in object]
    return object
