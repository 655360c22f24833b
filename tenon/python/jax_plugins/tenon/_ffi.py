"""Hands JAX's custom calls to the plugin: handlers of XLA's FFI, their types, and host callbacks.

JAX keeps one handler for all registrations of its "cpu" platform (jax.ffi.register_ffi_target, JAX's own LAPACK
kernels). The one installed here passes each on to XLA's CPU client, as JAX's own would, and to Tenon. What is
registered for the platform "tenon" is for Tenon alone. Both talk to the plugin through the extensions of its PJRT API
(tenon/pjrt/tenon_extension.h), which are plain C structures.

The plugin carries a copy of this module, for processes that load it without this package (tenon/pjrt/python_bridge.h);
so it must stand alone.
"""

import ctypes
import importlib.util
import os
import pathlib
import threading
import traceback

import ml_dtypes
import numpy as np
from jaxlib import _jax
from jaxlib import xla_client

_FFI_EXTENSION = 5  # PJRT_Extension_Type_FFI
_TENON_EXTENSION = 0x7E707

# JAX's host callbacks (pure_callback, io_callback, debug.callback). Their handlers inside jaxlib need state that no
# public interface gives out, so they are done here.
_CALLBACK_TARGETS = (
    "xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback",
    "xla_ffi_python_gpu_callback", "xla_ffi_partitioned_python_gpu_callback",
)  # fmt: skip


class _ExtensionBase(ctypes.Structure):
    pass


_ExtensionBase._fields_ = [
    ("struct_size", ctypes.c_size_t),
    ("type", ctypes.c_int),
    ("next", ctypes.POINTER(_ExtensionBase)),
]


class _Api(ctypes.Structure):
    """The beginning of PJRT_Api, as far as the functions for errors."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(_ExtensionBase)),
        ("version_struct_size", ctypes.c_size_t),
        ("version_extension_start", ctypes.c_void_p),
        ("major_version", ctypes.c_int),
        ("minor_version", ctypes.c_int),
        ("error_destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("error_message", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


class _ErrorMessageArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
        ("message", ctypes.POINTER(ctypes.c_char)),
        ("message_size", ctypes.c_size_t),
    ]


class _ErrorDestroyArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    ]


class _XlaTypeInfo(ctypes.Structure):
    """XLA_FFI_TypeInfo."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _TypeInfo(ctypes.Structure):
    """PJRT_FFI_Type_Info."""

    _fields_ = [("deleter", ctypes.c_void_p), ("serialize", ctypes.c_void_p), ("deserialize", ctypes.c_void_p)]


class _TypeRegisterArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("type_name", ctypes.c_char_p),
        ("type_name_size", ctypes.c_size_t),
        ("type_id", ctypes.c_int64),
        ("type_info", ctypes.POINTER(_TypeInfo)),
    ]


class _RegisterHandlerArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("instantiate", ctypes.c_void_p),
        ("prepare", ctypes.c_void_p),
        ("initialize", ctypes.c_void_p),
        ("execute", ctypes.c_void_p),
        ("traits", ctypes.c_uint32),
        ("on_gpu", ctypes.c_uint32),
    ]


class _HostArray(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_int32),
    ]


_CallFunction = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.py_object, ctypes.c_size_t, ctypes.POINTER(_HostArray), ctypes.c_size_t,
    ctypes.POINTER(_HostArray), ctypes.POINTER(ctypes.c_char), ctypes.c_size_t,
)  # fmt: skip


class _RegisterCallbackArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("call", _CallFunction),
    ]


class _RegisterFunctionArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("target_name", ctypes.c_char_p),
        ("target_name_size", ctypes.c_size_t),
        ("function", ctypes.c_void_p),
    ]


class _SuggestLapackArgs(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("path_size", ctypes.c_size_t)]


class _FailureArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("message", ctypes.POINTER(ctypes.c_char)),
        ("message_size", ctypes.c_size_t),
        ("waits", ctypes.c_int32),
    ]


_ReturnsError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class _FfiExtension(ctypes.Structure):
    _fields_ = [
        ("base", _ExtensionBase),
        ("type_register", _ReturnsError),
        ("user_data_add", _ReturnsError),
        ("register_handler", _ReturnsError),
    ]


class _TenonExtension(ctypes.Structure):
    _fields_ = [
        ("base", _ExtensionBase),
        ("register_handler", _ReturnsError),
        ("register_callback", _ReturnsError),
        ("suggest_lapack", _ReturnsError),
        ("register_function", _ReturnsError),
        ("failure", _ReturnsError),
    ]


# By PJRT_Buffer_Type.
_DTYPES = {
    1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32,
    9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64, 13: ml_dtypes.bfloat16, 14: np.complex64,
    15: np.complex128, 16: ml_dtypes.float8_e5m2, 17: ml_dtypes.float8_e4m3fn, 18: ml_dtypes.float8_e4m3b11fnuz,
    19: ml_dtypes.float8_e5m2fnuz, 20: ml_dtypes.float8_e4m3fnuz, 21: ml_dtypes.int4, 22: ml_dtypes.uint4,
    24: ml_dtypes.int2, 25: ml_dtypes.uint2, 26: ml_dtypes.float8_e4m3, 27: ml_dtypes.float8_e3m4,
    28: ml_dtypes.float8_e8m0fnu, 29: ml_dtypes.float4_e2m1fn,
}  # fmt: skip
_TOKEN = 23
# Signed elements of less than a byte are sign-extended inside Tenon, and not in NumPy.
_SUB_BYTE_MASKS = {21: 0xF, 22: 0xF, 24: 0x3, 25: 0x3, 29: 0xF}


def _view(array):
    """A host array as NumPy's, over the same memory."""
    dtype = np.dtype(_DTYPES[array.type])
    shape = tuple(array.dims[i] for i in range(array.rank))
    if not array.bytes:
        return np.zeros(shape, dtype)
    buffer = (ctypes.c_uint8 * array.bytes).from_address(array.data)
    return np.frombuffer(buffer, np.uint8).view(dtype).reshape(shape)


def _argument(array):
    """A copy: the function may keep it, and the program's memory is soon used for something else."""
    if array.type == _TOKEN:
        return None
    view = _view(array)
    mask = _SUB_BYTE_MASKS.get(array.type)
    copy = view.copy() if mask is None else (view.view(np.uint8) & mask).view(view.dtype)
    copy.flags.writeable = False
    return copy


def _call(function, num_arguments, arguments, num_results, results, error, error_size):
    try:
        outputs = function(*(_argument(arguments[i]) for i in range(num_arguments)))
        for i in range(num_results):
            if results[i].type != _TOKEN and results[i].bytes:
                _view(results[i])[...] = outputs[i]
        return 0
    except BaseException as failure:  # nothing may pass through C
        # Without the frame of this function, which is none of the user's.
        lines = traceback.format_exception(failure.with_traceback(failure.__traceback__.tb_next))
        text = ("CpuCallback error calling callback: " + "".join(lines)).encode()
        # The end of a traceback says what happened.
        text = text if len(text) < error_size else text[: error_size // 4] + b"\n...\n" + text[-error_size // 2 :]
        ctypes.memmove(error, text + b"\0", min(len(text) + 1, error_size))
        return 1


# Kept alive as long as the plugin, which is never unloaded.
_call_function = _CallFunction(_call)


def capsule_pointer(capsule):
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


class Plugin:
    """The plugin's extensions. `api` is the address of its PJRT_Api."""

    def __init__(self, api):
        self._api = ctypes.cast(api, ctypes.POINTER(_Api)).contents
        self._ffi = self._extension(_FFI_EXTENSION, _FfiExtension)
        self._tenon = self._extension(_TENON_EXTENSION, _TenonExtension)

    def _extension(self, number, structure):
        at = self._api.extension_start
        while at:
            # A smaller structure is that of an older library.
            if at.contents.type == number and at.contents.struct_size >= ctypes.sizeof(structure):
                return ctypes.cast(at, ctypes.POINTER(structure)).contents
            at = at.contents.next
        return None

    def supported(self):
        return self._ffi is not None and self._tenon is not None

    def _check(self, error):
        if not error:
            return
        message = _ErrorMessageArgs(ctypes.sizeof(_ErrorMessageArgs), None, error, None, 0)
        self._api.error_message(ctypes.addressof(message))
        text = ctypes.string_at(message.message, message.message_size).decode(errors="replace")
        destroy = _ErrorDestroyArgs(ctypes.sizeof(_ErrorDestroyArgs), None, error)
        self._api.error_destroy(ctypes.addressof(destroy))
        raise RuntimeError(text)

    def register_handler(self, name, handlers, traits=0, on_gpu=False):
        """`handlers`: a capsule with the handler, or a dictionary of capsules by stage."""
        if not isinstance(handlers, dict):
            handlers = {"execute": handlers}
        data = name.encode() if isinstance(name, str) else name
        args = _RegisterHandlerArgs(ctypes.sizeof(_RegisterHandlerArgs), data, len(data))
        for stage, capsule in handlers.items():
            setattr(args, stage, capsule_pointer(capsule))
        args.traits = traits
        args.on_gpu = on_gpu
        self._check(self._tenon.register_handler(ctypes.addressof(args)))

    def register_function(self, name, capsule):
        """A plain C function, for calls with custom_call_api_version 0 to 3."""
        data = name.encode() if isinstance(name, str) else name
        pointer = capsule_pointer(capsule["execute"] if isinstance(capsule, dict) else capsule)
        args = _RegisterFunctionArgs(ctypes.sizeof(_RegisterFunctionArgs), data, len(data), pointer)
        self._check(self._tenon.register_function(ctypes.addressof(args)))

    def register_target(self, name, function, api_version, traits):
        """As JAX registers targets: version 1 are handlers of the FFI, version 0 plain functions."""
        if api_version == 1:
            self.register_handler(name, function, int(traits))
        else:
            self.register_function(name, function)

    def register_type(self, name, registration):
        """`registration`: a capsule with the type's id, or a dictionary with that and one with its XLA_FFI_TypeInfo."""
        capsules = registration if isinstance(registration, dict) else {"type_id": registration}
        data = name.encode()
        pointer = ctypes.cast(capsule_pointer(capsules["type_id"]), ctypes.POINTER(ctypes.c_int64))
        info = None
        if "type_info" in capsules:
            # The extension takes the part that means something, in a structure of its own.
            given = ctypes.cast(capsule_pointer(capsules["type_info"]), ctypes.POINTER(_XlaTypeInfo)).contents
            info = ctypes.pointer(_TypeInfo(given.deleter))
        args = _TypeRegisterArgs(ctypes.sizeof(_TypeRegisterArgs), None, data, len(data), pointer[0], info)
        self._check(self._ffi.type_register(ctypes.addressof(args)))
        pointer[0] = args.type_id

    def register_callback(self, name):
        data = name.encode()
        args = _RegisterCallbackArgs(ctypes.sizeof(_RegisterCallbackArgs), data, len(data), _call_function)
        self._check(self._tenon.register_callback(ctypes.addressof(args)))

    def suggest_lapack(self, path):
        data = os.fsencode(path)
        args = _SuggestLapackArgs(ctypes.sizeof(_SuggestLapackArgs), data, len(data))
        self._check(self._tenon.suggest_lapack(ctypes.addressof(args)))

    def failure(self, wait):
        """Why programs over several processes have failed, once they have; without waiting for that, "" if they have not."""
        message = ctypes.create_string_buffer(8192)
        args = _FailureArgs(ctypes.sizeof(_FailureArgs), message, len(message), wait)
        self._check(self._tenon.failure(ctypes.addressof(args)))
        return message.value.decode(errors="replace")


def _scipy_lapack():
    """The LAPACK inside SciPy's wheel: that of JAX on its own CPU platform, there even where the system has none."""
    spec = importlib.util.find_spec("scipy")  # imports nothing
    if spec is None or spec.origin is None:
        return []
    return sorted((pathlib.Path(spec.origin).parents[1] / "scipy.libs").glob("libscipy_openblas*.so*"))


class _Platforms(dict):
    """JAX's platforms that run, and its own CPU platform, which starts when it is first asked for by name: most programs
    have no host callbacks, and it takes a dozen threads and more than a megabyte."""

    def __init__(self, running, start):
        super().__init__(running)
        self._start, self._lock = start, threading.RLock()

    def __contains__(self, name):
        return name == "cpu" or super().__contains__(name)

    def __missing__(self, name):
        if name != "cpu":
            raise KeyError(name)
        with self._lock:
            if not super().__contains__(name):
                self[name] = self._start()
        return super().__getitem__(name)

    def get(self, name, default=None):
        return self[name] if name in self else default


def is_one_of_several():
    """Whether this process is one of a job's (docs/processes.md)."""
    from jax._src import distributed

    return (distributed.global_state.num_processes or 1) > 1 or not {"TENON_COORDINATOR", "TENON_MPI_SHIM"}.isdisjoint(
        os.environ
    )


def provide_cpu():
    """Has JAX's own CPU platform where JAX_PLATFORMS names Tenon's alone: JAX hands the arguments of host callbacks over
    on the platform named "cpu". Called while JAX starts its platforms: too late to change their list. Where a process is
    one of several, all start it now, since each waits for the others."""
    from jax._src import config, xla_bridge

    def start():
        return xla_bridge._init_backend("cpu")

    is_there = "cpu" in xla_bridge._backends  # several processes cannot start it twice
    if is_there or not set((config.jax_platforms.value or "").split(",")) <= {"tenon", "tenon_gpu"}:
        return
    if is_one_of_several():
        xla_bridge._backends["cpu"] = start()
    else:
        xla_bridge._backends = _Platforms(xla_bridge._backends, start)


def share(handlers, platform, handler):
    """Has another's handler for the platform, if there is one already, give what it is called with to this one, too:
    xla_client keeps the first handler alone. What the other one was given before is lost."""
    if first := handlers.get(platform):

        def both(*registered):
            first(*registered)
            handler(*registered)

        handlers[platform] = both


def install(plugin, takes_gpu=False):
    """Routes JAX's registrations for its "cpu" platform to the plugin, too, and, where it is asked for GPUs, those for "CUDA",
    which NVIDIA's plug-in for JAX gets only where JAX starts it before."""
    if not plugin.supported():
        return

    def on_custom_call(name, function, platform, api_version=0, traits=0):
        _jax.register_custom_call_target(name, function, platform, api_version, traits)
        plugin.register_target(name, function, api_version, traits)

    def on_type(name, type_id):
        _jax.register_custom_type(name, type_id)
        plugin.register_type(name, type_id)

    def on_own_custom_call(name, function, platform, api_version=0, traits=0):
        plugin.register_target(name, function, api_version, traits)

    # NVIDIA's libraries and the like, and handlers of the user's own. Callbacks are the plugin's.
    def on_gpu_call(name, function, platform, api_version=0, traits=0):
        if api_version == 1 and (name.decode() if isinstance(name, bytes) else name) not in _CALLBACK_TARGETS:
            plugin.register_handler(name, function, int(traits), on_gpu=True)

    # What XLA itself comes with.
    for name, stages in _jax.custom_call_targets("Host").items():
        if name not in _CALLBACK_TARGETS:
            plugin.register_handler(name, stages)
    for name in _CALLBACK_TARGETS:
        plugin.register_callback(name)
    for path in _scipy_lapack():
        plugin.suggest_lapack(path)
    xla_client.register_custom_call_handler("cpu", on_custom_call)
    xla_client.register_custom_type_handler("cpu", on_type)
    if takes_gpu:
        share(xla_client._custom_type_id_handler, "CUDA", plugin.register_type)
        share(xla_client._custom_callback_handler, "CUDA", on_gpu_call)
        xla_client.register_custom_type_handler("CUDA", plugin.register_type)
        xla_client.register_custom_call_handler("CUDA", on_gpu_call)
    # Types first: handlers that JAX has kept may need them.
    xla_client.register_custom_type_handler("tenon", plugin.register_type)
    xla_client.register_custom_call_handler("tenon", on_own_custom_call)
