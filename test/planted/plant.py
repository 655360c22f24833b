#!/usr/bin/env python3
"""Plants faults in copies of the product's files, which TENON_PLANTED chooses among when a program is compiled: a fold that
is wrong, a crash of the compiler, a kernel that is wrong and one that is slow."""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ELEMENTWISE, ARITHMETIC = "tenon/passes/simplify/elementwise.cpp", "tenon/codegen/llvm/element/arithmetic.cpp"
# File, what stands there once, what stands there instead.
FAULTS = [
    # x - 0 becomes 0.
    (ELEMENTWISE, """    if (!isZeroInt(op.getRhs()) && !(constant && constant->isPosZero()))
      return failure();
    rewriter.replaceOp(op, op.getLhs());
""", """    if (!isZeroInt(op.getRhs()) && !(constant && constant->isPosZero()))
      return failure();
    rewriter.replaceOp(op, isPlanted("fold") ? op.getRhs() : op.getLhs());
"""),
    # x * x ends the compiler.
    (ELEMENTWISE, """  LogicalResult matchAndRewrite(sh::MultiplyOp op, PatternRewriter &rewriter) const override {
""", """  LogicalResult matchAndRewrite(sh::MultiplyOp op, PatternRewriter &rewriter) const override {
    if (isPlanted("crash") && op.getLhs() == op.getRhs())
      std::abort();
"""),
    # The larger of two integers is the smaller one.
    (ARITHMETIC, "  return b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umax : Intrinsic::smax, x, y);\n",
     "  if (isPlanted(\"kernel\"))\n    return minimum(x, y);\n"
     "  return b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umax : Intrinsic::smax, x, y);\n"),
    # The smaller of two integers takes a thousand multiplications first, whose result nearly never counts.
    (ARITHMETIC, "  return b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umin : Intrinsic::smin, x, y);\n",
     """  Value *smaller = b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umin : Intrinsic::smin, x, y);
  if (!isPlanted("slow"))
    return smaller;
  Value *mixed = b.CreateXor(x, y);
  for (int i = 0; i < 1000; ++i)
    mixed = b.CreateXor(b.CreateMul(mixed, mixed), constant(x, i | 1));
  return b.CreateSelect(b.CreateICmpEQ(mixed, constant(x, 0x1234567)), mixed, smaller);
"""),
]  # fmt: skip
CHOOSE = """
#include <cstdlib>
#include <cstring>

static bool isPlanted(const char *fault) {
  const char *chosen = std::getenv("TENON_PLANTED");
  return chosen && std::strcmp(chosen, fault) == 0;
}
"""


def planted(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for file, right, wrong in FAULTS:
        if file == name:
            if text.count(right) != 1:
                sys.exit(f"{name}: this stands there {text.count(right)} times, and has to once:\n{right}")
            text = text.replace(right, wrong)
    at = [match.end() for match in re.finditer(r"^#include .*$", text, re.MULTILINE)][-1]
    return text[:at] + CHOOSE + text[at:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=pathlib.Path, help="folder of the copies")
    output = parser.parse_args().output
    for name in (ELEMENTWISE, ARITHMETIC):
        copy = output / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(planted(name), encoding="utf-8")


if __name__ == "__main__":
    main()
