// Times single kernels on one core: tenon_loop_benchmark [name-part | file.mlir]. Not a test. With TENON_TEST_DUMP set,
// prints their IR and assembly.
#include "tenon/codegen/llvm/loop/test/loop_testing.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

using tenon::codegen::CpuTarget;
using tenon::codegen::testing::fusionProgram;
using tenon::codegen::testing::LoopKernel;

namespace {

struct Case {
  const char *name;
  std::string text;
};

std::string rows(const std::string &text) {
  std::string result = text;
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size())
      result.replace(at, from.size(), to);
  };
  replace("$F", "tensor<4096x1024xf32>");
  replace("$R", "tensor<4096xf32>");
  replace("$V", "tensor<1024xf32>");
  replace("$H", "tensor<4096x1024xbf16>");
  replace("SUM(", "stablehlo.reduce(");
  return result;
}

const char *kSoftmax = R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %m) applies stablehlo.maximum across dimensions = [1] : ($F, tensor<f32>) -> $R
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ($R) -> $F
  %2 = stablehlo.subtract %a, %1 : $F
  %3 = stablehlo.exponential %2 : $F
  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : ($F, tensor<f32>) -> $R
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ($R) -> $F
  %6 = stablehlo.divide %3, %5 : $F)";

const char *kLayerNorm = R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<1024.0> : $R
  %e = stablehlo.constant dense<1.0e-5> : $R
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : ($F, tensor<f32>) -> $R
  %1 = stablehlo.divide %0, %n : $R
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : ($R) -> $F
  %3 = stablehlo.subtract %a, %2 : $F
  %4 = stablehlo.multiply %3, %3 : $F
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] : ($F, tensor<f32>) -> $R
  %6 = stablehlo.divide %5, %n : $R
  %7 = stablehlo.add %6, %e : $R
  %8 = stablehlo.rsqrt %7 : $R
  %9 = stablehlo.broadcast_in_dim %8, dims = [0] : ($R) -> $F
  %10 = stablehlo.multiply %3, %9 : $F
  %11 = stablehlo.broadcast_in_dim %b, dims = [1] : ($V) -> $F
  %12 = stablehlo.multiply %10, %11 : $F
  %13 = stablehlo.broadcast_in_dim %c, dims = [1] : ($V) -> $F
  %14 = stablehlo.add %12, %13 : $F)";

const char *kRmsNorm = R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<1024.0> : $R
  %e = stablehlo.constant dense<1.0e-6> : $R
  %0 = stablehlo.convert %a : ($H) -> $F
  %1 = stablehlo.multiply %0, %0 : $F
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : ($F, tensor<f32>) -> $R
  %3 = stablehlo.divide %2, %n : $R
  %4 = stablehlo.add %3, %e : $R
  %5 = stablehlo.rsqrt %4 : $R
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : ($R) -> $F
  %7 = stablehlo.multiply %0, %6 : $F
  %8 = stablehlo.convert %7 : ($F) -> $H
  %9 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<1024xbf16>) -> $H
  %10 = stablehlo.multiply %8, %9 : $H)";

const char *kArgmax =
    R"(func.func @main(%x: tensor<4096x1024xf32>) -> (tensor<4096xf32>, tensor<4096xi32>) {
  %r:2 = tenon.fusion reduce(%a = %x) : (tensor<4096x1024xf32>) -> (tensor<4096xf32>, tensor<4096xi32>) {
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<4096x1024xi32>
  %0:2 = stablehlo.reduce(%a init: %m), (%i init: %z) across dimensions = [1] :
    (tensor<4096x1024xf32>, tensor<4096x1024xi32>, tensor<f32>, tensor<i32>) -> (tensor<4096xf32>, tensor<4096xi32>)
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
    %1 = stablehlo.compare GT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %p, %q : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  tenon.yield %0#0, %0#1 : tensor<4096xf32>, tensor<4096xi32>
  }
  return %r#0, %r#1 : tensor<4096xf32>, tensor<4096xi32>
})";

std::string sum(const std::string &dims, const std::string &result) {
  return "func.func @main(%x: tensor<4096x4096xf32>, %z: tensor<f32>) -> " + result +
         " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [" + dims +
         "] : (tensor<4096x4096xf32>, tensor<f32>) -> " + result + "\nreturn %r : " + result + "\n}";
}

std::string unary(const std::string &op) {
  return "func.func @main(%x: tensor<4194304xf32>) -> tensor<4194304xf32> {\n%r = stablehlo." + op +
         " %x : tensor<4194304xf32>\nreturn %r : tensor<4194304xf32>\n}";
}

std::string chain() {
  std::string body = "%x0 = stablehlo.negate %a : tensor<65536xf32>\n%y0 = stablehlo.negate %b : tensor<65536xf32>\n";
  std::string t = " : tensor<65536xf32>\n";
  for (int i = 0; i < 50; ++i) {
    std::string n = std::to_string(i), m = std::to_string(i + 1);
    body += "%k" + n + " = stablehlo.constant dense<1.01>" + t + "%h" + n + " = stablehlo.constant dense<0.5>" + t;
    body += "%p" + n + " = stablehlo.multiply %x" + n + ", %k" + n + t + "%q" + n + " = stablehlo.add %p" + n + ", %y" +
            n + t;
    body += "%r" + n + " = stablehlo.multiply %q" + n + ", %h" + n + t + "%s" + n + " = stablehlo.maximum %y" + n +
            ", %r" + n + t;
    body += "%t" + n + " = stablehlo.abs %s" + n + t + "%u" + n + " = stablehlo.add %k" + n + ", %t" + n + t;
    body += "%x" + m + " = stablehlo.divide %q" + n + ", %u" + n + t + "%v" + n + " = stablehlo.multiply %s" + n +
            ", %h" + n + t;
    body += "%y" + m + " = stablehlo.add %v" + n + ", %x" + m + t;
  }
  return fusionProgram("loop", {"65536xf32", "65536xf32"}, body, "%y50", "tensor<65536xf32>");
}

std::string gelu() {
  std::string t = " : tensor<4194304xf32>\n";
  auto constant = [&](const char *name, const char *value) {
    return std::string("%") + name + " = stablehlo.constant dense<" + value + ">" + t;
  };
  return fusionProgram(
      "loop", {"4194304xf32", "4194304xf32", "4194304xf32"},
      constant("c1", "1.5") + constant("c2", "0.044715") + constant("c3", "0.79788456") + constant("c4", "0.5") +
          constant("c5", "1.0") + constant("c6", "0.0") + constant("c7", "3.0") + "%0 = stablehlo.multiply %a, %c1" +
          t + "%1 = stablehlo.add %0, %b" + t + "%2 = stablehlo.multiply %1, %1" + t +
          "%3 = stablehlo.multiply %2, %1" + t + "%4 = stablehlo.multiply %3, %c2" + t + "%5 = stablehlo.add %1, %4" +
          t + "%6 = stablehlo.multiply %5, %c3" + t + "%7 = stablehlo.tanh %6" + t + "%8 = stablehlo.add %7, %c5" + t +
          "%9 = stablehlo.multiply %8, %c4" + t + "%10 = stablehlo.multiply %9, %1" + t +
          "%11 = stablehlo.multiply %10, %c" + t + "%12 = stablehlo.maximum %11, %c6" + t +
          "%13 = stablehlo.minimum %b, %c7" + t + "%14 = stablehlo.multiply %12, %13" + t +
          "%15 = stablehlo.subtract %c, %a" + t + "%16 = stablehlo.abs %15" + t + "%17 = stablehlo.multiply %16, %c4" +
          t + "%18 = stablehlo.subtract %14, %17" + t + "%19 = stablehlo.add %18, %10" + t,
      "%19", "tensor<4194304xf32>");
}

std::vector<Case> cases() { // NOLINT(readability-function-size): a table
  std::string plain = "tensor<4096x4096xf32>";
  return {
      {"exp_4M", unary("exponential")},
      {"tanh_4M", unary("tanh")},
      {"negate_4M", unary("negate")},
      {"gelu_chain_4M", gelu()},
      {"chain_200", chain()},
      {"softmax", fusionProgram("rows", {"4096x1024xf32"}, rows(kSoftmax), "%6", "tensor<4096x1024xf32>")},
      {"layernorm", fusionProgram("rows", {"4096x1024xf32", "1024xf32", "1024xf32"}, rows(kLayerNorm), "%14",
                                  "tensor<4096x1024xf32>")},
      {"rmsnorm_bf16",
       fusionProgram("rows", {"4096x1024xbf16", "1024xbf16"}, rows(kRmsNorm), "%10", "tensor<4096x1024xbf16>")},
      {"sum_rows", sum("1", "tensor<4096xf32>")},
      {"sum_cols", sum("0", "tensor<4096xf32>")},
      {"sum_all", sum("0, 1", "tensor<f32>")},
      {"argmax", kArgmax},
      {"negate_32M", "func.func @main(%x: tensor<33554432xf32>) -> tensor<33554432xf32> {\n%r = stablehlo.negate %x : "
                     "tensor<33554432xf32>\nreturn %r : tensor<33554432xf32>\n}"},
      {"transpose2d", "func.func @main(%x: " + plain + ") -> " + plain +
                          " {\n%r = stablehlo.transpose %x, dims = [1, 0] : (" + plain + ") -> " + plain +
                          "\nreturn %r : " + plain + "\n}"},
      {"transpose4d",
       "func.func @main(%x: tensor<8x512x12x64xf32>) -> tensor<8x12x512x64xf32> {\n%r = stablehlo.transpose "
       "%x, dims = [0, 2, 1, 3] : (tensor<8x512x12x64xf32>) -> tensor<8x12x512x64xf32>\nreturn %r : "
       "tensor<8x12x512x64xf32>\n}"},
      {"broadcast_outer",
       fusionProgram("loop", {"2048xf32", "2048xf32", "2048xf32"},
                     R"(%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
                 %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
                 %2 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<2048xf32>) -> tensor<2048x2048xf32>
                 %k = stablehlo.constant dense<2.0> : tensor<2048x2048xf32>
                 %3 = stablehlo.multiply %0, %1 : tensor<2048x2048xf32>
                 %4 = stablehlo.add %3, %2 : tensor<2048x2048xf32>
                 %5 = stablehlo.multiply %1, %k : tensor<2048x2048xf32>
                 %6 = stablehlo.subtract %4, %5 : tensor<2048x2048xf32>)",
                     "%6", "tensor<2048x2048xf32>")},
      {"maxpool", R"(func.func @main(%x: tensor<8x112x112x64xf32>, %m: tensor<f32>) -> tensor<8x56x56x64xf32> {
  %r = "stablehlo.reduce_window"(%x, %m) <{window_dimensions = array<i64: 1, 3, 3, 1>,
    window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<8x112x112x64xf32>, tensor<f32>) -> tensor<8x56x56x64xf32>
  return %r : tensor<8x56x56x64xf32>
})"},
      {"cumsum", R"(func.func @main(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
  %m = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %m) <{window_dimensions = array<i64: 1, 4096>,
    padding = dense<[[0, 0], [4095, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<1024x4096xf32>, tensor<f32>) -> tensor<1024x4096xf32>
  return %r : tensor<1024x4096xf32>
})"},
      {"scatter_add", R"(func.func @main(%t: tensor<50000x64xf32>, %i: tensor<100000x1xi32>, %u: tensor<100000x64xf32>)
    -> tensor<50000x64xf32> {
  %r = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<50000x64xf32>, tensor<100000x1xi32>, tensor<100000x64xf32>) -> tensor<50000x64xf32>
  return %r : tensor<50000x64xf32>
})"},
  };
}

} // namespace

int main(int argc, char **argv) {
  std::printf("%-18s %9s %9s %9s %8s %8s\n", "kernel", "ms", "GB/s", "emit ms", "comp ms", "tasks");
  std::vector<Case> list = cases();
  bool file = argc > 1 && std::strstr(argv[1], ".mlir");
  if (file) {
    std::ifstream stream(argv[1]);
    std::stringstream text;
    text << stream.rdbuf();
    list = {{argv[1], text.str()}};
  }
  tenon::codegen::CpuTargetOptions options;
  if (const char *cpu = std::getenv("TENON_TEST_CPU"))
    options.cpu = cpu;
  auto target = CpuTarget::create(options);
  for (const Case &entry : list) {
    if (argc > 1 && !file && !std::strstr(entry.name, argv[1]))
      continue;
    LoopKernel kernel(entry.text, *target);
    llvm::outs() << kernel.ir << kernel.assembly;
    llvm::outs().flush();
    if (!kernel.ok()) {
      std::printf("%-18s %s\n", entry.name, kernel.error.c_str());
      continue;
    }
    double ms = kernel.benchmark(kernel.randomInputs(1), 0.15);
    std::printf("%-18s %9.3f %9.2f %9.2f %8.2f %8ld\n", entry.name, ms, kernel.kernel.bytes / ms / 1e6,
                kernel.emitMilliseconds, kernel.compileMilliseconds, static_cast<long>(kernel.kernel.phases[0].extent));
    std::fflush(stdout);
  }
  return 0;
}
