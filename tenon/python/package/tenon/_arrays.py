"""Between NumPy and Tenon: dtypes and element types, arrays and literals."""

import numpy as np

from tenon._errors import Error, StatusCode
from tenon._tenon import ElementType, Literal, Shape

_T = ElementType
# Names of dtypes, NumPy's and ml_dtypes'.
_NAMES = {type: type._numpy_name for type in _T if type._numpy_name}
_TYPES = {name: type for type, name in _NAMES.items()}


def element_type(dtype) -> ElementType:
    """That of a dtype, or of whatever NumPy takes for one."""
    found = _TYPES.get(dtype) if isinstance(dtype, str) else None
    if found is None:
        try:
            # The name, since dtypes of either byte order have one element type.
            found = _TYPES.get(np.dtype(dtype).name)
        except TypeError:
            pass
    if found is None:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{dtype!r} is no element type")
    return found


def dtype(type: ElementType) -> np.dtype:
    """NumPy's, or ml_dtypes'."""
    if type not in _NAMES:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{type} is no element type of arrays")
    try:
        return np.dtype(_NAMES[type])
    except TypeError:  # None of NumPy's own
        pass
    try:
        import ml_dtypes
    except ImportError:
        message = f"NumPy has arrays of {type} where the package ml_dtypes is installed"
        raise Error(StatusCode.FAILED_PRECONDITION, message) from None
    return np.dtype(getattr(ml_dtypes, _NAMES[type]))


def _canonical(array, type):
    """The array, or a copy, with bytes that Tenon knows for types of fewer than 8 bits."""
    bits = type._bits
    if type == _T.PRED or bits >= 8:
        return array
    signed = type in (_T.S2, _T.S4)
    raw = array.view(np.int8 if signed else np.uint8)
    unused = 8 - bits
    extended = (raw << unused) >> unused if signed else raw & ((1 << bits) - 1)
    # Of arrays without dimensions NumPy makes numbers.
    return array if np.array_equal(raw, extended) else np.asarray(extended).view(array.dtype)


def _is_array(value):
    return isinstance(value, (np.ndarray, np.generic)) or hasattr(value, "__array__")


def _from_numpy(array, copy):
    type = element_type(array.dtype)
    usable = _canonical(array, type)
    if not usable.dtype.isnative:
        usable = usable.astype(usable.dtype.newbyteorder("="))
    if any(stride % usable.itemsize for stride in usable.strides):
        usable = np.ascontiguousarray(usable).reshape(usable.shape)
    if usable is not array:
        if copy is False:
            raise Error(StatusCode.INVALID_ARGUMENT, f"a copy of the array of {array.dtype} is needed")
        copy = None  # It is one.
    strides = [stride // usable.itemsize for stride in usable.strides]
    return Literal._from_memory(type, usable.shape, strides, usable.ctypes.data, usable, copy)


def to_literal(value, type: ElementType | None = None, copy: bool | None = None) -> Literal:
    """`type` is for numbers and lists, which have none of their own."""
    if isinstance(value, Literal):
        return value
    if isinstance(value, tuple):
        return Literal._tuple([to_literal(element, type, copy) for element in value])
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(np.asarray(value), copy)
    if hasattr(value, "__dlpack__"):
        try:
            return Literal.from_dlpack(value, copy=copy)
        except BufferError:
            # Of a type or a place that DLPack has no form for; NumPy may know one.
            if not hasattr(value, "__array__"):
                raise
    if _is_array(value):
        return _from_numpy(np.asarray(value), copy)
    if copy is False:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{value!r} is not in memory that could be used")
    array = np.asarray(value)
    if array.dtype.kind not in "biufcV":  # NumPy would make NaN of None, and numbers of text
        raise Error(StatusCode.INVALID_ARGUMENT, f"{value!r} is not made of numbers")
    return _from_numpy(array if type is None else np.asarray(value, dtype(type)), None)


def _strides(shape: Shape, itemsize):
    strides, step = [0] * shape.rank, itemsize
    for dimension in shape.minor_to_major:
        strides[dimension] = step
        step *= shape.dimensions[dimension]
    return strides


def _view(memory, shape: Shape):
    """The array that lies in memory as the shape says, without padding."""
    type = dtype(shape.element_type)
    return np.ndarray(shape.dimensions, type, memory, strides=_strides(shape, type.itemsize))


def to_numpy(value, writable=False):
    """Of a Literal, or of Data: an array that looks at its memory. Of a tuple a tuple.

    With `writable`, which is for values that nobody else has, the array is the caller's; otherwise it can only be read.
    """
    shape = value.shape
    if shape.is_tuple:
        return tuple(to_numpy(element, writable) for element in _elements(value))
    if isinstance(value, Literal):
        if shape.is_padded:
            value = value.relayout(shape.minor_to_major)
        return _view(value._memory(writable), value.shape)
    if value.in_process and not shape.is_padded:
        return _view(value._memory(writable), shape)
    return to_numpy(value.literal(), writable)


def _elements(value):
    return value if isinstance(value, Literal) else value.elements()


def as_array(value, dtype, copy):
    """What __array__ returns."""
    if value.shape.is_tuple:
        raise Error(StatusCode.INVALID_ARGUMENT, f"{value.shape} is a tuple, and not an array")
    array = to_numpy(value)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        if copy is False:
            raise ValueError(f"an array of {dtype} would be a copy of {value.shape}")
        return array.astype(dtype)
    return array.copy() if copy else array
