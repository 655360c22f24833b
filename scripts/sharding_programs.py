"""Random programs with random shardings, and random shardings for programs that there are, for
compare_with_shardy.py."""

import random

MESHES = (
    (("x", 2), ("y", 4)),
    (("a", 4), ("b", 2), ("c", 2)),
    (("x", 8),),
    (("p", 2), ("q", 3), ("r", 1)),
    (("a", 2), ("b", 2), ("c", 2), ("d", 2)),
)


def mesh_text(mesh):
    return "<[" + ", ".join(f'"{name}"={size}' for name, size in mesh) + "]>"


def divisors(size):
    return [d for d in range(2, size + 1) if size % d == 0]


class Shardings:
    """Random shardings over one mesh, which `reference` stands for: a name, or the mesh itself."""

    def __init__(self, rng, mesh, reference="@mesh"):
        self.rng, self.mesh, self.reference = rng, mesh, reference
        # Parts of axes, but seldom, and always the same ones.
        self.parts = []
        for name, size in mesh:
            middle = [d for d in divisors(size) if d < size]
            if middle and rng.random() < 0.25:
                at = rng.choice(middle)
                self.parts += [(f'"{name}":(1){at}', at), (f'"{name}":({at}){size // at}', size // at)]
            else:
                self.parts.append((f'"{name}"', size))

    def text(self, shape, without=(), closed=None, priorities=True, uneven=0.1, unreduced=False):
        """A sharding of an array, which cuts evenly but for a few. `without` are names of axes not to use."""
        rng = self.rng
        free = [part for part in self.parts if not any(f'"{name}"' in part[0] for name in without)]
        rng.shuffle(free)
        dims = []
        for size in shape:
            axes, parts = [], 1
            while free and rng.random() < 0.4:
                text, count = free[-1]
                if size % (parts * count) and rng.random() > uneven:
                    break
                # The first part of an axis is not followed by its rest: that would be one axis.
                if axes and axes[-1].split(":")[0] == text.split(":")[0]:
                    break
                free.pop()
                axes.append(text)
                parts *= count
            is_closed = closed if closed is not None else rng.random() < 0.5
            if not is_closed:
                axes.append("?")
            priority = ""
            if priorities and axes and rng.random() < 0.1:
                priority = f"p{rng.randrange(3)}"
            dims.append("{" + ", ".join(axes) + "}" + priority)
        left = ""
        if free and rng.random() < 0.1:
            left = ", replicated={" + free.pop()[0] + "}"
        if free and unreduced and rng.random() < 0.05:
            left += ", unreduced={" + free.pop()[0] + "}"
        return f"<{self.reference}, [{', '.join(dims)}]{left}>"


def other_meshes(rng, mesh):
    """The declarations of further meshes of as many devices, and shardings over these and over meshes that have no
    name: the same mesh, one of another order, one of other axes."""
    devices = 1
    for _, size in mesh:
        devices *= size
    order = list(range(devices))
    rng.shuffle(order)
    declarations = [
        f"sdy.mesh @same = {mesh_text(mesh)}",
        f"sdy.mesh @turned = {mesh_text(mesh)[:-1]}, device_ids={order}>",
        f"sdy.mesh @flat = {mesh_text([('flat', devices)])}",
    ]
    shardings = [
        Shardings(rng, mesh, "@same"),
        Shardings(rng, mesh, "mesh" + mesh_text(mesh)),
        Shardings(rng, mesh, "@turned"),
        Shardings(rng, (("flat", devices),), "@flat"),
    ]
    return declarations, shardings


def decorate(module, seed):
    """Gives the arguments and results of the main function random shardings over a mesh of their own."""
    from jaxlib.mlir import ir

    rng = random.Random(seed)
    shardings = Shardings(rng, rng.choice(MESHES))
    operations = list(module.body.operations)
    if any(op.operation.name == "sdy.mesh" for op in operations):
        raise ValueError("the program has shardings of its own")
    functions = [op for op in operations if op.operation.name == "func.func"]
    main = next(f for f in functions if str(f.attributes["sym_name"]) == '"main"')
    kind = main.attributes["function_type"].value

    def with_shardings(types, chance):
        listed = []
        for type_ in types:
            own = {}
            if isinstance(type_, ir.RankedTensorType) and rng.random() < chance:
                text = shardings.text(type_.shape)
                own["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding{text}")
            listed.append(ir.DictAttr.get(own))
        return ir.ArrayAttr.get(listed)

    if kind.inputs:
        main.attributes["arg_attrs"] = with_shardings(kind.inputs, 0.7)
    if kind.results:
        main.attributes["res_attrs"] = with_shardings(kind.results, 0.1)
    mesh = ir.Module.parse(f"sdy.mesh @mesh = {mesh_text(shardings.mesh)}").body.operations[0]
    mesh.operation.clone(ir.InsertionPoint.at_block_begin(module.body))


class Program:
    """A random program in the text of MLIR."""

    SIZES = (1, 2, 3, 4, 6, 8, 12, 16)

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.shardings = Shardings(self.rng, self.rng.choice(MESHES))
        self.meshes, self.others = [], []
        if self.rng.random() < 0.3:
            self.meshes, self.others = other_meshes(self.rng, self.shardings.mesh)
        self.next = 0
        self.functions = []
        self.groups = {}

    # Values are pairs of a name and a shape.

    def name(self):
        self.next += 1
        return f"%v{self.next}"

    @staticmethod
    def type(shape):
        return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"

    def sharding(self, shape):
        """Seldom over another mesh, and in the body of a manual computation never."""
        if self.others and not self.manual and self.rng.random() < 0.2:
            return self.rng.choice(self.others).text(shape)
        return self.shardings.text(shape, without=self.manual, unreduced=not self.manual)

    def shape(self):
        return tuple(self.rng.choice(self.SIZES) for _ in range(self.rng.randrange(1, 4)))

    def pick(self, values):
        # Rather what is new.
        return values[max(self.rng.randrange(len(values)), self.rng.randrange(len(values)))]

    def emit(self, lines, shape, text):
        name = self.name()
        lines.append(f"{name} = {text}")
        return name, tuple(shape)

    def alike(self, values, shape, lines):
        """A value of this shape."""
        fitting = [value for value in values if value[1] == tuple(shape)]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        if self.rng.random() < 0.5:
            scalar = self.emit(lines, (), "stablehlo.constant dense<1.0> : tensor<f32>")
            return self.emit(
                lines, shape, f"stablehlo.broadcast_in_dim {scalar[0]}, dims = [] : (tensor<f32>) -> {self.type(shape)}"
            )
        return self.emit(lines, shape, f"stablehlo.constant dense<2.0> : {self.type(shape)}")

    # Ops, each of which adds to `lines` and returns its result, or None if it does not fit.

    def unary(self, values, lines):
        x, shape = self.pick(values)
        op = self.rng.choice(("tanh", "negate", "abs", "cosine"))
        return self.emit(lines, shape, f"stablehlo.{op} {x} : {self.type(shape)}")

    def binary(self, values, lines):
        x, shape = self.pick(values)
        y, _ = self.alike(values, shape, lines)
        op = self.rng.choice(("add", "multiply", "subtract", "maximum"))
        return self.emit(lines, shape, f"stablehlo.{op} {x}, {y} : {self.type(shape)}")

    def dot(self, values, lines):
        x, left = self.pick(values)
        y, right = self.pick(values)
        pairs = [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if a == b]
        self.rng.shuffle(pairs)
        used, batch, contracted = set(), [], []
        for i, j in pairs:
            if ("l", i) in used or ("r", j) in used:
                continue
            used |= {("l", i), ("r", j)}
            (batch if self.rng.random() < 0.3 else contracted).append((i, j))
            if self.rng.random() < 0.5:
                break
        shape = [left[i] for i, _ in batch]
        shape += [a for i, a in enumerate(left) if ("l", i) not in used]
        shape += [b for j, b in enumerate(right) if ("r", j) not in used]
        if len(shape) > 4:
            return None
        pair = lambda dims: f"[{', '.join(str(i) for i, _ in dims)}] x [{', '.join(str(j) for _, j in dims)}]"
        text = f"stablehlo.dot_general {x}, {y}, "
        if batch:
            text += f"batching_dims = {pair(batch)}, "
        text += f"contracting_dims = {pair(contracted)} : ({self.type(left)}, {self.type(right)}) -> {self.type(shape)}"
        return self.emit(lines, shape, text)

    def reduce(self, values, lines):
        x, shape = self.pick(values)
        dims = sorted(self.rng.sample(range(len(shape)), self.rng.randrange(0, len(shape) + 1)))
        kept = [size for i, size in enumerate(shape) if i not in dims]
        zero, _ = self.emit(lines, (), "stablehlo.constant dense<0.0> : tensor<f32>")
        return self.emit(
            lines,
            kept,
            f"stablehlo.reduce({x} init: {zero}) applies stablehlo.add across dimensions = {dims} : "
            f"({self.type(shape)}, tensor<f32>) -> {self.type(kept)}",
        )

    def broadcast(self, values, lines):
        x, shape = self.pick(values)
        if len(shape) > 2:
            return None
        result, dims = list(shape), list(range(len(shape)))
        at = self.rng.randrange(len(shape) + 1)
        result.insert(at, self.rng.choice(self.SIZES))
        dims = [dim + (dim >= at) for dim in dims]
        return self.emit(
            lines,
            result,
            f"stablehlo.broadcast_in_dim {x}, dims = {dims} : ({self.type(shape)}) -> {self.type(result)}",
        )

    def transpose(self, values, lines):
        x, shape = self.pick(values)
        order = list(range(len(shape)))
        self.rng.shuffle(order)
        result = [shape[i] for i in order]
        return self.emit(
            lines, result, f"stablehlo.transpose {x}, dims = {order} : ({self.type(shape)}) -> {self.type(result)}"
        )

    def reshape(self, values, lines):
        x, shape = self.pick(values)
        count = 1
        for size in shape:
            count *= size
        result = []
        while count > 1 and len(result) < 3:
            size = self.rng.choice(divisors(count))
            result.append(size)
            count //= size
        if count > 1:
            result.append(count)
        if self.rng.random() < 0.2:
            result.insert(self.rng.randrange(len(result) + 1), 1)
        return self.emit(lines, result, f"stablehlo.reshape {x} : ({self.type(shape)}) -> {self.type(result)}")

    def slice(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        result = [self.rng.randrange(1, size + 1) if self.rng.random() < 0.5 else size for size in shape]
        ranges = ", ".join(f"0:{size}" for size in result)
        return self.emit(lines, result, f"stablehlo.slice {x} [{ranges}] : ({self.type(shape)}) -> {self.type(result)}")

    def concatenate(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        y, _ = self.alike(values, shape, lines)
        dim = self.rng.randrange(len(shape))
        result = list(shape)
        result[dim] *= 2
        return self.emit(
            lines,
            result,
            f"stablehlo.concatenate {x}, {y}, dim = {dim} : "
            f"({self.type(shape)}, {self.type(shape)}) -> {self.type(result)}",
        )

    def pad(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        zero, _ = self.emit(lines, (), "stablehlo.constant dense<0.0> : tensor<f32>")
        high = [self.rng.choice((0, 0, 1, 4)) for _ in shape]
        result = [size + more for size, more in zip(shape, high)]
        none = [0] * len(shape)
        return self.emit(
            lines,
            result,
            f"stablehlo.pad {x}, {zero}, low = {none}, high = {high}, interior = {none} : "
            f"({self.type(shape)}, tensor<f32>) -> {self.type(result)}",
        )

    def dynamic_slice(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        result = [self.rng.choice((1, size)) for size in shape]
        index, _ = self.emit(lines, (), "stablehlo.constant dense<0> : tensor<i32>")
        listed = ", ".join([index] * len(shape))
        types = ", ".join(["tensor<i32>"] * len(shape))
        if self.rng.random() < 0.5:
            return self.emit(
                lines,
                result,
                f"stablehlo.dynamic_slice {x}, {listed}, sizes = {result} : "
                f"({self.type(shape)}, {types}) -> {self.type(result)}",
            )
        y, _ = self.alike(values, result, lines)
        return self.emit(
            lines,
            shape,
            f"stablehlo.dynamic_update_slice {x}, {y}, {listed} : "
            f"({self.type(shape)}, {self.type(result)}, {types}) -> {self.type(shape)}",
        )

    def sort(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        dim = self.rng.randrange(len(shape))
        return self.emit(
            lines,
            shape,
            f'"stablehlo.sort"({x}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n'
            f"^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
            f"%c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            f"stablehlo.return %c : tensor<i1>\n}}) : ({self.type(shape)}) -> {self.type(shape)}",
        )

    def gather(self, values, lines):
        x, shape = self.pick(values)
        if not shape:
            return None
        count = self.rng.choice(self.SIZES)
        index, _ = self.emit(lines, (), f"stablehlo.constant dense<0> : tensor<{count}x1xi32>")
        result = (count, *shape[1:])
        offsets = list(range(1, len(shape)))
        sizes = ", ".join(str(size) for size in (1, *shape[1:]))
        return self.emit(
            lines,
            result,
            f'"stablehlo.gather"({x}, {index}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {offsets}, '
            f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
            f"slice_sizes = array<i64: {sizes}>}}> : ({self.type(shape)}, tensor<{count}x1xi32>) -> {self.type(result)}",
        )

    def iota(self, values, lines):
        shape = self.pick(values)[1]
        if not shape:
            return None
        dim = self.rng.randrange(len(shape))
        return self.emit(lines, shape, f"stablehlo.iota dim = {dim} : {self.type(shape)}")

    def constraint(self, values, lines):
        x, shape = self.pick(values)
        text = self.sharding(shape)
        return self.emit(lines, shape, f"sdy.sharding_constraint {x} {text} : {self.type(shape)}")

    def barrier(self, values, lines):
        x, shape = self.pick(values)
        if self.rng.random() < 0.5:
            return self.emit(lines, shape, f"stablehlo.optimization_barrier {x} : {self.type(shape)}")
        direction = self.rng.choice(("NONE", "FORWARD", "BACKWARD"))
        return self.emit(
            lines, shape, f"sdy.propagation_barrier {x} allowed_direction={direction} : {self.type(shape)}"
        )

    def group(self, values, lines):
        x, shape = self.pick(values)
        # A group's values are of one shape, and in one body.
        key = (shape, self.body)
        if key not in self.groups or self.rng.random() < 0.3:
            self.groups[key] = len(self.groups) + 100 * len(self.groups)
        lines.append(f"sdy.sharding_group {x} group_id={self.groups[key]} : {self.type(shape)}")
        return None

    def loop(self, values, lines):
        carried = [self.pick(values) for _ in range(self.rng.randrange(1, 4))]
        zero, _ = self.emit(lines, (), "stablehlo.constant dense<0> : tensor<i32>")
        arguments = [(self.name(), shape) for _, shape in carried]
        count = self.name()
        types = ", ".join(["tensor<i32>", *(self.type(shape) for _, shape in carried)])
        inner = []
        results = self.body_results(inner, arguments + self.captured(values), [shape for _, shape in arguments])
        name = self.name()
        listed = ", ".join(
            f"{a} = {x}" for a, x in [(count, zero), *((a, x) for (a, _), (x, _) in zip(arguments, carried))]
        )
        lines.append(f"{name}:{len(carried) + 1} = stablehlo.while({listed}) : {types}")
        lines += ["cond {", f"%n = stablehlo.constant dense<3> : tensor<i32>"]
        lines += [f"%c = stablehlo.compare LT, {count}, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>"]
        lines += ["stablehlo.return %c : tensor<i1>", "} do {", *inner]
        lines += ["stablehlo.return " + ", ".join([count, *(x for x, _ in results)]) + f" : {types}", "}"]
        return [(f"{name}#{i + 1}", shape) for i, (_, shape) in enumerate(carried)]

    def captured(self, values):
        return self.rng.sample(values, min(len(values), 2))

    def case(self, values, lines):
        shapes = [self.pick(values)[1] for _ in range(self.rng.randrange(1, 3))]
        index, _ = self.emit(lines, (), "stablehlo.constant dense<0> : tensor<i32>")
        types = ", ".join(self.type(shape) for shape in shapes)
        branches = []
        for _ in range(2):
            inner = []
            results = self.body_results(inner, values, shapes)
            inner.append("stablehlo.return " + ", ".join(x for x, _ in results) + f" : {types}")
            branches.append("{\n" + "\n".join(inner) + "\n}")
        name = self.name()
        results = types if len(shapes) == 1 else f"({types})"
        lines.append(
            f'{name}:{len(shapes)} = "stablehlo.case"({index}) ({", ".join(branches)}) : (tensor<i32>) -> {results}'
        )
        return [(f"{name}#{i}", shape) for i, shape in enumerate(shapes)]

    def manual_computation(self, values, lines):
        if self.body:
            return None
        axes = [axis for axis in self.shardings.mesh if axis[1] > 1 and f'"{axis[0]}"' in dict(self.shardings.parts)]
        if not axes:
            return None
        names = [name for name, _ in self.rng.sample(axes, self.rng.randrange(1, len(axes) + 1))]
        sizes = dict(axes)
        taken = [self.pick(values) for _ in range(self.rng.randrange(1, 3))]

        def sharding(shape):
            """With every manual axis in at most one dimension, in front, and the shape of a part."""
            dims, part, left = [[] for _ in shape], list(shape), list(names)
            for name in names:
                fitting = [i for i, size in enumerate(part) if size % sizes[name] == 0]
                if fitting and self.rng.random() < 0.6:
                    dim = self.rng.choice(fitting)
                    dims[dim].append(f'"{name}"')
                    part[dim] //= sizes[name]
                    left.remove(name)
            text = ", ".join("{" + ", ".join([*dim, *(["?"] if self.rng.random() < 0.6 else [])]) + "}" for dim in dims)
            explicit = [name for name in left if self.rng.random() < 0.7]
            explicit.sort(key=[name for name, _ in self.shardings.mesh].index)
            listed = ", ".join(f'"{name}"' for name in explicit)
            return f"<@mesh, [{text}]" + (f", replicated={{{listed}}}>" if explicit else ">"), tuple(part)

        inside = [sharding(shape) for _, shape in taken]
        arguments = [(self.name(), part) for _, part in inside]
        self.body, self.manual = self.next, names
        inner = []
        local = list(arguments)
        for _ in range(3):
            self.add(local, inner)
        result, part = self.rng.choice(local)
        self.body, self.manual = 0, ()
        shape = list(part)
        dims = [[] for _ in part]
        for name in names:
            if part and self.rng.random() < 0.5:
                dim = self.rng.randrange(len(part))
                dims[dim].append(f'"{name}"')
                shape[dim] *= sizes[name]
        outside = "<@mesh, [" + ", ".join("{" + ", ".join([*dim, "?"]) + "}" for dim in dims) + "]>"
        listed = ", ".join(f"{a}: {self.type(part)}" for a, part in arguments)
        manual = ", ".join(f'"{name}"' for name in names)
        name = self.name()
        lines.append(
            f"{name} = sdy.manual_computation({', '.join(x for x, _ in taken)}) "
            f"in_shardings=[{', '.join(text for text, _ in inside)}] out_shardings=[{outside}] "
            f"manual_axes={{{manual}}} ({listed}) {{"
        )
        lines += [*inner, f"sdy.return {result} : {self.type(part)}"]
        lines.append(f"}} : ({', '.join(self.type(shape) for _, shape in taken)}) -> {self.type(shape)}")
        return name, tuple(shape)

    def call(self, values, lines):
        """Of a function that there is, or of a new one."""
        fitting = [f for f in self.functions if any(value[1] == f[1] for value in values)]
        if self.body or (self.functions and not fitting):
            return None
        if not fitting or self.rng.random() < 0.5:
            shape = self.pick(values)[1]
            inner, argument, outer = [], (self.name(), shape), self.body
            self.body = -1
            local = [argument]
            for _ in range(3):
                self.add(local, inner)
            self.body = outer
            result = self.rng.choice(local)
            attribute = ""
            if self.rng.random() < 0.3:
                attribute = f" {{sdy.sharding = #sdy.sharding{self.sharding(shape)}}}"
            name = f"f{len(self.functions)}"
            text = [f"func.func private @{name}({argument[0]}: {self.type(shape)}{attribute}) -> {self.type(result[1])} {{"]
            text += [*inner, f"return {result[0]} : {self.type(result[1])}", "}"]
            self.functions.append((name, shape, result[1], "\n".join(text)))
            fitting = [self.functions[-1]]
        name, shape, result, _ = self.rng.choice(fitting)
        x = self.rng.choice([value for value in values if value[1] == shape])[0]
        return self.emit(lines, result, f"func.call @{name}({x}) : ({self.type(shape)}) -> {self.type(result)}")

    OPS = (
        *(["unary"] * 3), *(["binary"] * 5), *(["dot"] * 4), *(["reduce"] * 2), *(["broadcast"] * 2),
        *(["transpose"] * 2), *(["reshape"] * 3), "slice", "concatenate", "pad", "dynamic_slice", "sort", "gather",
        "iota", *(["constraint"] * 3), "barrier", "group", "loop", "case", "manual_computation", "call",
    )  # fmt: skip
    body, manual = 0, ()

    def add(self, values, lines):
        op = self.rng.choice(self.OPS)
        if self.depth > 2 and op in ("loop", "case", "manual_computation", "call"):
            return
        self.depth += 1
        result = getattr(self, op)(values, lines)
        self.depth -= 1
        if result:
            values += result if isinstance(result, list) else [result]

    depth = 0

    def body_results(self, lines, values, shapes):
        values = list(values)
        for _ in range(self.rng.randrange(1, 4)):
            self.add(values, lines)
        return [self.alike(values, shape, lines) for shape in shapes]

    def text(self):
        rng = self.rng
        arguments = [(f"%arg{i}", self.shape()) for i in range(rng.randrange(1, 5))]
        values, lines = list(arguments), []
        for _ in range(rng.randrange(3, 16)):
            self.add(values, lines)
        results = [self.pick(values) for _ in range(rng.randrange(1, 4))]

        def attribute(shape, chance):
            if rng.random() >= chance:
                return ""
            return f" {{sdy.sharding = #sdy.sharding{self.sharding(shape)}}}"

        taken = ", ".join(f"{x}: {self.type(shape)}{attribute(shape, 0.6)}" for x, shape in arguments)
        given = ", ".join(f"{self.type(shape)}{attribute(shape, 0.2)}" for _, shape in results)
        returned = ", ".join(x for x, _ in results) + " : " + ", ".join(self.type(shape) for _, shape in results)
        main = [f"func.func public @main({taken}) -> ({given}) {{", *lines, f"return {returned}", "}"]
        functions = [text for *_, text in self.functions]
        meshes = [f"sdy.mesh @mesh = {mesh_text(self.shardings.mesh)}", *self.meshes]
        return "\n".join([*meshes, *main, *functions]) + "\n"


def random_program(seed):
    return Program(seed).text()
