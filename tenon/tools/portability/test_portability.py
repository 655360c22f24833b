"""Programs go to and fro between Tenon and JAX's copy of StableHLO: as text, as bytecode and as portable artifacts.

TENON_COMMAND names the command. TENON_PROGRAMS may name a folder of further .mlir programs, such as what JAX lowered.
"""

import os
import pathlib
import re
import subprocess

import pytest
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
# Of different containers (MLIR's format 1, 4 and 6) and before and behind changes of many operations.
VERSIONS = ["0.9.0", "0.14.0", "1.0.0", "1.9.0", "1.17.0"]
PROGRAMS = [ROOT / "tenon/frontend/testdata", ROOT / "test/e2e/programs"]
EXAMPLES = [ROOT / "tenon/interpreter/testdata/spec"]
if "TENON_PROGRAMS" in os.environ:
    PROGRAMS, EXAMPLES = [pathlib.Path(os.environ["TENON_PROGRAMS"])], []


def export(program, *options):
    """What `tenon export` writes for a program, given as bytes; None when it refuses."""
    run = subprocess.run([TENON, "export", "-", *options], input=program, capture_output=True)
    assert run.returncode in (0, 1), run.stderr.decode()
    return run.stdout if run.returncode == 0 else None


@pytest.fixture
def context():
    with jax_mlir.make_ir_context() as context:
        context.allow_unregistered_dialects = True
        context.emit_error_diagnostics = True
        yield context


def parse(text):
    """A module as JAX reads it; None when it has a form of its own for what the module says."""
    try:
        return ir.Module.parse(text)
    except ir.MLIRError:
        return None


def theirs(module, **options):
    # Their printer writes two spaces in some places.
    return re.sub(" +", " ", module.operation.get_asm(**options))


def ours(program, *options):
    return re.sub(" +", " ", export(program, *options).decode())


def programs(folders):
    paths = [path for folder in folders for path in sorted(folder.glob("*.mlir"))]
    # We make ordinary constants of resources.
    return [pytest.param(path, id=path.stem) for path in paths if "dense_resource" not in path.read_text()]


def known(path):
    """The program, by both; skips what JAX's StableHLO does not have."""
    module = parse(path.read_text())
    if module is None:
        pytest.skip("JAX does not read this program")
    return module


@pytest.mark.parametrize("path", programs(PROGRAMS + EXAMPLES))
def test_text(path, context):
    module = known(path)
    text, generic = (ours(path.read_bytes(), "--as", form) for form in ("text", "generic"))
    assert text == theirs(module).rstrip("\n") + "\n"
    assert theirs(parse(generic)) == theirs(module)
    for form in (False, True):
        printed = module.operation.get_asm(print_generic_op_form=form, enable_debug_info=True)
        assert ours(printed.encode()) == text


@pytest.mark.parametrize("path", programs(PROGRAMS))
def test_artifacts(path, context):
    module = known(path)
    program = path.read_bytes()
    mixed = b"sdy." in program or b"chlo." in program
    written = 0
    # JAX writes other dialects for versions that do not read them, too.
    for version in VERSIONS[-1:] if mixed else VERSIONS:
        artifact = export(program, "--as", "artifact", "--version", version)
        try:
            reference = stablehlo.serialize_portable_artifact(parse(str(module)), version, mixed)
        except (ir.MLIRError, ValueError):
            reference = None
        assert (artifact is None) == (reference is None), version
        if artifact is None:
            continue
        written += 1
        assert ours(artifact) == ours(reference), version
        # CHLO has no versions, and its top_k has gained an attribute since.
        if b"chlo.top_k" in program:
            continue
        read, expected = (stablehlo.deserialize_portable_artifact(context, bytes) for bytes in (artifact, reference))
        assert theirs(read) == theirs(expected), version
    assert written
