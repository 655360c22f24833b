"""One measurement: `runners.py PEER WORKLOAD RESULT.npy` runs the workload in this process and prints a JSON line.

    {"peer", "workload", "run_s"}

`run_s` is the median of half a second of runs, with inputs and results in the framework's own arrays. The first result
goes to RESULT.npy.
"""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np

import workloads


class JaxOps:
    def __init__(self):
        import jax

        self.jax, self.np, self.lax = jax, jax.numpy, jax.lax

    def matmul(self, a, b):
        return self.np.matmul(a, b)

    def transpose(self, x, order):
        return self.np.transpose(x, order)

    def reshape(self, x, shape):
        return self.np.reshape(x, shape)

    def softmax(self, x):
        return self.jax.nn.softmax(x, axis=-1)

    def relu(self, x):
        return self.jax.nn.relu(x)

    def gelu(self, x):
        return self.jax.nn.gelu(x, approximate=True)

    def mean(self, x, axes):
        return self.np.mean(x, axes)

    def layer_norm(self, x):
        return self.jax.nn.standardize(x, axis=-1, epsilon=1e-5)

    def conv2d(self, x, w, stride, padding, groups):
        return self.lax.conv_general_dilated(
            x, w, (stride, stride), [(padding, padding)] * 2, feature_group_count=groups
        )

    def max_pool(self, x, size, stride, padding):
        edges = ((0, 0), (0, 0), (padding, padding), (padding, padding))
        window, steps = (1, 1, size, size), (1, 1, stride, stride)
        return self.lax.reduce_window(x, -np.inf, self.lax.max, window, steps, edges)


class TorchOps:
    def __init__(self):
        import torch

        self.torch, self.functional = torch, torch.nn.functional

    def matmul(self, a, b):
        return self.torch.matmul(a, b)

    def transpose(self, x, order):
        return x.permute(order)

    def reshape(self, x, shape):
        return x.reshape(shape)

    def softmax(self, x):
        return self.functional.softmax(x, dim=-1)

    def relu(self, x):
        return self.functional.relu(x)

    def gelu(self, x):
        return self.functional.gelu(x, approximate="tanh")

    def mean(self, x, axes):
        return x.mean(axes)

    def layer_norm(self, x):
        return self.functional.layer_norm(x, x.shape[-1:], eps=1e-5)

    def conv2d(self, x, w, stride, padding, groups):
        return self.functional.conv2d(x, w, stride=stride, padding=padding, groups=groups)

    def max_pool(self, x, size, stride, padding):
        return self.functional.max_pool2d(x, size, stride, padding)


def jax_function(workload):
    ops = JaxOps()
    weights = {name: ops.np.asarray(value) for name, value in workload.weights.items()}
    return ops.jax.jit(lambda *inputs: workload.function(ops, inputs, weights))


def torch_module(workload):
    ops = TorchOps()
    torch = ops.torch

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in workload.weights.items():
                self.register_buffer(name, torch.from_numpy(value))

        def forward(self, *inputs):
            return workload.function(ops, inputs, dict(self.named_buffers()))

    return torch, Module().eval()


def run_jax(workload):
    import jax

    inputs = [jax.device_put(x) for x in workload.inputs]
    compiled = jax_function(workload).lower(*inputs).compile()
    return lambda: jax.block_until_ready(compiled(*inputs))


def run_torch(workload, compiled=False):
    torch, module = torch_module(workload)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    if compiled:
        module = torch.compile(module)
    inputs = [torch.from_numpy(x) for x in workload.inputs]

    def run():
        with torch.inference_mode():
            return module(*inputs)

    return run


def onnx_model(workload):
    torch, module = torch_module(workload)
    path = pathlib.Path(tempfile.gettempdir()) / f"{workload.name.replace('/', '_')}.onnx"
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}")
        torch.onnx.export(module, tuple(torch.from_numpy(x) for x in workload.inputs), str(part), dynamo=True,
                          external_data=False)
        part.rename(path)
    return path


def run_onnxruntime(workload):
    import onnxruntime

    path = onnx_model(workload)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = len(os.sched_getaffinity(0))
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = {value.name: x for value, x in zip(session.get_inputs(), workload.inputs)}
    return lambda: session.run(None, feed)[0]


def run_openvino(workload):
    import openvino

    path = onnx_model(workload)
    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": len(os.sched_getaffinity(0)), "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(core.read_model(str(path)), "CPU", settings).create_infer_request()
    for i, x in enumerate(workload.inputs):
        request.set_input_tensor(i, openvino.Tensor(x, shared_memory=True))

    def run():
        request.infer()
        return request.get_output_tensor(0).data

    return run


def run_iree(workload):
    import iree.compiler
    import iree.runtime
    import jax
    import jax.export

    exported = jax.export.export(jax_function(workload), platforms=["cpu"])(*workload.inputs)
    flags = ["--iree-llvmcpu-target-cpu=host"]
    code = iree.compiler.compile_str(
        exported.mlir_module_serialized, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=flags
    )
    iree.runtime.flags.parse_flags(f"--task_topology_group_count={len(os.sched_getaffinity(0))}")
    context = iree.runtime.SystemContext(config=iree.runtime.Config("local-task"))
    module = iree.runtime.VmModule.copy_buffer(context.instance, code)
    context.add_vm_module(module)
    function = context.modules[module.name]["main"]
    inputs = [iree.runtime.asdevicearray(context.config.device, x) for x in workload.inputs]
    return lambda: function(*inputs).to_host()


PEERS = {
    "tenon": run_jax,
    "xla": run_jax,
    "torch": run_torch,
    "inductor": lambda workload: run_torch(workload, compiled=True),
    "onnxruntime": run_onnxruntime,
    "openvino": run_openvino,
    "iree": run_iree,
}


def main():
    peer, name, results = sys.argv[1:4]
    workload = next(w for w in (make() for make in workloads.WORKLOADS) if w.name == name)
    run = PEERS[peer](workload)
    np.save(results, np.asarray(run(), np.float32))
    end = time.perf_counter() + 0.2  # Warms up.
    while time.perf_counter() < end:
        run()
    times = []
    end = time.perf_counter() + 0.5
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    print(json.dumps({"peer": peer, "workload": name, "run_s": statistics.median(times)}))


if __name__ == "__main__":
    main()
