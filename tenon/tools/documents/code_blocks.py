"""The blocks of Python, C and C++ in the documents: what each needs around it, and what holds after it."""

import ast
import dataclasses
import pathlib
import re
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[3]


@dataclasses.dataclass(frozen=True)
class Block:
    """`before` and `after` surround the block's text; `edits` are made in it. `run` is False where what is shown is a part
    that is compiled alone. `options` are for the compiler, `setup` is a command before."""

    page: str
    first: str  # line
    language: str
    before: str = ""
    after: str = ""
    edits: dict = dataclasses.field(default_factory=dict)
    top: str = ""  # of C and C++: outside the function that the block is put into; "whole": there is none
    run: bool = True
    setup: str = ""
    options: tuple = ()


NUMPY = "import pathlib\nimport numpy as np\nimport tenon\n"
TANH = '''TANH = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}"""
'''
AXPY = "assert axpy(np.float32([1, 2, 3]), np.float32([10, 20, 30])).tolist() == [12, 24, 36]\n"
ADDED = "assert add(np.ones(3, np.float32), [1, 2, 3]).tolist() == [2, 3, 4]\n"
JAX = ("import jax, jax.numpy as jnp, numpy as np\nfrom jax.sharding import NamedSharding, PartitionSpec as P\n"
       "assert jax.devices()[0].device_kind == 'tenon-cpu'\n")  # fmt: skip

PYTHON = [
    Block("docs/python.md", "import numpy as np", "python", after=ADDED),
    Block("docs/python.md", 'builder = tenon.ComputationBuilder("axpy")', "python", NUMPY, AXPY),
    Block("tenon/python/package/README.md", "import numpy as np", "python", "import pathlib\n", ADDED + AXPY),
    Block("tenon/python/package/README.md", 'model = tenon.compile(pathlib.Path("model.onnx"))', "python", NUMPY),
    Block("docs/builder.md", "import math, tenon", "python", after="""
import numpy as np
x = np.random.default_rng(1).normal(size=(8, 128)).astype(np.float32)
e = np.exp(x - x.max(1, keepdims=True))
np.testing.assert_allclose(softmax(x), e / e.sum(1, keepdims=True), rtol=1e-5)
"""),
    Block("README.md", "add = tenon.compile(stablehlo_text)", "python",
          NUMPY + TANH + "stablehlo_text, x, y = TANH, np.float32([1, 2, 3, 4]), np.zeros(4, np.float32)\n",
          "np.testing.assert_allclose(z, np.tanh(x), rtol=1e-6)\n"),
    Block("docs/profiling.md", "with tenon.profile() as taken:", "python",
          NUMPY + TANH + "step, x = (lambda run: lambda x: run(x, x))(tenon.compile(TANH)), np.ones(4, np.float32)\n",
          "assert taken.kernels[0]['calls'] == 1 and pathlib.Path('page.html').stat().st_size > 1000\n"),
    Block("docs/aot.md", "def digits(images):  # weights are constants of the program", "python",
          "import jax, jax.export, jax.numpy as jnp, numpy as np\nweights = np.eye(64, 10, dtype=np.float32)\n"
          "model = lambda weights, images: images @ weights\n"),
    Block("docs/aot.md", 'library = ctypes.CDLL("out/digits.so")', "python", """
import ctypes, numpy as np
images, digit, logits = np.arange(64, dtype=np.float32)[::-1].copy(), np.zeros(1, np.int32), np.zeros(10, np.float32)
images[7] = 99
arena = np.zeros(1 << 20, np.uint8)
arena_address = -(-arena.ctypes.data // 64) * 64
""", "assert digit[0] == 7 and logits.tolist() == images[:10].tolist()\n",
          setup="tenon compile digits.exported --aot out --shared --linker gcc"),
]  # fmt: skip

# With jax-tenon, and eight devices.
PLUGIN = [
    Block("docs/partitioning.md", "step = jax.jit(step).lower(*arguments).compile(compiler_options={\"partition\": \"spmd\"})",
          "python", JAX + """
mesh = jax.make_mesh((8,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
arguments = (jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(mesh, P("x"))),)
def step(x): return x @ x
""", "assert np.array_equal(step(*arguments), np.arange(64.0).reshape(8, 8) @ np.arange(64.0).reshape(8, 8))\n"),
    Block("docs/layer-on-a-mesh.md", 'mesh = jax.sharding.AbstractMesh((128, 8), ("data", "model"))', "python",
          JAX + "step = lambda x: x.sum()\n", "open('step.mlir', 'w').write(text)\nassert 'sdy.mesh' in text\n"),
    Block("docs/profiling.md", 'with jax.profiler.trace("/tmp/profile"):', "python",
          JAX + "step, state, batch = jax.jit(lambda state, batch: state @ batch), jnp.ones((8, 8)), jnp.ones((8, 8))\n",
          "import pathlib\nassert list(pathlib.Path('profile').rglob('*.xplane.pb'))\n", {"/tmp/profile": "profile"}),
    Block("docs/processes.md", "import jax", "python", "import sys\n", "assert len(jax.devices()) == 2 * len(jax.local_devices()) == 4\n"),
]  # fmt: skip

VALUES = """
  const char *text = "func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {\\n"
                     "  %0 = stablehlo.add %x, %y : tensor<3xf32>\\n  return %0 : tensor<3xf32>\\n}\\n";
"""
INCLUDES = '#include <tenon/xla_2017.h>\n#include <cstdio>\n#include <cstdlib>\n#define HOLDS(x) if (!(x)) { std::puts(#x); std::exit(1); }\n'
C_INCLUDES = '#include <tenon/c/tenon.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n'
SAME = "HOLDS(result->ToString().find(\"{6, 9, 12}\") != std::string::npos)"
ALL_REDUCE = """
  const char *text = R"(module attributes {mhlo.num_replicas = 2 : i32} {
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
  })";
  xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();
  auto x = client->TransferToServer(xla::LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  auto y = client->TransferToServer(xla::LiteralUtil::CreateR0<float>(2)).ConsumeValueOrDie();
"""
AXPY_BUILT = """
  xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "axpy");
  auto p = builder.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {3}), "x");
  builder.Add(p, p);
  auto computation = builder.Build().ConsumeValueOrDie();
"""

CPP = [
    Block("docs/builder.md", '#include "tenon/ops.h"', "cpp", top="first", before="#include <cmath>\n" + INCLUDES,
          after="HOLDS(computation.ok())"),
    Block("docs/cpp.md", '#include "tenon/computation_builder.h"', "cpp", top="first", before=INCLUDES, after=SAME),
    Block("docs/cpp.md", "auto sum = xla::Computation::FromStableHlo(text).ConsumeValueOrDie(); // with stablehlo.all_reduce", "cpp",
          ALL_REDUCE, "HOLDS(results.size() == 2)", top=INCLUDES),
    Block("README.md", 'xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "axpy");', "cpp",
          after="HOLDS(computation)", top=INCLUDES),
    Block("docs/profiling.md", "auto profiler = xla::Profiler::Start().ConsumeValueOrDie();", "cpp", AXPY_BUILT + """
  xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();
  auto x = client->TransferToServer(xla::LiteralUtil::CreateR1<float>({1, 2, 3})).ConsumeValueOrDie();
  auto executable = client->Compile(*computation).ConsumeValueOrDie();
""", "HOLDS(profile.ToText().find(\"add\") != std::string::npos)", top=INCLUDES + "#include <tenon/profile.h>\n"),
    Block("docs/server.md", "#include <tenon/remote.h>", "cpp", top="first", before=INCLUDES,
          edits={"auto client": AXPY_BUILT + "xla::Literal literal = xla::LiteralUtil::CreateR1<float>({3, 4.5, 6});\nauto client"},
          after=SAME.replace("result->", "(*result)->"), setup="SERVE"),
    Block("docs/aot.md", "#include <tenon/aot.h>", "cpp", top="first", before=INCLUDES,
          edits={"xla::AotCompilationOptions options;": AXPY_BUILT + "xla::AotCompilationOptions options;"},
          after="HOLDS(axpy.object.size() > 100)"),
    Block("docs/aot.md", "static digits_model<> model; // digits_model<3>: with room for runs on three threads", "cpp",
          "float images[64] = {}, logits[10]; int32_t digit[1]; images[3] = 1;", "HOLDS(digit[0] == 3)",
          top='#include "digits.h"\n#include <cstdio>\n' + INCLUDES, setup="tenon compile digits.exported --aot out",
          options=("-Iout", "out/digits.o")),
    Block("docs/adding-a-target.md", "#include <tenon/target.h>", "cpp", top="whole", run=False),
    Block("docs/processes.md", "auto client = xla::ClientLibrary::GetOrCreateLocalClient().ConsumeValueOrDie();", "cpp", ALL_REDUCE.replace(
          "xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();", "auto *local = xla::ClientLibrary::ClientLibraryOrDie();")
          .replace("client->", "local->") + "auto sum = xla::Computation::FromStableHlo(text).ConsumeValueOrDie();\n", top=INCLUDES, run=False),
    Block("docs/processes.md", "ProcessesOptions options;                                  // what this process is: version, devices, CPU level",
          "cpp", """
Status exchange(KeyStore *frameworksKeys, Peer peer, const Message &message, std::span<const std::span<const std::byte>> pieces,
                std::span<std::byte> into, const RunOptions &run) {""", "return {};", top='#include "tenon/runtime/control/processes.h"\n#include "tenon/runtime/core/runtime_call.h"\n', run=False),
    Block("docs/aot.md", '#include "digits.h" /* C99 or C++ */', "c", top="whole", setup="tenon compile digits.exported --aot out",
          options=("-Iout", "out/digits.o", "-lm")),
    Block("docs/aot.md", "net_model *model;", "c", "void *x = 0, *y = 0, *stream = 0;", top='#include "net.h"\n#include <stdio.h>\n', run=False,
          setup="tenon compile net.mlir --aot out --target cuda:sm_90a", options=("-Iout",)),
    Block("docs/c.md", "tenon_client *client;", "c", VALUES, "int right = !status && strcmp(tenon_literal_to_string(result), \"f32[3] {5, 7, 9}\") == 0;\n"
          "if (!right) exit(1);", {"...": """
  const int64_t sizes[] = {3};
  static const float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  tenon_shape *shape;
  tenon_data *shared[2];
  tenon_literal *result = NULL;
  if (status || tenon_shape_create(TENON_F32, sizes, 1, &shape) || tenon_client_share(client, shape, x, NULL, NULL, &shared[0]) ||
      tenon_client_share(client, shape, y, NULL, NULL, &shared[1]))
    exit(1);
  const tenon_data *const *arguments = (const tenon_data *const *)shared;
"""}, top=C_INCLUDES),
    Block("docs/profiling.md", "tenon_profiler_start(&profiler);", "c", """
  tenon_profiler *profiler = NULL;
  tenon_profile *profile = NULL;
  tenon_executable *executable = NULL;
  const tenon_data *const *arguments = NULL;
  tenon_data *data = NULL;
""", top=C_INCLUDES, run=False),
]  # fmt: skip

# Which other tests follow a page's blocks.
ELSEWHERE = {"docs/frameworks.md": "test/frameworks", "docs/import.md": "test/frameworks", "docs/server.md": "test/server"}


def blocks(page):
    """All blocks of code: the word behind a fence ("" for those that are indented, or have none) and the text."""
    language, found = None, []
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines() + [""]:
        if fence := re.match(r"```(\w*)", line):
            if language is None:
                language, lines = fence[1], []
            else:
                found.append((language, "\n".join(lines)))
                language, lines = None, []
        elif language is not None:
            lines.append(line)
        elif line.startswith("    "):
            if not found or found[-1][0] is not None:
                found.append((None, line))
            else:
                found[-1] = (None, found[-1][1] + "\n" + line)
        elif line.strip() or (found and found[-1][0] is None and found[-1][1].endswith("\n\n")):
            if found and found[-1][0] is None:
                found[-1] = ("", found[-1][1].rstrip())
        elif found and found[-1][0] is None:
            found[-1] = (None, found[-1][1] + "\n")
    return [(language or "", textwrap.dedent(text).strip()) for language, text in found]


def is_code(language, text):
    """Whether it is Python, C or C++, as far as its form tells."""
    if language:
        return language in ("python", "py", "c", "cpp")
    if re.search(r"[;{]( *//.*| */\*.*\*/)?$", text, re.MULTILINE) and not re.search(r"stablehlo\.|^\$ |^(for|tenon) ", text, re.MULTILINE):
        return True
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return False
    return any(isinstance(node, (ast.Call, ast.Import, ast.ImportFrom, ast.Assign)) for node in nodes)
