// Every elementwise op on quantized values whose sizes the types do not say, against the interpreter. Operands and
// result have different scales and zero points: what a shape is refined to must not take them from an operand.

#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/ir/traits.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <array>

using namespace tenon;
using xla::Literal;

namespace {

// The types of the operands, and of a result that is quantized, of one program.
struct Form {
  std::string name, dims;
  std::array<std::string, 4> elements;
  std::string bounds; // behind the element type
  bool isBounded = false;

  std::string tensor(const std::string &element) const { return "tensor<" + dims + element + bounds + ">"; }
};

std::vector<Form> forms() {
  std::array<std::string, 4> perTensor = {"!quant.uniform<i8:f32, 2.0:0>", "!quant.uniform<i8:f32, 5.0e-01:3>",
                                          "!quant.uniform<i8:f32, 2.5e-01:-1>", "!quant.uniform<i8:f32, 7.5e-01:5>"};
  std::array<std::string, 4> perAxis = {
      "!quant.uniform<i8:f32:1, {2.0, 1.0, 5.0e-01}>", "!quant.uniform<i8:f32:1, {5.0e-01:3, 2.5e-01:1, 2.0}>",
      "!quant.uniform<i8:f32:1, {2.5e-01:-1, 1.0, 1.0:2}>", "!quant.uniform<i8:f32:1, {7.5e-01:5, 3.0:-2, 1.25e-01}>"};
  return {{"dynamic", "?x3x", perTensor, ""},
          {"dynamicPerAxis", "?x3x", perAxis, ""},
          {"bounded", "?x3x", perTensor, ", #stablehlo.bounds<5, ?>", true},
          {"boundedPerAxis", "?x3x", perAxis, ", #stablehlo.bounds<5, ?>", true}};
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// An op of a program: its name, its operands' numbers ('p' is the predicate), and the element type of its result.
struct Call {
  std::string name, operands, result;
};

const char *attributesOf(llvm::StringRef name) {
  if (name.ends_with("compare"))
    return " {comparison_direction = #COMPARE<comparison_direction LT>}";
  return name.ends_with("reduce_precision") ? " {exponent_bits = 5 : i32, mantissa_bits = 2 : i32}" : "";
}

// main takes integers, of which it makes quantized values of unknown size, and gives the results' bits.
std::string programOf(const Form &form, llvm::ArrayRef<Call> calls) {
  std::string arguments, body, results, types;
  auto line = [&](const std::string &text) { body += "  " + text + "\n"; };
  for (int i = 0; i < 4; ++i) {
    std::string n = std::to_string(i), element = i == 3 ? "i1" : "i8";
    arguments += "%a" + n + ": tensor<" + (form.isBounded ? "5x3x" : form.dims) + element + ">, ";
    if (form.isBounded)
      line("%s" + n + " = stablehlo.set_dimension_size %a" + n + ", %size, dim = 0 : (tensor<5x3x" + element +
           ">, tensor<i32>) -> " + form.tensor(element));
    std::string source = (form.isBounded ? "%s" : "%a") + n;
    if (i == 3)
      line("%p = stablehlo.optimization_barrier " + source + " : " + form.tensor("i1"));
    else
      line("%q" + n + " = stablehlo.bitcast_convert " + source + " : (" + form.tensor("i8") + ") -> " +
           form.tensor(form.elements[i]));
  }
  arguments += "%size: tensor<i32>";
  for (auto [i, call] : llvm::enumerate(calls)) {
    std::string n = std::to_string(i), operands, operandTypes, attributes = attributesOf(call.name);
    for (char c : call.operands) {
      operands += (operands.empty() ? "%" : ", %") + (c == 'p' ? std::string("p") : std::string("q") + c);
      operandTypes += (operandTypes.empty() ? "" : ", ") + form.tensor(c == 'p' ? "i1" : form.elements[c - '0']);
    }
    replaceAll(attributes, "COMPARE", call.name.substr(0, call.name.find('.')));
    std::string type = form.tensor(call.result), value = "%r" + n;
    line(value + " = \"" + call.name + "\"(" + operands + ")" + attributes + " : (" + operandTypes + ") -> " + type);
    bool isQuantized = call.result.front() == '!';
    if (isQuantized) {
      line("%b" + n + " = stablehlo.bitcast_convert " + value + " : (" + type + ") -> " + form.tensor("i8"));
      value = "%b" + n, type = form.tensor("i8");
    }
    results += (i ? ", " : "") + value;
    types += (i ? ", " : "") + type;
  }
  return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "  return " + results + " : " + types +
         "\n}\n";
}

// The ops that take quantized values, each with the operands and the result that the verifier accepts first.
std::vector<Call> callsOf(const Form &form) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return mlir::success(); });
  std::vector<Call> calls;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    llvm::StringRef name = op.getStringRef();
    if (!(op.hasTrait<ir::Elementwise>() || name.starts_with("chlo.broadcast_")) || name.starts_with("sdy."))
      continue;
    auto isTaken = [&](const char *operands, const std::string &result) {
      Call call{name.str(), operands, result};
      bool taken = static_cast<bool>(frontend::importModule(programOf(form, call), context));
      if (taken)
        calls.push_back(call);
      return taken;
    };
    // The result's parameters are another operand's, and nobody's.
    for (const char *operands : {"0", "01", "p01", "012"})
      if (isTaken(operands, form.elements[3]) || isTaken(operands, "i1") || isTaken(operands, "f32"))
        break;
    if (!calls.empty() && calls.back().name == name && calls.back().operands == "01" && calls.back().result.size() > 3)
      isTaken("01", form.elements[1]);
  }
  return calls;
}

class QuantizedSizesTest : public ::testing::TestWithParam<Form> {
protected:
  static void check(const std::string &text, llvm::ArrayRef<std::string> what) {
    for (int32_t size : {5, 3, 0}) {
      compiler::CompileOptions options;
      options.verifyStages = true;
      int64_t length = GetParam().isBounded ? 5 : size;
      options.argumentShapes = {{length, 3}, {length, 3}, {length, 3}, {length, 3}, {}};
      auto native = tenon::testing::compileAndLoad(text, options);
      ASSERT_TRUE(native.ok()) << native.status().message() << text;
      const program::Program &program = (*native)->program();
      std::vector<Literal> inputs = tenon::testing::randomInputs(program);
      std::memcpy(inputs.back().mutable_data(), &size, sizeof size);
      auto results = tenon::testing::runNative(**native, inputs);
      ASSERT_TRUE(results.ok()) << results.status().message();
      auto expected = tenon::testing::runReference(text, inputs, program);
      ASSERT_TRUE(expected.ok()) << expected.status().message();
      ASSERT_EQ(results->size(), expected->size());
      for (auto [array, reference, description] : llvm::zip_equal(*results, *expected, what))
        tenon::testing::compareArrays(array, reference, description + ", " + std::to_string(size) + " rows");
    }
  }
};

void PrintTo(const Form &form, std::ostream *out) { *out << form.name; }

TEST_P(QuantizedSizesTest, ElementwiseOps) {
  std::vector<Call> calls = callsOf(GetParam());
  auto sums = llvm::count_if(calls, [](const Call &call) { return call.name == "stablehlo.add"; });
  EXPECT_EQ(sums, 2);
  bool isPerAxis = llvm::StringRef(GetParam().name).ends_with("PerAxis"); // which only sums may be
  EXPECT_GE(calls.size(), isPerAxis ? 2U : 45U);
  std::vector<std::string> names;
  for (const Call &call : calls)
    names.push_back(call.name + " of " + call.operands + " to " + call.result);
  check(programOf(GetParam(), calls), names);
}

// Sums in everything that has a body.
TEST_P(QuantizedSizesTest, Bodies) {
  const Form &form = GetParam();
  std::string text = R"(
func.func @sum(%x: $0, %y: $1) -> $2 {
  %0 = stablehlo.add %x, %y : ($0, $1) -> $2
  return %0 : $2
}
func.func @main(%a0: $A8, %a1: $A8, %a2: $A8, %a3: $A1, %size: tensor<i32>) -> ($I, $I, $I, $I) {
$SIZES  %q0 = stablehlo.bitcast_convert %s0 : ($I) -> $0
  %q1 = stablehlo.bitcast_convert %s1 : ($I) -> $1
  %q2 = stablehlo.bitcast_convert %s2 : ($I) -> $2
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %called = func.call @sum(%q0, %q1) : ($0, $1) -> $2
  %many = stablehlo.compare GT, %size, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %branch = "stablehlo.if"(%many) ({
    %0 = stablehlo.add %q1, %q0 : ($1, $0) -> $2
    stablehlo.return %0 : $2
  }, {
    %0 = stablehlo.add %q0, %q0 : ($0, $0) -> $2
    stablehlo.return %0 : $2
  }) : (tensor<i1>) -> $2
  %case = "stablehlo.case"(%size) ({
    stablehlo.return %q2 : $2
  }, {
    %0 = stablehlo.add %q0, %q1 : ($0, $1) -> $2
    stablehlo.return %0 : $2
  }) : (tensor<i32>) -> $2
  %loop:2 = stablehlo.while(%i = %zero, %v = %q2) : tensor<i32>, $2 cond {
    %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %0 = stablehlo.add %q0, %v : ($0, $2) -> $1
    %1 = stablehlo.add %0, %q1 : ($1, $1) -> $2
    stablehlo.return %next, %1 : tensor<i32>, $2
  }
  %r0 = stablehlo.bitcast_convert %called : ($2) -> $I
  %r1 = stablehlo.bitcast_convert %branch : ($2) -> $I
  %r2 = stablehlo.bitcast_convert %case : ($2) -> $I
  %r3 = stablehlo.bitcast_convert %loop#1 : ($2) -> $I
  return %r0, %r1, %r2, %r3 : $I, $I, $I, $I
}
)";
  std::string sizes;
  for (std::string n : {"0", "1", "2"})
    sizes += form.isBounded ? "  %s" + n + " = stablehlo.set_dimension_size %a" + n +
                                  ", %size, dim = 0 : ($A8, tensor<i32>) -> $I\n"
                            : "  %s" + n + " = stablehlo.optimization_barrier %a" + n + " : $I\n";
  replaceAll(text, "$SIZES", sizes);
  std::string outer = form.isBounded ? "tensor<5x3x" : "tensor<" + form.dims;
  replaceAll(text, "$A8", outer + "i8>");
  replaceAll(text, "$A1", outer + "i1>");
  replaceAll(text, "$I", form.tensor("i8"));
  for (int i = 0; i < 3; ++i)
    replaceAll(text, "$" + std::to_string(i), form.tensor(form.elements[i]));
  check(text, {"a call", "a branch", "a case", "a loop"});
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizedSizesTest, ::testing::ValuesIn(forms()),
                         [](const auto &info) { return info.param.name; });

} // namespace
