#include "tenon/codegen/routines/usual_rows.h"

#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {
namespace {

using Add = llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)>;

// Fusions as they are after the passes, of arrays of wide floats, and of narrow ones with f32 for what is summed. Their
// types are those of aliases(); $LOW is the least value, $SCALE what a mean does to a sum.
constexpr llvm::StringLiteral kWideFusions =
#include "usual_rows_wide.inc"
    ;
constexpr llvm::StringLiteral kNarrowFusions =
#include "usual_rows_narrow.inc"
    ;

struct ElementType {
  const char *name, *sum;  // what sums of it are made in
  const char *low, *high;  // the least and the greatest value
  bool hasFusions = false; // norms, softmax and the like of it ship
  bool isFloat() const { return *name == 'f' || *name == 'b'; }
  bool isNarrow() const { return llvm::StringRef(name) != sum; }
};
constexpr ElementType kTypes[] = {
    {"f32", "f32", "0xFF800000", "0x7F800000", true}, {"f64", "f64", "0xFFF0000000000000", "0x7FF0000000000000"},
    {"bf16", "f32", "0xFF80", "0x7F80", true},        {"f16", "f32", "0xFC00", "0x7C00"},
    {"i32", "i32", "-2147483648", "2147483647"},
};

struct Shape {
  int64_t rows, columns, arrays = 1;
};
// Rows of whole vectors and others; such as are read ahead of, being of large arrays; such as are summed from end to
// end and in trees.
constexpr Shape kRows[] = {{4096, 1024}, {4096, 1000}, {4096, 4096}, {4096, 3000}, {64, 1024},  {64, 1000},
                           {64, 3072},   {64, 3000},   {64, 8192},   {64, 8000},   {64, 32768}, {64, 30000}};
// Whole arrays and columns: in parts and at once, and by each number of registers.
constexpr Shape kArrays[] = {{4096, 4096}, {3000, 1001}, {1000, 1000}, {256, 256},  {100, 1000},
                             {30000, 64},  {4096, 100},  {30000, 40},  {30000, 48}, {4096, 104}};
// The columns of each of several arrays, of whole vectors and others: of many arrays in trees and at once, of few in
// parts; of many large arrays, whose rows advance together, with trees and without.
constexpr Shape kColumns[] = {{300, 64, 12}, {300, 70, 12},  {100, 70, 12},  {1000, 128, 4}, {1000, 1000, 4},
                              {64, 1000, 4}, {300, 256, 24}, {300, 250, 24}, {100, 250, 64}};
// Columns of one array and of several, as images have channels, of whole vectors and others.
constexpr Shape kChannels[] = {{21, 4096, 3}, {21, 4100, 3}};

std::string aliases(const ElementType &type, Shape shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](const char *prefix, const char *element) {
    auto alias = [&](const char *name, const std::string &dims) {
      os << '!' << prefix << name << " = tensor<" << dims << element << ">\n";
    };
    std::string rows = std::to_string(shape.rows) + "x", columns = std::to_string(shape.columns) + "x";
    alias("x", rows + columns);
    alias("r", rows);
    alias("r1", rows + "1x");
    alias("c", columns);
    alias("c1", "1x" + columns);
    alias("s", "");
    alias("s11", "1x1x");
    std::string arrays = std::to_string(shape.arrays) + "x";
    alias("m", arrays + rows + columns);
    alias("k", arrays + columns);
  };
  add("", type.name);
  add("f", type.sum);
  add("i", "i32");
  add("b", "i1");
  return text;
}

std::string replaced(llvm::StringRef text, llvm::StringRef from, llvm::StringRef to) {
  return llvm::join(llvm::split(text, from), to);
}

// One reduction, of what `before` makes of %a (and %b), which `scaled` is divided by how many elements there are.
struct Reduction {
  const char *combiner, *init, *before;
  bool isSum, takesTwo = false;
};
constexpr Reduction kReductions[] = {
    {"add", "$ZERO", "", true},
    {"multiply", "$ONE", "", true},
    {"maximum", "$LOW", "", false},
    {"minimum", "$HIGH", "", false},
    {"add", "$ZERO", "%0 = stablehlo.multiply %in, %in : !x\n", true},
    {"add", "$ZERO", "%0 = stablehlo.abs %in : !x\n", true},
    {"maximum", "$LOW", "%0 = stablehlo.abs %in : !x\n", false},
    {"add", "$ZERO", "%0 = stablehlo.multiply %in, %in_0 : !x\n", true, true},
    {"add", "$ZERO", "%d = stablehlo.subtract %in, %in_0 : !x\n%0 = stablehlo.multiply %d, %d : !x\n", true, true},
};

enum class Along : uint8_t { kRows, kColumns, kBoth, kMiddle };
// What is made of the sums.
enum class After : uint8_t { kNothing, kMean, kRoot };

// Dimensions that are reduced, and the alias of the result.
std::pair<std::string, std::string> formOf(Along along) {
  switch (along) {
  case Along::kRows:
    return {"1", "r"};
  case Along::kColumns:
    return {"0", "c"};
  case Along::kBoth:
    return {"0, 1", "s"};
  case Along::kMiddle:
    return {"1", "k"};
  }
  llvm_unreachable("every form is above");
}

std::string fusionOf(const Reduction &reduction, const ElementType &type, Along along, After after) {
  bool converts = type.isNarrow() && reduction.isSum, isWhole = along == Along::kBoth;
  auto [dims, result] = formOf(along);
  std::string f = converts ? "!f" : "!";
  std::string value = *reduction.before ? "%0" : "%in", out = (isWhole ? f : "!") + result;
  std::string inputs = reduction.takesTwo ? "%a: !x, %b: !x" : "%a: !x", body = reduction.before;
  if (converts) {
    body += "%1 = stablehlo.convert " + value + " : (!x) -> !fx\n";
    value = "%1";
  }
  body += std::string("%i = stablehlo.constant dense<") + reduction.init + "> : " + f + "s\n";
  body += "%2 = stablehlo.reduce(" + value + " init: %i) applies stablehlo." + reduction.combiner +
          " across dimensions = [" + dims + "] : (" + f + "x, " + f + "s) -> " + f + result + "\n";
  value = "%2";
  if (after == After::kMean) {
    body +=
        "%n = stablehlo.constant dense<0.3> : " + f + result + "\n%3 = stablehlo.$SCALE %2, %n : " + f + result + "\n";
    value = "%3";
  }
  if (converts && !isWhole) {
    body += "%4 = stablehlo.convert " + value + " : (" + f + result + ") -> " + out + "\n";
    value = "%4";
  }
  if (after == After::kRoot) {
    body += "%5 = stablehlo.sqrt " + value + " : " + out + "\n";
    value = "%5";
  }
  std::string bound = reduction.takesTwo ? "%in = %a, %in_0 = %b" : "%in = %a";
  std::string text = "func.func @f$N(" + inputs + ") -> " + out + " {\n%r = tenon.fusion reduce(" + bound + ") : (" +
                     (reduction.takesTwo ? "!x, !x" : "!x") + ") -> " + out + " {\n" + body + "tenon.yield " + value +
                     " : " + out + "\n}\nreturn %r : " + out + "\n}\n";
  return along == Along::kMiddle ? replaced(replaced(text, "!x", "!m"), "!fx", "!fm") : text;
}

std::string reductionsOf(const ElementType &type, bool alongRows) {
  std::string text;
  int number = 0;
  for (const Reduction &reduction : kReductions) {
    // For narrow floats and wide integers only what is met ships.
    bool isPlain = !*reduction.before, isProduct = *reduction.combiner == 'm' && reduction.isSum;
    if ((!type.isFloat() && !isPlain) || (type.isNarrow() && (isProduct || reduction.takesTwo)))
      continue;
    for (Along along : {Along::kRows, Along::kColumns, Along::kBoth}) {
      if (alongRows != (along == Along::kRows))
        continue;
      for (After after : {After::kNothing, After::kMean, After::kRoot}) {
        bool isSum = reduction.isSum && !isProduct && type.isFloat() && along != Along::kBoth;
        bool hasRoot = along == Along::kRows && llvm::StringRef(reduction.before).contains("multiply %in, %in :");
        if (after == After::kNothing || (isSum && (after == After::kMean || hasRoot)))
          text += replaced(fusionOf(reduction, type, along, after), "$N", std::to_string(number++));
      }
    }
  }
  return text;
}

// Sums, means and extremes along the dimension before the last.
std::string reductionsOfColumns(const ElementType &type) {
  std::string text;
  int number = 0;
  for (const Reduction &reduction : kReductions) {
    llvm::StringRef combiner = reduction.combiner;
    if (*reduction.before || (combiner != "add" && combiner != "maximum"))
      continue;
    for (After after : {After::kNothing, After::kMean})
      if (after == After::kNothing || reduction.isSum)
        text += replaced(fusionOf(reduction, type, Along::kMiddle, after), "$N", std::to_string(number++));
  }
  return text;
}

// A softmax along the first dimension, or the one before the last: what is behind its maxima but for the quotients.
std::string softmaxOfColumns(bool isMiddle) {
  llvm::StringRef text = R"(
func.func @softmax_over_$REDUCED(%a: !c, %b: !x) -> !x {
  %r:2 = tenon.fusion reduce(%in = %a, %in_0 = %b) : (!c, !x) -> (!c, !x) {
    %1 = stablehlo.broadcast_in_dim %in, dims = [$KEPT] : (!c) -> !x
    %2 = stablehlo.subtract %in_0, %1 : !x
    %3 = stablehlo.exponential %2 : !x
    %i = stablehlo.constant dense<0.0> : !s
    %4 = stablehlo.reduce(%3 init: %i) applies stablehlo.add across dimensions = [$REDUCED] : (!x, !s) -> !c
    tenon.yield %4, %3 : !c, !x
  }
  return %r#1 : !x
}
)";
  std::string filled = replaced(replaced(text, "$KEPT", isMiddle ? "0, 2" : "1"), "$REDUCED", isMiddle ? "1" : "0");
  return isMiddle ? replaced(replaced(filled, "!x", "!m"), "!c", "!k") : filled;
}

// The text for one type and shape.
std::string concrete(llvm::StringRef fusions, const ElementType &type, Shape shape) {
  bool isPower = llvm::isPowerOf2_64(uint64_t(shape.rows * shape.columns));
  std::string text = replaced(fusions, "$SCALE", isPower ? "multiply" : "divide");
  text = replaced(replaced(text, "$LOW", type.low), "$HIGH", type.high);
  text = replaced(replaced(text, "$ZERO", type.isFloat() ? "0.0" : "0"), "$ONE", type.isFloat() ? "1.0" : "1");
  return aliases(type, shape) + text;
}

Status addAll(llvm::StringRef text, mlir::MLIRContext &context, const CpuTarget &target, Add add) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return internalError("a usual kernel of rows is no program");
  Status status;
  module->walk([&](ir::FusionOp fusion) {
    auto plan = planKernel(fusion, "kernel", target);
    if (failed(plan))
      status = internalError("a usual kernel of rows has no plan");
    if (!status.ok())
      return;
    add([&](llvm::Module &emitted) {
      if (failed(emitKernel(*plan, emitted, target)))
        status = internalError("a usual kernel of rows has no code");
    });
  });
  return status;
}

} // namespace

Status forEachUsualRow(mlir::MLIRContext &context, const CpuTarget &target, std::optional<llvm::StringRef> only,
                       Add add) {
  for (const ElementType &type : kTypes) {
    if (only && *only != type.name)
      continue;
    std::string rows = reductionsOf(type, true), arrays = reductionsOf(type, false);
    const bool isWide = type.hasFusions && !type.isNarrow();
    if (type.hasFusions)
      rows += isWide ? kWideFusions : kNarrowFusions;
    if (isWide)
      arrays += softmaxOfColumns(/*isMiddle=*/false);
    for (Shape shape : kRows)
      TENON_RETURN_IF_ERROR(addAll(concrete(rows, type, shape), context, target, add));
    for (Shape shape : kArrays)
      TENON_RETURN_IF_ERROR(addAll(concrete(arrays, type, shape), context, target, add));
    if (!isWide)
      continue;
    const std::string ofOne = softmaxOfColumns(/*isMiddle=*/false), ofSeveral = softmaxOfColumns(/*isMiddle=*/true);
    for (Shape shape : kColumns)
      TENON_RETURN_IF_ERROR(addAll(concrete(reductionsOfColumns(type) + ofSeveral, type, shape), context, target, add));
    for (Shape shape : kChannels)
      TENON_RETURN_IF_ERROR(addAll(concrete(ofOne + ofSeveral, type, shape), context, target, add));
  }
  return {};
}

} // namespace tenon::codegen
