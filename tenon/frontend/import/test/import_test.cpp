#include "tenon/frontend/import/import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tenon::frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path;
  return buffer ? (*buffer)->getBuffer().str() : "";
}

// All files of the test data with this extension.
std::vector<std::string> testFiles(llvm::StringRef extension) {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(TENON_TESTDATA, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::path::extension(it->path()) == extension)
      paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct Imported {
  std::string text;        // printed, empty after an error
  std::string diagnostics; // "line:column: message", one a line
};

Imported import(llvm::StringRef bytes, bool requireMain = false, const std::string &entry = "") {
  // Shared by all tests, since loading the dialects takes much longer than reading these programs.
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Imported result;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
      result.diagnostics += std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) + ": ";
    result.diagnostics += diagnostic.str() + "\n";
  });
  ImportOptions options;
  options.requireMain = requireMain;
  options.entry = entry;
  if (auto module = importModule(bytes, context, options))
    llvm::raw_string_ostream(result.text) << *module;
  return result;
}

std::vector<std::string> argumentNames(llvm::StringRef text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = importModule(text, context, {});
  std::vector<std::string> names;
  if (module)
    for (mlir::BlockArgument argument : module->lookupSymbol<mlir::func::FuncOp>("main").getArguments()) {
      auto named = llvm::dyn_cast<mlir::NameLoc>(argument.getLoc());
      names.push_back(named ? named.getName().str() : "");
    }
  return names;
}

TEST(Import, KeepsTheNamesOfArguments) {
  EXPECT_THAT(argumentNames(R"(
      func.func private @other(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }
      func.func @main(%x: tensor<f32>, %weights.1: tensor<f32>,
                      %arg2: tensor<f32>, %3: tensor<f32>, %arg_b: tensor<f32>,
          %given: tensor<f32> loc("params['w']"), %file: tensor<f32> loc("f.py":2:7)) -> tensor<f32> {
        return %x : tensor<f32>
      })"),
              ::testing::ElementsAre("x", "weights.1", "", "", "arg_b", "params['w']", ""));
  EXPECT_THAT(argumentNames("func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }"),
              ::testing::ElementsAre("a"));
}

class Artifact : public testing::TestWithParam<std::string> {};

// control.1.0.0.mlirbc is the artifact of version 1.0.0 of control.mlir.
TEST_P(Artifact, SaysTheSameAsItsText) {
  const std::string &path = GetParam();
  std::string source = path.substr(0, path.find('.', path.rfind('/'))) + ".mlir";
  Imported expected = import(readFile(source)), found = import(readFile(path));
  EXPECT_EQ(expected.diagnostics, "");
  EXPECT_EQ(found.diagnostics, "");
  EXPECT_NE(expected.text, "");
  EXPECT_EQ(found.text, expected.text);
}

INSTANTIATE_TEST_SUITE_P(All, Artifact, testing::ValuesIn(testFiles(".mlirbc")), [](const auto &info) {
  std::string name = llvm::sys::path::stem(info.param).str();
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(Import, SniffsTheFormat) {
  EXPECT_EQ(sniffFormat(""), ProgramFormat::kText);
  EXPECT_EQ(sniffFormat("module {}"), ProgramFormat::kText);
  EXPECT_EQ(sniffFormat("ML\xefR"), ProgramFormat::kBytecode);
  EXPECT_EQ(sniffFormat("ML\xefR\rMLIR22.0.0"), ProgramFormat::kBytecode);
  EXPECT_EQ(sniffFormat("ML\xefR\rStableHLO_v1.0.0"), ProgramFormat::kPortableArtifact);
}

TEST(Import, NamesTheOnlyFunctionMain) {
  EXPECT_THAT(import("func.func private @f(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }", true).text,
              HasSubstr("func.func @main("));
}

TEST(Import, NamesTheOnlyPublicFunctionMain) {
  EXPECT_THAT(
      import("func.func private @g() { return }\nfunc.func @f(%x: tensor<f32>) { call @g() : () -> ()\n return }", true)
          .text,
      AllOf(HasSubstr("func.func @main(%arg0: tensor<f32>)"), HasSubstr("call @g()")));
}

TEST(Import, TakesTheFunctionThatIsNamed) {
  constexpr const char *kTwo =
      "func.func @main(%x: tensor<i32>) { call @f(%x) : (tensor<i32>) -> ()\n return }\n"
      "func.func @f(%x: tensor<i32>) { return }\nfunc.func @g() { call @main_0() : () -> ()\n return }\n"
      "func.func private @main_0() { return }";
  std::string text = import(kTwo, true, "g").text;
  // What was called main before has a name that nothing else has, and is still called.
  EXPECT_THAT(text, AllOf(HasSubstr("func.func @main() {\n    call @main_0() : () -> ()"),
                          HasSubstr("func.func private @main_1(%arg0: tensor<i32>)")));
  EXPECT_THAT(import(kTwo, true, "f").text, HasSubstr("call @main(%arg0) : (tensor<i32>) -> ()"));
  EXPECT_THAT(import(kTwo, true, "main").text, HasSubstr("func.func @main(%arg0: tensor<i32>)"));
  EXPECT_THAT(import(kTwo, true, "h").diagnostics,
              HasSubstr("the program has no function 'h'; there are: main, f, g, main_0"));
}

TEST(Import, RefusesProgramsWithoutMain) {
  EXPECT_THAT(import("", true).diagnostics, HasSubstr("the program has no function"));
  EXPECT_THAT(import("func.func @f() { return }\nfunc.func @g() { return }", true).diagnostics,
              HasSubstr("2 functions, none of them named 'main': f, g"));
  EXPECT_THAT(import("func.func private @main()", true).diagnostics, HasSubstr("no body"));
}

TEST(Import, TakesSpelledOutAttributes) {
  std::string text = import(R"(
    func.func @main(%x: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %a: tensor<8x2x3xf32>, %b: tensor<8x3x5xf32>, %t: !stablehlo.token) -> tensor<8x2x5xf32> {
      %0 = "stablehlo.gather"(%x, %i) {
        offset_dims = array<i64: 2, 3>, collapsed_slice_dims = dense<0> : tensor<1xi64>, start_index_map = dense<[1, 0]> : tensor<2xi64>,
        index_vector_dim = 2 : i64, slice_sizes = dense<[1, 2, 2]> : tensor<3xi64>, indices_are_sorted = false
      } : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> tensor<2x3x2x2xi32>
      %1 = "stablehlo.dot_general"(%a, %b) {
        lhs_batching_dimensions = dense<0> : tensor<1xi64>, rhs_batching_dimensions = dense<0> : tensor<1xi64>,
        lhs_contracting_dimensions = dense<2> : tensor<1xi64>, rhs_contracting_dimensions = dense<1> : tensor<1xi64>
      } : (tensor<8x2x3xf32>, tensor<8x3x5xf32>) -> tensor<8x2x5xf32>
      %2 = "stablehlo.all_gather"(%a) {
        all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, channel_id = 3 : i64
      } : (tensor<8x2x3xf32>) -> tensor<8x2x3xf32>
      %3:2 = "stablehlo.recv"(%t) {channel_id = 5 : i64, channel_type = 3 : i64, is_host_transfer = true} : (!stablehlo.token) -> (tensor<3xi32>, !stablehlo.token)
      return %1 : tensor<8x2x5xf32>
    })")
                         .text;
  EXPECT_THAT(text, HasSubstr("#stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], "
                              "start_index_map = [1, 0], index_vector_dim = 2>"));
  EXPECT_THAT(text, HasSubstr("batching_dims = [0] x [0], contracting_dims = [2] x [1]"));
  EXPECT_THAT(text, HasSubstr("channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>"));
  EXPECT_THAT(text, HasSubstr("channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>"));
  EXPECT_THAT(import("func.func @main(%x: tensor<3xi32>, %i: tensor<1xi64>) {\n"
                     "  %0 = \"stablehlo.gather\"(%x, %i) {offset_dims = \"x\", slice_sizes = array<i64: 1>} : "
                     "(tensor<3xi32>, tensor<1xi64>) -> tensor<1xi32>\n  return\n}")
                  .diagnostics,
              HasSubstr("2:8: 'stablehlo.gather': unexpected value of attribute 'offset_dims'"));
}

TEST(Import, DecodesCustomCallsOfOlderExporters) {
  const std::string head = "func.func @main(%x: tensor<4xf32>) {\n  ";
  EXPECT_THAT(import(head + "%0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}} : (tensor<4xf32>) -> "
                            "tensor<4xf32>\n  return\n}")
                  .text,
              HasSubstr("chlo.erf"));
  const std::string topK = "%0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = ";
  const std::string types = "}} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)\n  return\n}";
  EXPECT_THAT(import(head + topK + "true" + types).text, HasSubstr("chlo.top_k(%arg0, k = 2)"));
  EXPECT_THAT(import(head + topK + "false" + types).diagnostics, HasSubstr("2:10: mhlo.topk needs mhlo.attributes"));
}

TEST(Import, RefusesSizesThatOverflow) {
  for (const char *size : {"9223372036854775807x2", "4611686018427387904x4x0", "72057594037927937"})
    EXPECT_THAT(import(std::string("func.func @main(%x: tensor<") + size + "xf32>) {\n  return\n}").diagnostics,
                HasSubstr("is too large"))
        << size;
  EXPECT_EQ(import("func.func @main(%x: tensor<0x1000000000000xf32>) {\n  return\n}").diagnostics, "");
}

TEST(Import, RefusesDeepNesting) {
  std::string open, close;
  for (int i = 0; i < 100000; ++i) {
    open += "tuple<";
    close += ">";
  }
  EXPECT_THAT(import("func.func private @main(" + open + "tensor<f32>" + close + ")").diagnostics,
              HasSubstr("nest too deep"));
}

TEST(Import, RefusesTypesThatProgramsDoNotHave) {
  for (const char *type :
       {"vector<2xf32>", "memref<2xf32, 1>", "i32", "index", "none", "tuple<tensor<f32>, vector<2xf32>>",
        "tensor<2xf80>", "tensor<2xi3>", "tensor<2xcomplex<i32>>", "tensor<vector<2xf32>>"})
    EXPECT_THAT(import(std::string("func.func @main(%x: ") + type + ") {\n  return\n}").diagnostics,
                HasSubstr("a program has no values of type"))
        << type;
  for (const char *type : {"tensor<2xf32>", "tuple<>", "!stablehlo.token", "tensor<?xindex>", "memref<2xf32>"})
    EXPECT_EQ(import(std::string("func.func @main(%x: ") + type + ") {\n  return\n}").diagnostics, "") << type;
}

TEST(Import, RefusesQuantizedDimensionsWithoutTheirScales) {
  auto errorsOf = [](const std::string &shape) {
    return import("func.func @main(%x: tensor<" + shape + "!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {\n  return\n}")
        .diagnostics;
  };
  for (const char *shape : {"", "2x", "2x3x", "2x0x"})
    EXPECT_THAT(errorsOf(shape), HasSubstr("must have a scale for each index")) << shape;
  for (const char *shape : {"3x2x", "3x?x"})
    EXPECT_EQ(errorsOf(shape), "") << shape;
}

TEST(Import, RefusesZeroPointsOutsideOfTheStorage) {
  auto errorsOf = [](const std::string &type) {
    return import("func.func @main(%x: tensor<2x!quant.uniform<" + type + ">>) {\n  return\n}").diagnostics;
  };
  for (const char *type : {"i8:f32, 0.5:128", "u8:f32, 0.5:-1", "u8:f32, 0.5:9223372036854775807",
                           "i8<-127:127>:f32, 0.5:-128", "i8:f32:0, {0.5:3, 0.25:-129}"})
    EXPECT_THAT(errorsOf(type), HasSubstr("zero points must be numbers that the storage can have")) << type;
  for (const char *type :
       {"i8:f32, 0.5:127", "u8:f32, 0.5:255", "i8<-127:127>:f32, 0.5:-127", "i8:f32:0, {0.5:-128, 0.25}"})
    EXPECT_EQ(errorsOf(type), "") << type;
}

TEST(Import, RefusesConstantsThatAreNotTensors) {
  for (const char *type : {"vector<2xf32>", "memref<2xf32>"})
    EXPECT_THAT(import(std::string("func.func @main() {\n  \"stablehlo.constant\"() {value = dense<1.0> : ") + type +
                       "} : () -> tensor<2xf32>\n  return\n}")
                    .diagnostics,
                HasSubstr("constants must be tensors"))
        << type;
}

TEST(Import, RefusesArraysOfIndex) {
  EXPECT_THAT(
      import("func.func @main() {\n  \"stablehlo.x\"() {y = array<index: 1>} : () -> ()\n  return\n}").diagnostics,
      HasSubstr("2:24: the elements of an array must be"));
}

// Written out, each has 2^60 parts.
TEST(Import, RefusesPartsWithoutNumber) {
  std::string attributes = "#a0 = [1]\n", types = "!t0 = tuple<i1>\n", locations = "#loc0 = loc(\"x\")\n";
  for (int i = 1; i <= 60; ++i) {
    std::string now = std::to_string(i), before = std::to_string(i - 1);
    attributes += "#a" + now + " = [#a" + before + ", #a" + before + "]\n";
    types += "!t" + now + " = tuple<!t" + before + ", !t" + before + ">\n";
    locations += "#loc" + now + " = loc(callsite(#loc" + before + " at #loc" + before + "))\n";
  }
  EXPECT_THAT(import(attributes + "func.func @main() attributes {x = #a60} {\n  return\n}").diagnostics,
              HasSubstr("'func.func' are too large"));
  EXPECT_THAT(import(types + "func.func @main(%x: !t60) {\n  return\n}").diagnostics, HasSubstr("are too large"));
  EXPECT_THAT(import(locations + "func.func @main() {\n  return loc(#loc60)\n}").diagnostics,
              HasSubstr("'func.return' are too large"));
  std::string nested = "#a0 = [1]\n";
  for (int i = 1; i <= 20000; ++i)
    nested += "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(import(nested + "func.func @main() attributes {x = #a20000} {\n  return\n}").diagnostics,
              HasSubstr("'func.func' are too large"));
}

TEST(Import, InlinesResources) {
  const char *program = "func.func @main() -> (tensor<2xf32>, tensor<3xi1>) {\n"
                        "  %0 = stablehlo.constant dense_resource<floats> : tensor<2xf32>\n"
                        "  %1 = stablehlo.constant dense_resource<flags> : tensor<3xi1>\n"
                        "  return %0, %1 : tensor<2xf32>, tensor<3xi1>\n}\n";
  std::string data = "{-# dialect_resources: { builtin: { floats: \"0x040000000000803F00000040\", "
                     "flags: \"0x01000000010001\" } } #-}";
  std::string text = import(std::string(program) + data).text;
  EXPECT_THAT(text, HasSubstr("dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"));
  EXPECT_THAT(text, HasSubstr("dense<[true, false, true]> : tensor<3xi1>"));
  EXPECT_THAT(import(program).diagnostics, HasSubstr("is not in the file"));
  EXPECT_THAT(
      import("func.func @main() {\n  %0 = stablehlo.constant dense_resource<floats> : tensor<3xf32>\n  return\n}\n" +
             data)
          .diagnostics,
      HasSubstr("resource of 8 bytes"));
}

// MLIR 22 spells booleans as bits, its successors as bytes.
TEST(Import, ReadsBothSpellingsOfBooleans) {
  auto read = [](const std::string &digits) {
    return import("func.func @main() -> tensor<2x5xi1> {\n  %0 = stablehlo.constant dense<\"0x" + digits +
                  "\"> : tensor<2x5xi1>\n  return %0 : tensor<2x5xi1>\n}")
        .text;
  };
  std::string bytes = read("01000100000001000001"), bits = read("4502");
  EXPECT_THAT(bytes, HasSubstr("dense<[[true, false, true, false, false], [false, true, false, false, true]]>"));
  EXPECT_EQ(bits, bytes);
}

// Old artifacts have such programs, and StableHLO reads them.
TEST(Import, WarnsOfWhatCannotBeRun) {
  Imported rng = import("func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {\n"
                        "  %0, %1 = stablehlo.rng_bit_generator %x, algorithm = PHILOX"
                        " : (tensor<2xi64>) -> (tensor<2xi64>, tensor<4xf32>)\n  return %0 : tensor<2xi64>\n}");
  EXPECT_NE(rng.text, "");
  EXPECT_THAT(rng.diagnostics, HasSubstr("2:12: cannot be run: initial_state must be a 1-dimensional tensor of ui64"));
  auto gather = [](const std::string &size) {
    return import(
        "func.func @main(%x: tensor<2xf32>) -> tensor<" + size +
        "xf32> {\n  %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0], "
        "[1]]> : tensor<2x1xi64>}> : (tensor<2xf32>) -> tensor<" +
        size + "xf32>\n  return %0 : tensor<" + size + "xf32>\n}");
  };
  EXPECT_THAT(gather("4").diagnostics, HasSubstr("cannot be run: the result must be 1 times as large as the operand"));
  EXPECT_NE(gather("4").text, "");
  EXPECT_EQ(gather("2").diagnostics, "");
  for (std::string op : {"reduce\"(%x, %z) <{dimensions = array<i64: 0>}>",
                         "reduce_window\"(%x, %z) <{window_dimensions = array<i64: 1, 4>}>"}) {
    std::string result = op.find("window") == std::string::npos ? "4" : "4x1";
    Imported reduce = import("func.func @main(%x: tensor<4x4xf32>, %z: tensor<4xf32>) -> tensor<" + result +
                             "xf32> {\n  %0 = \"stablehlo." + op +
                             " ({\n  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):\n    %1 = stablehlo.add %a, %b : "
                             "tensor<4xf32>\n    stablehlo.return %1 : tensor<4xf32>\n  }) : (tensor<4x4xf32>, "
                             "tensor<4xf32>) -> tensor<" +
                             result + "xf32>\n  return %0 : tensor<" + result + "xf32>\n}");
    EXPECT_NE(reduce.text, "");
    EXPECT_THAT(reduce.diagnostics,
                HasSubstr("2:8: cannot be run: init_values must be 0-dimensional tensors, got tensor<4xf32>"));
  }
}

// StableHLO lets the lists of a window be empty where each value is the usual one.
TEST(Import, TakesEmptyWindowAttributesForNone) {
  auto read = [](const std::string &attributes) {
    return import("func.func @main(%x: tensor<4x4xf32>, %z: tensor<f32>) -> tensor<3x3xf32> {\n  %0 = "
                  "\"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 2, 2>" +
                  attributes +
                  "}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %1 = stablehlo.add %a, %b : tensor<f32>\n    "
                  "stablehlo.return %1 : tensor<f32>\n  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<3x3xf32>\n  "
                  "return %0 : tensor<3x3xf32>\n}");
  };
  Imported plain = read("");
  EXPECT_NE(plain.text, "");
  EXPECT_EQ(read(", window_strides = array<i64>, base_dilations = array<i64>, window_dilations = array<i64>, "
                 "padding = dense<> : tensor<0x2xi64>")
                .text,
            plain.text);
  EXPECT_THAT(read(", window_strides = array<i64: 1>").diagnostics, HasSubstr("reduce_window_c6"));
}

TEST(Import, RefusesConstantsThatAreNotDense) {
  for (const char *value : {"sparse<[[0, 0]], [1]> : tensor<1x2xi64>", "dense<\"a\"> : tensor<1x!stablehlo.token>"})
    EXPECT_THAT(
        import(std::string("func.func @main() attributes {x = [{y = ") + value + "}]} {\n  return\n}").diagnostics,
        HasSubstr("constants must be of dense numbers"))
        << value;
}

TEST(Import, RefusesFuturesOfOtherThings) {
  for (const char *type : {"f32", "!stablehlo.token", "tuple<>"})
    EXPECT_THAT(import(std::string("func.func @main(%x: !stablehlo.future<") + type + ">) {\n  return\n}").diagnostics,
                HasSubstr("a program has no values of type"))
        << type;
  EXPECT_EQ(import("func.func @main(%x: !stablehlo.future<tensor<f32>>) {\n  return\n}").diagnostics, "");
}

TEST(Import, KnowsWhatMayBeBegun) {
  auto errorsOf = [](const std::string &op, const std::string &result) {
    return import("func.func @main(%x: tensor<4xf32>) {\n  %0 = \"stablehlo.async_start\"(%x) ({\n"
                  "  ^bb0(%a: tensor<4xf32>):\n    " +
                  op + "\n    stablehlo.return " + result +
                  " : tensor<4xf32>\n  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>\n  return\n}")
        .diagnostics;
  };
  EXPECT_EQ(errorsOf("%1 = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>", "%1"), "");
  EXPECT_THAT(errorsOf("%1 = stablehlo.negate %a : tensor<4xf32>", "%1"), HasSubstr("async_start: body must be one"));
  EXPECT_THAT(errorsOf("%0 = stablehlo.slice %a [0:4] : (tensor<4xf32>) -> tensor<4xf32>\n    %1 = stablehlo.slice %0 "
                       "[0:4] : (tensor<4xf32>) -> tensor<4xf32>",
                       "%1"),
              HasSubstr("async_start: body must be one"));
  // The futures among main's arguments are begun so, and what is written out can be read again.
  EXPECT_EQ(errorsOf("", "%a"), "");
}

TEST(Import, SaysWhereTextIsWrong) {
  EXPECT_THAT(import("func.func @main() {\n  stablehlo.nothing\n}").diagnostics, HasSubstr("2:3: "));
  EXPECT_THAT(
      import("func.func @main(%x: tensor<2xf32>) {\n  %0 = stablehlo.add %x, %y : tensor<2xf32>\n}").diagnostics,
      HasSubstr("2:"));
}

TEST(Import, RefusesArtifactsOfOtherAges) {
  std::string artifact = readFile(std::string(TENON_TESTDATA) + "/shape.1.17.0.mlirbc");
  auto withVersion = [&](const std::string &version) {
    std::string changed = artifact;
    size_t at = changed.find("StableHLO_v1.17.0");
    EXPECT_NE(at, std::string::npos);
    changed.replace(at + 11, 6, version);
    return import(changed).diagnostics;
  };
  EXPECT_THAT(withVersion("2.00.0"), HasSubstr("2.00.0: it is newer than 1.20.0"));
  EXPECT_THAT(withVersion("1.21.0"), HasSubstr("1.21.0: it is newer than 1.20.0"));
  EXPECT_THAT(withVersion("0.08.9"), HasSubstr("before 0.9.0"));
  EXPECT_THAT(withVersion("x.17.0"), HasSubstr("malformed version"));
  EXPECT_EQ(withVersion("1.20.9"), "");
}

TEST(Import, NamesUnknownOperations) {
  std::string artifact = readFile(std::string(TENON_TESTDATA) + "/elementwise.1.17.0.mlirbc");
  size_t at = artifact.find("atan2_v1");
  ASSERT_NE(at, std::string::npos);
  artifact.replace(at, 8, "atan2_v9");
  EXPECT_THAT(import(artifact).diagnostics, HasSubstr("atan2_v9"));
}

// Damage must be reported, or happen to be harmless; it must not end the process.
TEST(Import, SurvivesTruncation) {
  for (const std::string &path : testFiles(".mlirbc")) {
    std::string bytes = readFile(path);
    for (size_t length = 0; length < bytes.size(); length += 7) {
      Imported result = import(llvm::StringRef(bytes).take_front(length));
      if (length >= 4) {
        EXPECT_EQ(result.text, "") << path << " cut at " << length;
        EXPECT_NE(result.diagnostics, "") << path << " cut at " << length;
      }
    }
  }
}

TEST(Import, SurvivesFlippedBits) {
  std::mt19937 engine(1);
  for (const std::string &path : testFiles(".mlirbc")) {
    std::string bytes = readFile(path);
    for (int i = 0; i < 200; ++i) {
      std::string damaged = bytes;
      for (int flips = 1 + engine() % 3; flips; --flips)
        damaged[engine() % damaged.size()] ^= 1 << (engine() % 8);
      Imported result = import(damaged);
      EXPECT_TRUE(result.text.empty() != result.diagnostics.empty()) << path << " " << i;
    }
  }
}

TEST(Import, SurvivesNoise) {
  std::mt19937 engine(2);
  for (int i = 0; i < 500; ++i) {
    std::string bytes = i % 2 ? std::string("ML\xefR\rStableHLO_v1.17.0\0", 23) : "";
    for (int length = engine() % 300; length; --length)
      bytes += static_cast<char>(engine());
    import(bytes, true);
  }
}

} // namespace
} // namespace tenon::frontend
