"""Programs on quantized types, which JAX has no spelling for: StableHLO text, written by make_programs.py.

Results are integers wherever a value is compared, so that agreement means equal bits: quantized values are, and
dequantized ones are reinterpreted.
"""

import math
import pathlib
import re

EXAMPLES = pathlib.Path(__file__).parents[2] / "tenon/interpreter/testdata/ops/quantized.mlir"
PROGRAMS = {}


def program(function):
    PROGRAMS[f"quantized_{function.__name__}"] = function
    return function


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, [*shape, element]))}>"


def bits_of(element):
    return int("".join(c for c in element.split("E")[0] if c.isdigit()))


class Quantized:
    """A quantized element type: per tensor, or per axis when lists of scales and zero points are given."""

    def __init__(self, storage, expressed, scale, zero=0, axis=None, limits=""):
        self.storage, self.expressed = storage, expressed
        if axis is None:
            parameters = f"{scale:.17e}:{zero}"
        else:
            parameters = "{" + ", ".join(f"{s:.17e}:{z}" for s, z in zip(scale, zero)) + "}"
            expressed = f"{expressed}:{axis}"
        self.text = f"!quant.uniform<{storage}{limits}:{expressed}, {parameters}>"
        self.integer = storage.replace("u", "ui") if storage.startswith("u") else storage

    def __str__(self):
        return self.text


class Program:
    def __init__(self):
        self.arguments, self.lines, self.results = [], [], []

    def argument(self, shape, element):
        self.arguments.append(tensor(shape, element))
        return Value(f"%arg{len(self.arguments) - 1}", shape, element)

    def op(self, text, shape, element, *operands, attributes=""):
        """`text` is the op's name, or its whole text up to the types."""
        name = f"%{len(self.lines)}"
        types = ", ".join(str(tensor(v.shape, v.element)) for v in operands)
        if not text.endswith(")"):
            text = f'"stablehlo.{text}"({", ".join(v.name for v in operands)})'
        if attributes:
            attributes = f" {{{attributes}}}"
        self.lines.append(f"{name} = {text}{attributes} : ({types}) -> {tensor(shape, element)}")
        return Value(name, shape, element)

    def constant(self, literal, shape, element, written=None):
        name = f"%{len(self.lines)}"
        written = tensor(shape, written or element)
        self.lines.append(
            f'{name} = "stablehlo.constant"() {{value = dense<{literal}> : {written}}} : () -> {tensor(shape, element)}'
        )
        return Value(name, shape, element)

    def give(self, *values):
        """Results, as integers of their bits."""
        for v in values:
            if not isinstance(v.element, str):
                v = self.op("bitcast_convert", v.shape, v.element.integer, v)
            elif v.element in ("f64", "f32", "f16", "bf16") or v.element.startswith("f8"):
                v = self.op("bitcast_convert", v.shape, f"i{bits_of(v.element)}", v)
            self.results.append(v)

    def every(self, shape, q, seed=None, step=1):
        """A tensor of quantized values that goes through all of the storage, from where the argument says."""
        seed = seed or self.argument(shape, q.integer)
        size = math.prod(shape)
        flat = self.op("iota", (size,), "i32", attributes="iota_dimension = 0 : i64")
        scaled = self.op("multiply", (size,), "i32", flat, self.constant(step, (size,), "i32"))
        narrow = self.op("convert", (size,), q.integer, scaled)
        sum_ = self.op("add", shape, q.integer, self.op("reshape", shape, q.integer, narrow), seed)
        return self.op("bitcast_convert", shape, q, sum_)

    def text(self):
        arguments = ", ".join(f"%arg{i}: {type_}" for i, type_ in enumerate(self.arguments))
        types = ", ".join(tensor(v.shape, v.element) for v in self.results)
        body = "\n".join(f"  {line}" for line in self.lines)
        names = ", ".join(v.name for v in self.results)
        return (
            f"func.func @main({arguments}) -> ({types}) {{\n{body}\n"
            f"  func.return {names} : {types}\n}}\n"
        )


class Value:
    def __init__(self, name, shape, element):
        self.name, self.shape, self.element = name, tuple(shape), element


def rewritten(p, value, q):
    return p.op("uniform_quantize", value.shape, q, value)


def arithmetic(p, types):
    """Everything that depends on the storage and the expressed type."""
    for q, other in types:
        n = (min(1 << bits_of(q.storage), 300) + 5,)
        step = 1 if bits_of(q.storage) <= 8 else 97 if bits_of(q.storage) == 16 else 88883
        x = p.every(n, q, step=step)
        y = p.op("reverse", n, q, x, attributes="dimensions = array<i64: 0>")
        p.give(p.op("uniform_dequantize", n, q.expressed, x))
        p.give(rewritten(p, x, other))
        real = p.op("convert", n, q.expressed, p.argument(n, "f32"))
        p.give(rewritten(p, real, q))
        p.give(p.op("add", n, other, x, y), p.op("multiply", n, q, x, y), p.op("maximum", n, q, x, y))
        order = p.op("compare", n, "i1", x, y, attributes="comparison_direction = #stablehlo<comparison_direction LT>")
        p.give(order, p.op("select", n, q, order, x, y))


# A type, and one with other parameters.
def pair(storage, expressed, scale, zero, scale2, zero2, limits=""):
    return Quantized(storage, expressed, scale, zero, limits=limits), Quantized(
        storage, expressed, scale2, zero2, limits=limits
    )


@program
def narrow_storage(p):
    arithmetic(
        p,
        [
            pair("i2", "f32", 0.7, 0, 1.1, -1),
            pair("u2", "bf16", 0.5, 1, 0.25, 0),
            pair("i4", "f32", 0.1, 3, 0.07, -2),
            pair("u4", "f16", 0.125, 8, 0.3, 0),
            pair("i4", "f8E4M3FN", 0.25, 1, 0.5, 0),
            pair("i4", "bf16", 0.0625, 2, 0.5, 0),
        ],
    )


@program
def byte_storage(p):
    arithmetic(
        p,
        [
            pair("i8", "f32", 0.00784313771, 3, 0.05, -30),
            pair("u8", "f32", 0.05, 128, 0.25, 0),
            pair("i8", "f32", 0.05, 0, 0.1, 5, limits="<-127:127>"),
            pair("u8", "f32", 0.05, 7, 0.1, 5, limits="<1:200>"),
            pair("i8", "bf16", 0.05, 17, 0.5, 0),
            pair("i8", "f16", 300.0, -128, 1.0, 127),
            pair("u8", "f64", 0.1, 100, 0.3, 1),
        ],
    )


@program
def wide_storage(p):
    arithmetic(
        p,
        [
            pair("i16", "f32", 0.001, -7, 0.003, 100),
            pair("u16", "f32", 3.0e-5, 32768, 1.0e-4, 0),
            pair("i16", "bf16", 0.001, 300, 0.5, 0),
            pair("i32", "f32", 1.0e-6, 12345, 0.1, -1000000),
            pair("u32", "f32", 1.0e-6, 2147483648, 0.1, 0),
            pair("i32", "f64", 1.0e-6, 12345, 0.1, -2147483648),
            pair("i32", "f16", 1.0e-3, 0, 0.1, 5),
            pair("i32", "f32", 1.0e-6, 0, 0.5, 0, limits="<-1000001:1000001>"),
        ],
    )


UNARY = """abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate round_nearest_afz
    round_nearest_even rsqrt sign sine sqrt tan tanh""".split()
BINARY = "add atan2 divide maximum minimum multiply power remainder subtract".split()


@program
def elementwise(p):
    n = (261,)
    x, y = Quantized("i8", "f32", 0.0625, 3), Quantized("i8", "f32", 0.03, -10)
    a = p.every(n, x)
    b = p.every(n, y, step=37)
    p.give(*(p.op(name, n, y, a) for name in UNARY))
    p.give(*(p.op(name, n, x, a, b) for name in BINARY))
    p.give(p.op("is_finite", n, "i1", a))
    p.give(p.op("reduce_precision", n, x, a, attributes="exponent_bits = 5 : i32, mantissa_bits = 2 : i32"))
    p.give(p.op("clamp", n, y, p.constant(-9, (), y, "i8"), a, p.constant(90, (), x, "i8")))
    for order in ("EQ", "NE", "LT", "LE", "GT", "GE"):
        direction = f"comparison_direction = #stablehlo<comparison_direction {order}>"
        p.give(p.op("compare", n, "i1", a, b, attributes=direction))
        p.give(p.op("compare", n, "i1", a, p.constant(7, n, x, "i8"), attributes=direction))
    p.give(p.op("iota", n, y, attributes="iota_dimension = 0 : i64"))
    c = p.constant(90, (), y, "i8")
    p.give(p.op(f'"chlo.broadcast_subtract"({a.name}, {c.name})', n, x, a, c))


@program
def elementwise_bf16(p):
    n = (257,)
    x, y = Quantized("u8", "bf16", 0.03125, 100), Quantized("u8", "bf16", 0.01, 20)
    a = p.every(n, x)
    b = p.every(n, y, step=29)
    p.give(*(p.op(name, n, y, a) for name in UNARY))
    p.give(*(p.op(name, n, x, a, b) for name in BINARY))


@program
def edges(p):
    """Infinities, NaN, ties, and values beyond the storage."""
    n = (64,)
    x = p.argument(n, "f32")
    zero = p.constant("0.0", n, "f32")
    infinite = p.op("divide", n, "f32", x, zero)
    nan = p.op("multiply", n, "f32", infinite, zero)
    huge = p.op("multiply", n, "f32", x, p.constant("3.0e38", n, "f32"))
    count = p.op("iota", n, "f32", attributes="iota_dimension = 0 : i64")
    ties = p.op("subtract", n, "f32", count, p.constant("31.5", n, "f32"))
    for q in (
        Quantized("i8", "f32", 1.0, 0),
        Quantized("i4", "f32", 1.0, 1),
        Quantized("u8", "f32", 0.5, 3),
        Quantized("i8", "f32", 1.0, 5, limits="<2:90>"),
        Quantized("i32", "f32", 1.0, 0),
        Quantized("u32", "f32", 1.0, 4),
        Quantized("i8", "f32", 1.0e-30, 0),
        Quantized("i16", "f32", [0.5 + i / 8 for i in range(64)], [3 * i - 90 for i in range(64)], axis=0),
    ):
        for value in (x, infinite, nan, huge, ties):
            p.give(rewritten(p, value, q))
    for q in (Quantized("i8", "f16", 1.0, 0), Quantized("i32", "f16", 1.0, -3), Quantized("u16", "f64", 0.1, 9)):
        for value in (infinite, nan, huge, ties):
            p.give(rewritten(p, p.op("convert", n, q.expressed, value), q))


def per_axis(storage, axis, scales, zeros):
    return Quantized(storage, "f32", scales, zeros, axis=axis)


@program
def moving_elements(p):
    s = (6, 8)
    q = Quantized("u8", "f32", 0.05, 9)
    x = p.every(s, q, step=11)
    t = p.op("transpose", (8, 6), q, x, attributes="permutation = array<i64: 1, 0>")
    p.give(t, p.op("reshape", (4, 12), q, x), p.op("reverse", s, q, x, attributes="dimensions = array<i64: 1>"))
    p.give(p.op("broadcast_in_dim", (2, 6, 8), q, x, attributes="broadcast_dimensions = array<i64: 1, 2>"))
    p.give(
        p.op(
            "slice",
            (3, 3),
            q,
            x,
            attributes="start_indices = array<i64: 1, 0>, limit_indices = array<i64: 4, 8>, strides = array<i64: 1, 3>",
        )
    )
    pad = "edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 1, 0>"
    p.give(p.op("pad", (12, 9), q, x, p.constant(200, (), q, "i8"), attributes=pad))
    p.give(p.op("concatenate", (12, 8), q, x, x, attributes="dimension = 0 : i64"))
    i, j = p.argument((), "i32"), p.argument((), "i32")
    part = p.op("dynamic_slice", (2, 3), q, x, i, j, attributes="slice_sizes = array<i64: 2, 3>")
    p.give(part, p.op("dynamic_update_slice", s, q, x, part, j, i))
    rows = p.argument((5, 1), "i32")
    gather = (
        "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
        "index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>, indices_are_sorted = false"
    )
    p.give(p.op("gather", (5, 8), q, x, rows, attributes=gather))
    barrier = p.op("optimization_barrier", s, q, x)
    p.give(p.op("custom_call", s, q, barrier, attributes='call_target_name = "annotate_device_placement"'))
    by_row = per_axis("i8", 0, [0.1 + 0.05 * i for i in range(6)], range(-3, 3))
    by_column = per_axis("i8", 1, [0.1 + 0.05 * i for i in range(6)], range(-3, 3))
    y = p.every(s, by_row, step=5)
    p.give(p.op("transpose", (8, 6), by_column, y, attributes="permutation = array<i64: 1, 0>"))
    p.give(p.op("broadcast_in_dim", (2, 6, 8), per_axis("i8", 1, [0.1 + 0.05 * i for i in range(6)], range(-3, 3)), y,
                attributes="broadcast_dimensions = array<i64: 1, 2>"))


@program
def axes(p):
    s = (4, 3, 5)
    for axis in range(3):
        k = s[axis]
        q = per_axis("i8", axis, [0.02 * (i + 1) for i in range(k)], [7 * i - 9 for i in range(k)])
        r = per_axis("i16", axis, [0.003 * (i + 2) for i in range(k)], [0] * k)
        x = p.every(s, q, step=4)
        p.give(p.op("uniform_dequantize", s, "f32", x), rewritten(p, x, r), p.op("add", s, q, x, x))
        p.give(rewritten(p, p.argument(s, "f32"), q), rewritten(p, x, Quantized("u4", "f32", 0.3, 5)))


def dot(p, lhs, rhs, result, batching="", contracting="[1] x [0]", shape=None):
    """Matrix product, the last dimension of lhs with the first of rhs unless told."""
    shape = shape or (lhs.shape[0], rhs.shape[1])
    left, right = contracting.split(" x ")
    numbers = f"lhs_contracting_dimensions = {left}, rhs_contracting_dimensions = {right}"
    if batching:
        left, right = batching.split(" x ")
        numbers = f"lhs_batching_dimensions = {left}, rhs_batching_dimensions = {right}, {numbers}"
    return p.op("dot_general", shape, result, lhs, rhs, attributes=f"dot_dimension_numbers = #stablehlo.dot<{numbers}>")


@program
def products(p):
    n, k, m = 7, 40, 9
    scales, zeros = [2.0 ** (i % 4 - 6) for i in range(m)], [0] * m
    sums = Quantized("i32", "f32", 2.0**-12, 0)
    for q, w, out in (
        # Powers of two: sums of integers.
        (Quantized("i8", "f32", 0.0625, 0), Quantized("i8", "f32", 0.03125, 0), Quantized("i8", "f32", 0.5, -4)),
        (Quantized("u8", "f32", 0.0625, 128), Quantized("u8", "f32", 0.03125, 0), sums),
        (Quantized("i8", "f32", 0.0625, 3), per_axis("i8", 1, scales, zeros), Quantized("i8", "f32", 0.5, 0)),
        (Quantized("i8", "f32", 0.0625, 3), per_axis("i8", 1, scales, zeros),
         per_axis("i32", 1, [s / 16 for s in scales], zeros)),
        (Quantized("i4", "bf16", 0.5, 1), Quantized("i4", "bf16", 0.25, 0), Quantized("i4", "bf16", 16.0, 0)),
        (Quantized("u16", "f64", 0.75, 9), Quantized("u16", "f64", 0.3, 0), Quantized("i16", "f64", 8.0, 0)),
        # Others.
        (Quantized("i8", "f32", 0.1, 3), Quantized("i8", "f32", 0.07, 0), Quantized("i8", "f32", 0.9, -4)),
        (Quantized("u8", "f32", 0.1, 100), per_axis("u8", 1, [0.01 * (i + 1) for i in range(m)], zeros),
         per_axis("i32", 1, [0.001 * (i + 1) for i in range(m)], zeros)),
        (Quantized("i8", "bf16", 0.1, 0), Quantized("i8", "bf16", 0.07, 0), Quantized("i8", "bf16", 2.0, 0)),
        (Quantized("u4", "f16", 0.1, 3), Quantized("u4", "f16", 0.07, 0), Quantized("i16", "f16", 0.1, 0)),
        (Quantized("i16", "f32", 0.1, 0), Quantized("i16", "f32", 0.07, 0), Quantized("i16", "f32", 2.0e4, 0)),
    ):
        x, y = p.every((n, k), q, step=23), p.every((k, m), w, step=19)
        p.give(dot(p, x, y, out))
    q, w = Quantized("i8", "f32", 0.0625, 1), per_axis("i8", 0, [0.25, 0.5], [0, 0])
    x, y = p.every((2, 3, 8), q, step=23), p.every((2, 8, 4), w, step=19)
    p.give(dot(p, x, y, Quantized("i8", "f32", 4.0), "[0] x [0]", "[2] x [1]", (2, 3, 4)))
    # Float activations, quantized weights: compared as floats.
    x = p.argument((3, 16), "f32")
    y = p.every((16, 4), Quantized("i8", "f32", 0.1), step=19)
    p.results.append(dot(p, x, y, "f32"))


def convolution(p, lhs, rhs, result, shape, groups=1):
    attributes = (
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        "window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, "
        f"feature_group_count = {groups} : i64, batch_group_count = 1 : i64"
    )
    return p.op("convolution", shape, result, lhs, rhs, attributes=attributes)


@program
def convolutions(p):
    image, kernel, out = (2, 7, 6, 4), (3, 3, 4, 6), (2, 4, 6, 6)
    powers = [2.0 ** (i % 3 - 6) for i in range(6)]
    for q, w, r in (
        (Quantized("i8", "f32", 0.0625, 3), Quantized("i8", "f32", 0.03125, 0), Quantized("i8", "f32", 0.5, -4)),
        (Quantized("u8", "f32", 0.0625, 100), per_axis("u8", 3, powers, [0] * 6), Quantized("i32", "f32", 2.0**-10)),
        (Quantized("i8", "f32", 0.1, 3), per_axis("i8", 3, [0.3 * s for s in powers], [0] * 6),
         per_axis("i32", 3, [0.03 * s for s in powers], [0] * 6)),
        (Quantized("u8", "f32", 0.1, 99), Quantized("u8", "f32", 0.07, 2), Quantized("u8", "f32", 0.9, 128)),
    ):
        p.give(convolution(p, p.every(image, q, step=23), p.every(kernel, w, step=19), r, out))
    q, w = Quantized("i8", "f32", 0.125, 3), per_axis("i8", 3, [0.25, 0.5, 0.25, 0.125], [0] * 4)
    x, y = p.every(image, q, step=23), p.every((3, 3, 1, 4), w, step=19)
    p.give(convolution(p, x, y, Quantized("i8", "f32", 1.0, 1), (2, 4, 6, 4), groups=4))
    p.results.append(convolution(p, p.argument(image, "f32"), p.every(kernel, Quantized("i8", "f32", 0.1)), "f32", out))


def region(name, q, operation, result=None):
    scalar = tensor((), q)
    result = result or scalar
    return (
        f"({{\n  ^bb0(%a: {scalar}, %b: {scalar}):\n"
        f"    %c = {operation} : ({scalar}, {scalar}) -> {result}\n"
        f'    "stablehlo.return"(%c) : ({result}) -> ()\n  }})'
    )


def reducing(p, text, shape, q, operands, body, attributes):
    names = ", ".join(v.name for v in operands)
    return p.op(f'"stablehlo.{text}"({names}) {body}', shape, q, *operands, attributes=attributes)


@program
def reductions(p):
    s = (6, 20)
    q = Quantized("i8", "f32", 0.05, -3)
    wide = Quantized("i32", "f32", 0.05, -3)
    x = p.every(s, q, step=7)
    big = p.op("uniform_quantize", s, wide, x)
    zero, low = p.constant(-3, (), wide, "i32"), p.constant(-128, (), q, "i8")
    add, most = (region("r", t, f'"stablehlo.{o}"(%a, %b)') for t, o in ((wide, "add"), (q, "maximum")))
    rows, window = "dimensions = array<i64: 1>", "window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 1>"
    p.give(reducing(p, "reduce", (6,), wide, (big, zero), add, rows))
    p.give(reducing(p, "reduce", (20,), wide, (big, zero), add, "dimensions = array<i64: 0>"))
    p.give(reducing(p, "reduce", (6,), q, (x, low), most, rows))
    p.give(reducing(p, "reduce_window", (3, 18), wide, (big, zero), add, window))
    p.give(reducing(p, "reduce_window", (3, 18), q, (x, low), most, window))
    greater = region(
        "c", q, '"stablehlo.compare"(%a, %b) {comparison_direction = #stablehlo<comparison_direction GT>}', "tensor<i1>"
    )
    p.give(reducing(p, "sort", s, q, (x,), greater, "dimension = 1 : i64, is_stable = true"))
    source = p.every((3, 18), q, step=3)
    plus = region("s", q, '"stablehlo.add"(%a, %b)')
    p.give(reducing(p, "select_and_scatter", s, q, (x, source, p.constant(-3, (), q, "i8")),
                    greater[:-1] + ", " + plus[1:], window))
    rows = p.argument((4, 1), "i32")
    updates = p.every((4, 20), q, step=1)
    numbers = (
        "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false"
    )
    p.give(reducing(p, "scatter", s, q, (x, rows, updates), most, numbers))
    p.give(reducing(p, "map", s, q, (x, x), plus, "dimensions = array<i64: 0, 1>"))


@program
def control(p):
    n = (12,)
    q = Quantized("i8", "f32", 0.05, 4)
    x = p.every(n, q, step=9)
    t = tensor(n, q)
    i = p.argument((), "i32")
    zero, limit, one = (p.constant(v, (), "i32") for v in (0, 5, 1))
    name = f"%{len(p.lines)}"
    p.lines.append(f"""{name}:2 = "stablehlo.while"({zero.name}, {x.name}) ({{
  ^bb0(%k: tensor<i32>, %v: {t}):
    %go = stablehlo.compare LT, %k, {limit.name} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }}, {{
  ^bb0(%k: tensor<i32>, %v: {t}):
    %next = stablehlo.add %k, {one.name} : tensor<i32>
    %w = stablehlo.reverse %v, dims = [0] : {t}
    %sum = stablehlo.add %v, %w : {t}
    stablehlo.return %next, %sum : tensor<i32>, {t}
  }}) : (tensor<i32>, {t}) -> (tensor<i32>, {t})""")
    p.give(Value(f"{name}#1", n, q))
    branches = f"""({{
    stablehlo.return {x.name} : {t}
  }}, {{
    %n = stablehlo.negate {x.name} : {t}
    stablehlo.return %n : {t}
  }})"""
    p.give(p.op(f'"stablehlo.case"({i.name}) {branches}', n, q, i))
    pred = p.op("compare", (), "i1", i, one, attributes="comparison_direction = #stablehlo<comparison_direction LT>")
    p.give(p.op(f'"stablehlo.if"({pred.name}) {branches}', n, q, pred))


@program
def arguments(p):
    """A signature of quantized types."""
    q = Quantized("i8", "f32", 0.05, 4)
    w = per_axis("u4", 0, [0.5, 0.25, 0.1], [0, 1, 2])
    x, y = p.argument((3, 5), q), p.argument((3, 5), w)
    p.results += [p.op("add", (3, 5), q, x, x), x, y, p.op("uniform_dequantize", (3, 5), "f32", y)]


@program
def linear_algebra(p):
    n = (3, 4)
    q = Quantized("i8", "f32", 0.05, 4)
    x, gradient = p.every(n, q, step=21), p.every(n, q, step=13)
    vectors = [p.every((4,), t, step=3) for t in (q, q, q, Quantized("i8", "f32", 0.1, -128))]
    norm = "epsilon = 1.0e-3 : f32, feature_index = 1 : i64"
    p.give(p.op("batch_norm_inference", n, q, x, *vectors, attributes=norm))
    name = f"%{len(p.lines)}"
    for op, operands in (("batch_norm_training", [x, *vectors[:2]]),
                         ("batch_norm_grad", [x, vectors[0], vectors[1], vectors[3], gradient])):
        name = f"%{len(p.lines)}"
        types = ", ".join(tensor(v.shape, v.element) for v in operands)
        names = ", ".join(v.name for v in operands)
        p.lines.append(f'{name}:3 = "stablehlo.{op}"({names}) {{{norm}}} : ({types}) -> '
                       f"({tensor(n, q)}, {tensor((4,), q)}, {tensor((4,), q)})")
        p.give(*(Value(f"{name}#{i}", s, q) for i, s in enumerate((n, (4,), (4,)))))
    a = p.constant("[[40, 3, 5], [3, 50, 7], [5, 7, 60]]", (3, 3), Quantized("i8", "f32", 0.1, 0), "i8")
    result = Quantized("i8", "f32", 0.05, 0)
    p.give(p.op("cholesky", (3, 3), result, a, attributes="lower = true"))
    solve = "left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>"
    p.give(p.op("triangular_solve", n, result, a, x, attributes=solve))


def examples():
    """One program of all the interpreter's examples, whose results its own test knows."""
    text = EXAMPLES.read_text()
    lines, results = [], []
    for i, (name, types) in enumerate(re.findall(r"^func\.func @(\w+)\(\) -> (.*) {$", text, re.MULTILINE)):
        types = re.findall(r"tensor<[^()]*?>(?=[,)]|$)", types)
        lines.append(f"  %e{i}:{len(types)} = func.call @{name}() : () -> ({', '.join(types)})")
        results += [(f"%e{i}#{k}", type_) for k, type_ in enumerate(types)]
    names, types = (", ".join(part) for part in zip(*results))
    body = "\n".join(lines)
    return f"{text}\nfunc.func @main() -> ({types}) {{\n{body}\n  func.return {names} : {types}\n}}\n"


def texts():
    yield "quantized_examples", examples()
    for name, function in PROGRAMS.items():
        p = Program()
        function(p)
        yield name, p.text()
