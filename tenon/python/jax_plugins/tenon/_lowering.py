"""Keeps special functions whole on their way to the plugin.

What jaxlib sends a plugin has CHLO's special functions replaced by XLA's approximations of them, a hundred operations
each, unless they are composites, and so are functions of complex numbers, some by JAX itself. Here they become
composites whose decomposition is the function itself: the plugin restores the function by the composite's name
(tenon/passes/legalize/inline/inline.cpp) and has its own, more accurate, code for it; any other reader of the program has the
decomposition.

JAX also forgets device_put(may_alias=False) of NumPy arrays, which the plugin would use in place: they are copied here.

Linear algebra on a GPU becomes the calls that it becomes on the CPU, whose routines Tenon has; those of NVIDIA's it does
not know.

lax.psend and lax.precv, which JAX lowers for NVIDIA's GPUs alone, become send and recv.

JAX knows Tenon's devices as "cpu" and "cuda", as it does XLA's. Programs that are not for Tenon are lowered as if this
module were not there.

The plugin carries a copy of this module, as of _ffi.py.
"""

import functools
import inspect
import math

import numpy as np
from jax._src import core, literals
from jax._src.interpreters import mlir, pxla
from jax._src.lax import lax, linalg, parallel, special
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import func, hlo
from jax._src.sharding_impls import SPMDAxisContext

# Not erf_inv: normal random numbers come from it, and the same keys shall give the numbers they give elsewhere.
_FUNCTIONS = {
    "chlo.bessel_i1e": special.bessel_i1e_p,
    "chlo.digamma": special.digamma_p,
    "chlo.erf": special.erf_p,
    "chlo.erfc": special.erfc_p,
    "chlo.lgamma": special.lgamma_p,
    "chlo.polygamma": special.polygamma_p,
    "chlo.zeta": special.zeta_p,
}

# Only of complex numbers. Others arrive as they are.
_COMPLEX_FUNCTIONS = {
    "chlo.atan": lax.atan_p,
    "chlo.square": lax.square_p,
    "stablehlo.cosine": lax.cos_p,
    "stablehlo.exponential": lax.exp_p,
    "stablehlo.log": lax.log_p,
    "stablehlo.log_plus_one": lax.log1p_p,
    "stablehlo.logistic": lax.logistic_p,
    "stablehlo.sine": lax.sin_p,
    "stablehlo.sqrt": lax.sqrt_p,
}


# Not in JAX 0.9.
_TAKES_CONTEXT = len(inspect.signature(mlir.aval_to_ir_type).parameters) > 1

# How the names of primitives on sparse matrices begin, most of which JAX leaves to NVIDIA's library on GPUs.
_SPARSE = ("bcoo_", "bcsr_", "coo_", "csr_")


def _ir_type(context, aval):
    return mlir.aval_to_ir_type(context, aval) if _TAKES_CONTEXT else mlir.aval_to_ir_type(aval)


def _is_for_tenon(context):
    """Exports for several platforms, and for devices that are not there, have no backend."""
    return context.backend is not None and _is_tenon(context.backend)


def _is_tenon(client):
    return "\ntenon " in "\n" + client.platform_version


def _decomposition(name, rule, ctx, types, params):
    """The function of the module that computes `name` by JAX's own rule. One for all calls of the same types."""
    context = ctx.module_context
    key = (__name__, name, *types)
    function = context.cached_primitive_lowerings.get(key)
    if function is None:
        result = _ir_type(context, ctx.avals_out[0])
        function = func.FuncOp(name + ".impl", ir.FunctionType.get(types, [result]), ip=context.ip)
        function.attributes["sym_visibility"] = ir.StringAttr.get("private")
        context.symbol_table.insert(function)
        block = function.add_entry_block()
        with ir.InsertionPoint(block):
            func.ReturnOp(rule(ctx, *block.arguments, **params))
        context.cached_primitive_lowerings[key] = function
    return function


def _composite_rule(name, rule):
    def lower(ctx, *operands, **params):
        (result,) = ctx.avals_out
        # The shapes of a polymorphic export are known to nobody yet, and its dimensions belong to its own functions.
        is_static = ir.RankedTensorType(_ir_type(ctx.module_context, result)).has_static_shape
        # An accuracy that is asked for is an attribute of the op, which composites do not have.
        if not _is_for_tenon(ctx.module_context) or not is_static or params.get("accuracy"):
            return rule(ctx, *operands, **params)
        # Scalars stand beside arrays, as JAX's own rule takes them; CHLO's ops have one shape.
        operands = mlir.multi_broadcast_in_dim(ctx, operands, ctx.avals_in, result.shape, result.sharding)
        # jaxlib has no decomposition for floats below 16 bits.
        wide = result if result.dtype.itemsize > 1 else result.update(dtype=np.dtype(np.float32))
        to = _ir_type(ctx.module_context, wide)
        operands = [operand if operand.type == to else hlo.convert(to, operand) for operand in operands]
        ctx = ctx.replace(avals_in=[wide] * len(operands), avals_out=[wide])
        function = _decomposition(name, rule, ctx, [to] * len(operands), params)
        values = hlo.CompositeOp(
            [to], operands, name=ir.StringAttr.get(name),
            decomposition=ir.FlatSymbolRefAttr.get(function.name.value),
        ).results  # fmt: skip
        return values if wide is result else [hlo.convert(_ir_type(ctx.module_context, result), values[0])]

    return lower


def _complex_rule(name, rule):
    composite_rule = _composite_rule(name, rule)

    def lower(ctx, operand, **params):
        is_complex = np.issubdtype(ctx.avals_out[0].dtype, np.complexfloating)
        return (composite_rule if is_complex else rule)(ctx, operand, **params)

    return lower


def _exp2_rule(rule):
    """JAX's own holds an exponential that jaxlib would expand."""
    exponential = mlir.lower_fun(lambda x, accuracy: lax.exp(x * math.log(2), accuracy=accuracy), multiple_results=False)

    def lower(ctx, operand, **params):
        is_complex = np.issubdtype(ctx.avals_out[0].dtype, np.complexfloating)
        return (exponential if is_complex else rule)(ctx, operand, **params)

    return lower


def _copy(array):
    if isinstance(array, np.ndarray):
        return array.copy()
    return literals.TypedNdArray(array.val.copy(), array.weak_type)  # no NumPy array before JAX 0.10


def _copying_handler(handler):
    """How NumPy arrays become those of devices."""
    always = xla_client.ArrayCopySemantics.ALWAYS_COPY

    def shard(xs, shardings, layouts, copy_semantics):
        def is_copied(sharding, semantics):
            return semantics == always and any(_is_tenon(device.client) for device in sharding.addressable_devices)

        xs = [_copy(x) if is_copied(*how) else x for x, *how in zip(xs, shardings, copy_semantics, strict=True)]
        return handler(xs, shardings, layouts, copy_semantics)

    return shard


def install():
    for kind in (np.ndarray, literals.TypedNdArray):
        pxla.shard_arg_handlers[kind] = _copying_handler(pxla.shard_arg_handlers[kind])
    for platform in ("cpu", "cuda"):
        _install_rules(platform)
    _install_linear_algebra()
    _install_transfers()


def _install_rules(platform):
    def register(primitive, wrap):
        mlir.register_lowering(primitive, wrap(_rule(primitive, platform)), platform=platform)

    for name, primitive in _FUNCTIONS.items():
        register(primitive, functools.partial(_composite_rule, name))
    for name, primitive in _COMPLEX_FUNCTIONS.items():
        register(primitive, functools.partial(_complex_rule, name))
    register(lax.exp2_p, _exp2_rule)


def _rule(primitive, platform):
    """What JAX lowers a primitive by, as it would itself."""
    entry = mlir._platform_specific_lowerings[platform].get(primitive) or mlir._lowerings.get(primitive)
    if entry is not None:
        return entry.rule

    def refuse(ctx, *operands, **params):
        raise NotImplementedError(f"MLIR translation rule for primitive '{primitive}' not found for platform {platform}")

    return refuse


def _transfer_rule(make, rule):
    """Of a primitive that sends or receives along a mesh axis. `make`: the op, of the operand and its attributes."""

    def lower(ctx, operand, *, axis_name, perm, **params):
        is_manual = isinstance(ctx.module_context.axis_context, SPMDAxisContext)
        if not _is_for_tenon(ctx.module_context) or not is_manual:
            return rule(ctx, operand, axis_name=axis_name, perm=perm, **params)
        pairs, attributes = parallel._pcollectives_lowering_common(
            ctx, axis_name=axis_name, perm=perm, op_name="psend and precv"
        )
        attributes["source_target_pairs"] = mlir.dense_int_elements(pairs)
        attributes.setdefault("channel_handle", hlo.ChannelHandle.get(1, mlir.DEVICE_TO_DEVICE_TYPE))
        return make(ctx, operand, attributes, **params)

    return lower


def _send(ctx, operand, attributes):
    return hlo.SendOp([operand], hlo.create_token(), **attributes).results


def _receive(ctx, token, attributes, *, out_shape):
    result = _ir_type(ctx.module_context, out_shape)
    return hlo.RecvOp([result, token.type], token, **attributes).results[:1]


def _install_transfers():
    for name, make in (("psend_p", _send), ("precv_p", _receive)):
        primitive = getattr(parallel, name, None)
        for platform in ("cpu", "cuda") if primitive is not None else ():
            mlir.register_lowering(
                primitive, _transfer_rule(make, _rule(primitive, platform)), platform=platform
            )


def _by_the_cpus_rule(primitive, rule):
    def lower(ctx, *operands, **params):
        return (_rule(primitive, "cpu") if _is_for_tenon(ctx.module_context) else rule)(ctx, *operands, **params)

    return lower


def _install_linear_algebra():
    primitives = {value for value in vars(linalg).values() if isinstance(value, core.Primitive)}
    known = mlir._platform_specific_lowerings["cuda"]
    for primitive in primitives | {primitive for primitive in known if primitive.name.startswith(_SPARSE)}:
        mlir.register_lowering(primitive, _by_the_cpus_rule(primitive, _rule(primitive, "cuda")), platform="cuda")
    # Of sparse matrices there are rules when their module has been imported.
    register = mlir.register_lowering

    def register_lowering(primitive, rule, platform=None, **options):
        if platform == "cuda" and primitive.name.startswith(_SPARSE):
            rule = _by_the_cpus_rule(primitive, rule)
        return register(primitive, rule, platform=platform, **options)

    mlir.register_lowering = register_lowering
