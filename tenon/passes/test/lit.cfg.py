# Tests of single passes. Run by CTest, or by hand: lit -Dtenon_bin=<build folder>/bin tenon/passes/test
import os
import shutil

import lit.formats

config.name = "tenon-passes"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
binaries = lit_config.params.get("tenon_bin")
if not binaries:
    lit_config.fatal("say where the tenon command is: -Dtenon_bin=<build folder>/bin")
config.test_exec_root = os.path.join(binaries, "..", "test", "passes")
config.substitutions.append(("%opt", os.path.join(binaries, "tenon") + " opt"))
config.substitutions.append(("%check", shutil.which("FileCheck-22") or "FileCheck"))
