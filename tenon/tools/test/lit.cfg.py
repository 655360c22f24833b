# Tests of the tenon command. Run by CTest, or by hand:
#   lit -Dtenon_bin=<build folder>/bin tenon/tools/test
import os
import shutil
import sys

import lit.formats

config.name = "tenon-command"
config.test_format = lit.formats.ShTest(False)
config.suffixes = [".test", ".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

binaries = lit_config.params.get("tenon_bin")
if not binaries:
    lit_config.fatal("say where the tenon command is: -Dtenon_bin=<build folder>/bin")
config.test_exec_root = lit_config.params.get("tenon_scratch", os.path.join(binaries, "..", "test", "tools"))

if lit_config.params.get("tenon_sanitize") == "ON":
    config.available_features.add("sanitizers")

filecheck = shutil.which("FileCheck-22") or shutil.which("FileCheck")
if not filecheck:
    lit_config.fatal("FileCheck is not on the PATH")
root = os.path.join(config.test_source_root, "..", "..", "..")
config.substitutions.append(("%tenon", os.path.join(binaries, "tenon")))
config.substitutions.append(("%check", filecheck))
config.substitutions.append(("%compare", f"{sys.executable} {config.test_source_root}/compare_targets.py"))
config.substitutions.append(("%testdata", os.path.join(root, "tenon", "frontend", "testdata")))
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%inputs", os.path.join(config.test_source_root, "Inputs")))
