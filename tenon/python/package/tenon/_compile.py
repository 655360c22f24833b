"""Programs as functions of NumPy arrays."""

from typing import Any

import numpy as np

from tenon import _arrays, importing
from tenon._errors import Error, StatusCode
from tenon._tenon import Client, Computation, Data, DynamicComputation, Literal, Shape


def _row_major(shape):
    if shape.is_tuple:
        return Shape.make_tuple([_row_major(element) for element in shape.tuple_shapes])
    return Shape.array(shape.element_type, shape.dimensions)


def in_order(program, names, arguments, named):
    """The arguments in the order of the parameters, of which these are the names."""
    if not named:
        if len(arguments) != len(names):
            raise TypeError(f"{program} has {len(names)} parameters, and {len(arguments)} arguments are given")
        return arguments
    ordered = list(arguments)
    for name in names[len(arguments) :]:
        if name not in named:
            raise TypeError(f"{program}: there is no argument for the parameter '{name}'")
        ordered.append(named[name])
    unknown = sorted(set(named) - set(names))
    if unknown:
        raise TypeError(f"{program} has no parameter '{unknown[0]}'; its parameters are {', '.join(names)}")
    if len(ordered) != len(arguments) + len(named):
        twice = next(name for name in names[: len(arguments)] if name in named)
        raise TypeError(f"{program}: the parameter '{twice}' is given twice")
    return ordered


class Function:
    """A compiled program: call it with an array for each parameter. Any number of threads may call it."""

    def __init__(self, computation: Computation, client: Client):
        self.computation = computation
        self.client = client
        # Calls are compiled for row-major arrays, whatever layouts the parameters were made with.
        self._shapes = [_row_major(shape) for shape in computation.parameter_shapes]
        client.compile(computation)

    @property
    def parameter_shapes(self) -> list[Shape]:
        return list(self._shapes)

    @property
    def result_shape(self) -> Shape:
        return self.computation.result_shape

    @property
    def parameter_names(self) -> list[str]:
        return list(self.computation.parameter_names)

    def __call__(self, *arguments: Any, timeout: float | None = None, seed: int | None = None, **named: Any) -> Any:
        """The result as a NumPy array, which is the caller's, or as a tuple of results.

        Arguments are given in the order of the parameters, the last of them, or all, by their names if one likes.
        Arrays, NumPy's or with __dlpack__, must be of the parameters' shapes and element types, and are used in place
        where they are row-major and aligned; numbers and lists become of these types. Data is taken as it is. `timeout`
        is in seconds: a call that takes longer raises an Error of code DEADLINE_EXCEEDED. `seed` is that of random numbers,
        which differ by call without it.
        """
        if named or len(arguments) != len(self._shapes):
            arguments = in_order(self.computation.name, self.computation.parameter_names, arguments, named)
        data = [self._data(i, argument) for i, argument in enumerate(arguments)]
        result = self.client.execute(self.computation, data, timeout=timeout, seed=seed)
        return _arrays.to_numpy(result, writable=True)

    def _data(self, number, argument):
        if isinstance(argument, Data):
            return argument
        wanted = self._shapes[number]
        if type(argument) is np.ndarray and self.client.in_process:
            data = self.client._share_numpy(argument, wanted)
            if data is not None:
                return data
        if isinstance(argument, np.ndarray) and not argument.flags.c_contiguous:
            # Programs are compiled for row-major arguments; others would each be another program.
            argument = np.ascontiguousarray(argument)
        literal = _arrays.to_literal(argument, None if wanted.is_tuple else wanted.element_type)
        if not literal.shape.compatible(wanted):
            name = self.computation.parameter_names[number]
            message = f"{self.computation.name}: argument {number} ({name}) must be {wanted}, and is {literal.shape}"
            raise Error(StatusCode.INVALID_ARGUMENT, message)
        if literal.shape != wanted and not wanted.is_tuple:
            literal = literal.relayout(wanted.minor_to_major)
        if self.client.in_process and not wanted.is_tuple and literal.nbytes:
            return self.client.transfer_in_process(literal)
        return self.client.transfer_to_server(literal)

    def __repr__(self) -> str:
        parameters = ", ".join(str(shape) for shape in self._shapes)
        return f"<Function '{self.computation.name}' ({parameters}) -> {self.result_shape}>"


class DynamicFunction:
    """A program whose sizes are open, or are arguments: compiled at the first call for each set of them, and called as a
    Function is. The arrays inside tuples are parameters of their own. Any number of threads may call it.
    """

    # Of a list that sizes follow from.
    _MOST_ELEMENTS = 64

    def __init__(self, program: DynamicComputation, client: Client):
        self.program = program
        self.client = client

    @property
    def parameter_names(self) -> list[str]:
        return [parameter.name for parameter in self.program.parameters]

    def specialize(self, *arguments: Any, **named: Any) -> Function:
        """The function for arguments of these shapes and, where they decide sizes, of these elements: compiled now, if
        there is none yet. Others are errors when it is called."""
        return self._specialized(self._literals(arguments, named))

    def __call__(self, *arguments: Any, timeout: float | None = None, seed: int | None = None, **named: Any) -> Any:
        literals = self._literals(arguments, named)
        return self._specialized(literals)(*literals, timeout=timeout, seed=seed)

    def _literals(self, arguments, named):
        parameters = self.program.parameters
        arguments = in_order("the program", self.parameter_names, arguments, named)
        return [argument if isinstance(argument, Data) else _arrays.to_literal(argument, parameter.element_type)
                for argument, parameter in zip(arguments, parameters)]  # fmt: skip

    def _specialized(self, literals):
        known = []
        for number, (parameter, literal) in enumerate(zip(self.program.parameters, literals)):
            if parameter.decides_sizes:
                elements = np.asarray(literal)
                if elements.dtype.kind in "iu" and 0 < elements.size <= self._MOST_ELEMENTS:
                    known.append((number, [int(element) for element in elements.ravel()]))
        # The program keeps its computations, and these what was compiled of them.
        return Function(self.program.specialize([_row_major(literal.shape) for literal in literals], known), self.client)

    def __repr__(self) -> str:
        def text(parameter):
            sizes = ",".join("?" if size < 0 else str(size) for size in parameter.dimensions)
            return f"{parameter.name}: {parameter.element_type.name.lower()}[{sizes}]"

        return f"<DynamicFunction ({', '.join(map(text, self.program.parameters))})>"


def compile(
    program: Any, *, client: Client | None = None, file_name: str | None = None, entry: str | None = None
) -> Function | DynamicFunction:
    """Compiles a program: StableHLO as text (a str) or as bytes, bytearray or memoryview (text, MLIR bytecode, portable
    artifact, what jax.export writes), a file of such by its pathlib.Path, what JAX has lowered (jax.jit(f).lower(...)) or
    exported, a module of MLIR's Python bindings, or a Computation. Errors call the program `file_name`. The client is
    that of this process by default. `entry` is the function to compile; without it `main`, otherwise the only public one,
    otherwise the only one. A program that leaves sizes open is compiled when it is called.
    """
    client = client if client is not None else Client()
    if importing.kind(program) is not None:
        return importing.compile_model(program, client)
    if isinstance(program, Computation):
        if entry is not None:
            raise TypeError("a Computation is one function: entry is for programs")
        return Function(program, client)
    try:
        return Function(Computation.from_stablehlo(program, file_name, entry), client)
    except Error as error:
        if error.code not in (StatusCode.INVALID_ARGUMENT, StatusCode.UNIMPLEMENTED):
            raise
        # It may only lack the arguments' sizes.
        try:
            dynamic = DynamicComputation.from_stablehlo(program, file_name, entry)
        except Error:
            dynamic = None
        if dynamic is None or not dynamic.is_open:
            raise
    return DynamicFunction(dynamic, client)


def from_dlpack(array: Any, *, copy: bool | None = None) -> Literal:
    """A Literal of any array with __dlpack__, in the CPU's memory."""
    return Literal.from_dlpack(array, copy=copy)
