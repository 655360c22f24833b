// Programs that do without the runtime's library: fft, cholesky and triangular_solve as ops that have kernels, against
// the interpreter (requirement inventory SYS-13, SYS-75).
#include "test/e2e/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tenon::testing {
namespace {

std::string tensor(const std::vector<int64_t> &sizes, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string list(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

std::unique_ptr<runtime::LoadedProgram> load(const std::string &source) {
  compiler::CompileOptions options;
  options.selfContained = true;
  options.verifyStages = true;
  auto program = compileAndLoad(source, options);
  EXPECT_TRUE(program.ok()) << program.status().message() << source;
  if (!program.ok())
    return nullptr;
  EXPECT_TRUE((*program)->program().runtimeCalls.empty()) << source;
  return *std::move(program);
}

void check(const std::string &source) {
  auto program = load(source);
  if (!program)
    return;
  std::vector<xla::Literal> inputs = randomInputs(program->program());
  auto actual = runNative(*program, inputs), expected = runReference(source, inputs, program->program());
  ASSERT_TRUE(actual.ok() && expected.ok()) << actual.status().message() << expected.status().message();
  for (size_t i = 0; i < expected->size(); ++i)
    compareArrays((*actual)[i], (*expected)[i], source);
}

// Transforms of the last dimensions, as many as there are lengths, of an array with these others in front.
void checkFft(const std::string &kind, const std::string &part, const std::vector<int64_t> &others,
              const std::vector<int64_t> &lengths) {
  std::vector<int64_t> in = others, out;
  in.insert(in.end(), lengths.begin(), lengths.end());
  out = in;
  std::string complex = "complex<" + part + ">", from = complex, to = complex;
  if (kind == "RFFT") {
    from = part;
    out.back() = lengths.back() / 2 + 1;
  } else if (kind == "IRFFT") {
    to = part;
    in.back() = lengths.back() / 2 + 1;
  }
  std::string operand = tensor(in, from), result = tensor(out, to);
  check("func.func @main(%x: " + operand + ") -> " + result + " {\n  %0 = stablehlo.fft %x, type = " + kind +
        ", length = [" + list(lengths) + "] : (" + operand + ") -> " + result + "\n  return %0 : " + result + "\n}\n");
}

TEST(SelfContained, FftOfEveryKindOfLength) {
  // Products, factors, primes with a matrix of their own, chirps, and factors before a chirp.
  for (int64_t length : {1, 2, 3, 5, 31, 32, 33, 37, 64, 96, 100, 251, 257, 526, 1000, 1024})
    for (const char *kind : {"FFT", "IFFT", "RFFT", "IRFFT"})
      checkFft(kind, length % 3 ? "f32" : "f64", {2}, {length});
}

TEST(SelfContained, FftOfSeveralDimensions) {
  for (const char *kind : {"FFT", "IFFT", "RFFT", "IRFFT"})
    for (const char *part : {"f32", "f64"}) {
      checkFft(kind, part, {}, {12});
      checkFft(kind, part, {2, 3}, {4, 35});
      checkFft(kind, part, {2}, {3, 5, 8});
    }
  checkFft("FFT", "f32", {0}, {8});
  checkFft("RFFT", "f32", {2, 0}, {3, 4});
}

// A program that factors a positive definite matrix, whose other triangle is garbage.
std::string choleskyOf(const std::string &element, bool lower, int64_t n) {
  std::string type = tensor({2, n, n}, element), index = tensor({2, n, n}, "i32"), flag = tensor({2, n, n}, "i1");
  bool isComplex = element[0] == 'c';
  std::string number = isComplex ? "(" + std::to_string(n + 1) + ".0, 0.0)" : std::to_string(n + 1) + ".0";
  std::string zero = isComplex ? "(0.0, 0.0)" : "0.0";
  std::string part = isComplex ? element.substr(8, 3) : element;
  std::string text = "func.func @main(%x: " + type + ", %garbage: " + type + ") -> " + type + " {\n";
  std::string conjugate = "%x";
  if (isComplex) {
    std::string real = tensor({2, n, n}, part);
    text += "  %re = stablehlo.real %x : (" + type + ") -> " + real + "\n  %im = stablehlo.imag %x : (" + type +
            ") -> " + real + "\n  %neg = stablehlo.negate %im : " + real +
            "\n  %conj = stablehlo.complex %re, %neg : " + type + "\n";
    conjugate = "%conj";
  }
  text += "  %0 = stablehlo.dot_general %x, " + conjugate +
          ", batching_dims = [0] x [0], contracting_dims = [2] x [2] : (" + type + ", " + type + ") -> " + type +
          "\n  %i = stablehlo.iota dim = 1 : " + index + "\n  %j = stablehlo.iota dim = 2 : " + index +
          "\n  %same = stablehlo.compare EQ, %i, %j : (" + index + ", " + index + ") -> " + flag +
          "\n  %n = stablehlo.constant dense<" + number + "> : " + type + "\n  %zero = stablehlo.constant dense<" +
          zero + "> : " + type + "\n  %d = stablehlo.select %same, %n, %zero : " + flag + ", " + type +
          "\n  %a = stablehlo.add %0, %d : " + type + "\n  %read = stablehlo.compare " + (lower ? "GE" : "LE") +
          ", %i, %j : (" + index + ", " + index + ") -> " + flag +
          "\n  %given = stablehlo.select %read, %a, %garbage : " + flag + ", " + type +
          "\n  %l = stablehlo.cholesky %given, lower = " + (lower ? "true" : "false") + " : " + type +
          "\n  %result = stablehlo.select %read, %l, %zero : " + flag + ", " + type + "\n  return %result : " + type +
          "\n}\n";
  return text;
}

TEST(SelfContained, Cholesky) {
  for (bool lower : {false, true}) {
    for (const char *element : {"f32", "f64", "complex<f32>", "complex<f64>"})
      check(choleskyOf(element, lower, 7));
    check(choleskyOf("f32", lower, 1));
    check(choleskyOf("f64", lower, 20));
  }
}

TEST(SelfContained, CholeskyOfWhatIsNotPositiveIsNaN) {
  auto program = load(R"(func.func @main(%x: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
})");
  ASSERT_NE(program, nullptr);
  std::vector<float> input{1, 9, 2, 1, /* the second one has a factor */ 4, 9, 2, 5}, output(8);
  const void *arguments[] = {input.data()};
  void *results[] = {output.data()};
  ASSERT_TRUE(program->run(arguments, results, {}).ok());
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(std::isnan(output[size_t(i)]));
  output.erase(output.begin(), output.begin() + 4);
  EXPECT_THAT(output, ::testing::ElementsAre(2, 0, 1, 2));
}

TEST(SelfContained, TriangularSolve) {
  int number = 0;
  const char *elements[] = {"f32", "complex<f64>", "f64", "complex<f32>"};
  for (bool left : {false, true})
    for (bool lower : {false, true})
      for (const char *transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
        for (bool unit : {false, true})
          for (int i = 0; i < 2; ++i, ++number) {
            std::string element = elements[number % 3 + i];
            int64_t n = 1 + number % 5 * 3;
            std::string a = tensor({2, n, n}, element), b = tensor({2, left ? n : 4, left ? 4 : n}, element);
            std::string large = element[0] == 'c' ? "(9.0, 1.0)" : "9.0";
            std::string index = tensor({2, n, n}, "i32"), flag = tensor({2, n, n}, "i1");
            check("func.func @main(%x: " + a + ", %b: " + b + ") -> " + b +
                  " {\n  %i = stablehlo.iota dim = 1 : " + index + "\n  %j = stablehlo.iota dim = 2 : " + index +
                  "\n  %same = stablehlo.compare EQ, %i, %j : (" + index + ", " + index + ") -> " + flag +
                  "\n  %large = stablehlo.constant dense<" + large + "> : " + a +
                  "\n  %a = stablehlo.select %same, %large, %x : " + flag + ", " + a +
                  "\n  %0 = \"stablehlo.triangular_solve\"(%a, %b) {left_side = " + (left ? "true" : "false") +
                  ", lower = " + (lower ? "true" : "false") + ", unit_diagonal = " + (unit ? "true" : "false") +
                  ", transpose_a = #stablehlo<transpose " + transpose + ">} : (" + a + ", " + b + ") -> " + b +
                  "\n  return %0 : " + b + "\n}\n");
          }
}

} // namespace
} // namespace tenon::testing
