// cuBLASLt, played by a table of functions of our own that checks what it is told, in programs of a GPU that the host
// plays: large products are its, in the device's memory and in the stream, and what it cannot do is our kernels'.

#include "test/e2e/emulated_library_ops_testing.h"

#include <gmock/gmock.h>

#include <set>

using namespace tenon;
using namespace tenon::testing;

namespace {

// --- cuBLASLt ---

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leadingDimension;
  int32_t batch = 1;
  int64_t batchStride = 0;
};
struct Description {
  int computeType, scaleType;
  bool transposesA = false, transposesB = false;
  const void *bias = nullptr;
  bool hasBias = false;
};
struct Preference {
  uint64_t workspaceBytes = 0;
  uint32_t schemes = 7, alignments[4] = {256, 256, 256, 256};
};

constexpr size_t kWorkBytes = 1000;
constexpr uint64_t kChoice = 77;
// Computations in f32, and of operands of f32 by tensor cores, in tf32.
constexpr int kSingle = 68, kTf32 = 77;

struct Library {
  int products = 0, questions = 0, biases = 0;
  int open = 0; // what has not been destroyed
  int handle = 0;
  bool canNot = false;
  std::vector<std::string> errors;
  std::set<int> computeTypes;
  std::set<uint32_t> alignments;
  bool transposedA = false, transposedB = false;
};
Library library;

int refuse(const char *what) {
  library.errors.emplace_back(what);
  return 7;
}

template <typename T> int makeObject(void **object, T made) {
  ++library.open;
  *object = new T(made);
  return 0;
}
template <typename T> int destroyObject(void *object) {
  --library.open;
  delete static_cast<T *>(object);
  return 0;
}
template <typename T> bool take(const void *value, size_t bytes, T &into) {
  if (bytes != sizeof(T))
    return false;
  std::memcpy(static_cast<void *>(&into), value, bytes);
  return true;
}

int makeLibrary(void **handle) {
  ++library.open;
  *handle = &library.handle;
  return 0;
}
int destroyLibrary(void *handle) {
  --library.open;
  return handle == &library.handle ? 0 : refuse("a handle");
}
int makeDescription(void **object, int computeType, int scaleType) {
  library.computeTypes.insert(computeType);
  return makeObject(object, Description{computeType, scaleType});
}
int setDescription(void *object, int attribute, const void *value, size_t bytes) {
  auto &description = *static_cast<Description *>(object);
  int32_t number = 0;
  if (attribute == 8)
    return take(value, bytes, description.bias) ? 0 : refuse("the bias");
  if (!take(value, bytes, number))
    return refuse("an attribute's size");
  if (attribute == 3 || attribute == 4)
    (attribute == 3 ? description.transposesA : description.transposesB) = number == 1;
  else if (attribute == 7 && number == 4)
    description.hasBias = true;
  else
    return refuse("an attribute of a description");
  return 0;
}
int makeLayout(void **object, int type, uint64_t rows, uint64_t columns, int64_t leadingDimension) {
  if (leadingDimension < int64_t(rows))
    return refuse("a leading dimension");
  return makeObject(object, Layout{type, rows, columns, leadingDimension});
}
int setLayout(void *object, int attribute, const void *value, size_t bytes) {
  auto &layout = *static_cast<Layout *>(object);
  bool isRight = attribute == 5   ? take(value, bytes, layout.batch)
                 : attribute == 6 ? take(value, bytes, layout.batchStride)
                                  : false;
  return isRight ? 0 : refuse("an attribute of a layout");
}
int makePreference(void **object) { return makeObject(object, Preference{}); }
int setPreference(void *object, int attribute, const void *value, size_t bytes) {
  auto &preference = *static_cast<Preference *>(object);
  bool isRight = attribute == 1                     ? take(value, bytes, preference.workspaceBytes)
                 : attribute == 3                   ? take(value, bytes, preference.schemes)
                 : attribute >= 5 && attribute <= 8 ? take(value, bytes, preference.alignments[attribute - 5])
                                                    : false;
  return isRight ? 0 : refuse("an attribute of a preference");
}

// The sizes go together: so many rows, columns, steps and batches.
bool isProduct(const Description &description, const Layout &a, const Layout &b, const Layout &d) {
  auto rows = [](const Layout &layout, bool isTransposed) { return isTransposed ? layout.columns : layout.rows; };
  auto columns = [](const Layout &layout, bool isTransposed) { return isTransposed ? layout.rows : layout.columns; };
  return rows(a, description.transposesA) == d.rows && columns(b, description.transposesB) == d.columns &&
         columns(a, description.transposesA) == rows(b, description.transposesB) && a.batch == d.batch &&
         b.batch == d.batch && a.type == b.type;
}

int findAlgorithms(void *handle, void *description, void *a, void *b, void *c, void *d, void *object, int wanted,
                   ProductAlgorithm *found, int *count) {
  ++library.questions;
  const auto &preference = *static_cast<Preference *>(object);
  const auto &of = *static_cast<Description *>(description);
  if (handle != &library.handle || wanted < 1 || c != d ||
      !isProduct(of, *static_cast<Layout *>(a), *static_cast<Layout *>(b), *static_cast<Layout *>(d)))
    return refuse("a question");
  if (preference.schemes != 2 || preference.workspaceBytes < kWorkBytes)
    return refuse("a preference");
  library.alignments.insert(std::begin(preference.alignments), std::end(preference.alignments));
  *count = 0;
  if (library.canNot)
    return 15;
  *count = 1;
  found[0] = {};
  found[0].choice[7] = kChoice;
  found[0].workspaceBytes = kWorkBytes;
  return 0;
}

ElementType typeOf(const Layout &layout) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBF16,
                           ElementType::kI8, ElementType::kI32})
    if (dataType(type) == layout.type)
      return type;
  refuse("a type");
  return ElementType::kF32;
}

void compute(const Description &description, const Layout &aLayout, const void *a, const Layout &bLayout, const void *b,
             const Layout &layout, void *d) {
  auto at = [](const Layout &of, int64_t batch, int64_t row, int64_t column, bool isTransposed) {
    return batch * of.batchStride +
           (isTransposed ? row * of.leadingDimension + column : row + column * of.leadingDimension);
  };
  auto steps = int64_t(description.transposesA ? aLayout.rows : aLayout.columns);
  for (int64_t batch = 0; batch < layout.batch; ++batch)
    for (int64_t row = 0; row < int64_t(layout.rows); ++row)
      for (int64_t column = 0; column < int64_t(layout.columns); ++column) {
        auto factor = [&](const Layout &of, const void *array, int64_t place) {
          double number = numberAt(typeOf(of), array, place);
          return description.computeType == kTf32 ? inTf32(number) : number;
        };
        double sum = 0;
        for (int64_t k = 0; k < steps; ++k)
          sum += factor(aLayout, a, at(aLayout, batch, row, k, description.transposesA)) *
                 factor(bLayout, b, at(bLayout, batch, k, column, description.transposesB));
        if (description.hasBias)
          sum = float(sum) + numberAt(typeOf(layout), description.bias, row);
        putNumber(typeOf(layout), d, at(layout, batch, row, column, false), sum);
      }
}

// Whether alpha and beta are 1 and 0 in the type that the description says, which goes with the one of sums.
template <typename T> bool areOneAndZero(const void *alpha, const void *beta) {
  return *static_cast<const T *>(alpha) == 1 && *static_cast<const T *>(beta) == 0;
}
bool hasRightScale(const Description &description, const void *alpha, const void *beta) {
  switch (description.computeType) {
  case kSingle:
  case kTf32:
    return description.scaleType == 0 && areOneAndZero<float>(alpha, beta);
  case 70:
    return description.scaleType == 1 && areOneAndZero<double>(alpha, beta);
  case 72:
    return description.scaleType == 10 && areOneAndZero<int32_t>(alpha, beta);
  default:
    return false;
  }
}

int multiply(void *handle, void *description, const void *alpha, const void *a, void *aLayout, const void *b,
             void *bLayout, const void *beta, const void *c, void *cLayout, void *d, void *dLayout, const void *choice,
             void *workspace, size_t workspaceBytes, void *stream) {
  const auto of = *static_cast<Description *>(description);
  const auto ofA = *static_cast<Layout *>(aLayout), ofB = *static_cast<Layout *>(bLayout),
             ofD = *static_cast<Layout *>(dLayout);
  if (handle != &library.handle || !hasRightScale(of, alpha, beta) || c != d || cLayout != dLayout || !a || !b || !d ||
      !isProduct(of, ofA, ofB, ofD) || static_cast<const uint64_t *>(choice)[7] != kChoice || !workspace ||
      workspaceBytes != kWorkBytes || of.hasBias != bool(of.bias))
    return refuse("a product");
  ++library.products;
  library.biases += of.hasBias;
  library.transposedA |= of.transposesA;
  library.transposedB |= of.transposesB;
  return int(runtime::emulator::enqueueWork(static_cast<StreamHandle *>(stream), [=] {
    std::memset(workspace, 0x5a, workspaceBytes);
    compute(of, ofA, a, ofB, b, ofD, d);
  }));
}

constexpr ProductTable kTable = {makeLibrary,
                                 destroyLibrary,
                                 makeDescription,
                                 destroyObject<Description>,
                                 setDescription,
                                 makeLayout,
                                 destroyObject<Layout>,
                                 setLayout,
                                 makePreference,
                                 destroyObject<Preference>,
                                 setPreference,
                                 findAlgorithms,
                                 multiply};

class EmulatedLibraryProducts : public EmulatedLibraryOps {
protected:
  void SetUp() override {
    EmulatedLibraryOps::SetUp();
    library = {};
    libraries.products = std::make_shared<ProductLibrary>(kTable);
  }
  void TearDown() override {
    EmulatedLibraryOps::TearDown();
    EXPECT_EQ(library.open, 0);
    EXPECT_THAT(library.errors, ::testing::IsEmpty());
  }
};

std::string productOf(const std::string &lhs, const std::string &rhs, const std::string &out,
                      const std::string &dimensions) {
  return "func.func @main(%a: tensor<" + lhs + ">, %b: tensor<" + rhs + ">) -> tensor<" + out +
         "> {\n  %0 = stablehlo.dot_general %a, %b, " + dimensions + " : (tensor<" + lhs + ">, tensor<" + rhs +
         ">) -> tensor<" + out + ">\n  return %0 : tensor<" + out + "> }";
}

struct Case {
  const char *lhs, *rhs, *out;
  int computeType;
};

TEST_F(EmulatedLibraryProducts, AreOfAllTypesThatBothHave) {
  for (Case types : {Case{"f32", "f32", "f32", kSingle}, Case{"f64", "f64", "f64", 70},
                     Case{"bf16", "bf16", "bf16", 68}, Case{"bf16", "bf16", "f32", 68}, Case{"f16", "f16", "f16", 68},
                     Case{"f16", "f16", "f32", 68}, Case{"i8", "i8", "i32", 72}}) {
    SCOPED_TRACE(std::string(types.lhs) + " to " + types.out);
    library.products = 0;
    library.computeTypes.clear();
    check(productOf(std::string("18x20x") + types.lhs, std::string("20x24x") + types.rhs,
                    std::string("18x24x") + types.out, "contracting_dims = [1] x [0]"));
    EXPECT_EQ(library.products, 2);
    EXPECT_EQ(library.computeTypes, std::set{types.computeType});
  }
}

TEST_F(EmulatedLibraryProducts, AreOfMatricesThatLieAnyWay) {
  check(productOf("18x20xf32", "24x20xf32", "18x24xf32", "contracting_dims = [1] x [1]"));
  EXPECT_TRUE(library.transposedA && !library.transposedB);
  library.transposedA = false;
  check(productOf("20x18xf32", "20x24xf32", "18x24xf32", "contracting_dims = [0] x [0]"));
  EXPECT_TRUE(!library.transposedA && library.transposedB);
  check(productOf("20x18xf32", "24x20xf32", "18x24xf32", "contracting_dims = [0] x [1]"));
  check(productOf("3x18x20xf32", "3x24x20xf32", "3x18x24xf32",
                  "batching_dims = [0] x [0], contracting_dims = [2] x [2]"));
  check(productOf("18x3x20xf32", "20x3x24xf32", "3x18x24xf32",
                  "batching_dims = [1] x [1], contracting_dims = [2] x [0]"));
  check(productOf("3x6x20xf32", "20x24xf32", "3x6x24xf32", "contracting_dims = [2] x [0]"));
  EXPECT_EQ(library.products, 12);
  EXPECT_EQ(library.alignments, std::set<uint32_t>{16});
}

// The results of one are transposed before they are stored.
TEST_F(EmulatedLibraryProducts, StoreTransposes) {
  check(R"(func.func @main(%a: tensor<3x18x20xf32>, %b: tensor<3x20x24xf32>) -> tensor<3x24x18xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<3x18x20xf32>, tensor<3x20x24xf32>) -> tensor<3x18x24xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x18x24xf32>) -> tensor<3x24x18xf32>
    return %1 : tensor<3x24x18xf32> })");
  EXPECT_EQ(library.products, 2);
}

std::string biasedProduct(const std::string &type, const std::string &dimension, const std::string &rest) {
  const std::string size = dimension == "1" ? "24" : "18";
  return R"(func.func @main(%a: tensor<18x20x)" + type + R"(>, %b: tensor<20x24x)" + type + ">, %c: tensor<" + size +
         R"(xf32>) -> tensor<18x24xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<18x20x)" +
         type + ">, tensor<20x24x" + type + R"(>) -> tensor<18x24xf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [)" +
         dimension + "] : (tensor<" + size + R"(xf32>) -> tensor<18x24xf32>
    %2 = stablehlo.add %1, %0 : tensor<18x24xf32>
    )" + rest +
         R"(
  })";
}

// For each column, and nothing more: cuBLASLt adds it as the program does.
TEST_F(EmulatedLibraryProducts, HaveABias) {
  for (const char *type : {"f32", "bf16"})
    check(biasedProduct(type, "1", "return %2 : tensor<18x24xf32>"));
  EXPECT_EQ(library.products, 4);
  EXPECT_EQ(library.biases, 4);
  check(biasedProduct("f32", "0", "return %2 : tensor<18x24xf32>"));
  check(biasedProduct("f32", "1", R"(%3 = stablehlo.tanh %2 : tensor<18x24xf32>
    return %3 : tensor<18x24xf32>)"));
  EXPECT_EQ(library.products, 4) << "others are ours";
}

TEST_F(EmulatedLibraryProducts, AreOursWhereTheLibraryCanNot) {
  library.canNot = true;
  check(productOf("18x20xi8", "20x24xi8", "18x24xi32", "contracting_dims = [1] x [0]"));
  EXPECT_EQ(library.products, 0);
  EXPECT_EQ(library.questions, 1) << "asked once in a process";
}

// Types that it has not, matrices that it cannot be told of, and what would take another pass over the results.
TEST_F(EmulatedLibraryProducts, AreOursWhereTheLibraryIsNotAsked) {
  check(productOf("18x20xui8", "20x24xui8", "18x24xi32", "contracting_dims = [1] x [0]"));
  check(productOf("18x20xi32", "20x24xi32", "18x24xi32", "contracting_dims = [1] x [0]"));
  check(productOf("18x20xcomplex<f32>", "20x24xcomplex<f32>", "18x24xcomplex<f32>", "contracting_dims = [1] x [0]"));
  check(productOf("2x18x3x20xf32", "2x3x20x24xf32", "2x3x18x24xf32",
                  "batching_dims = [0, 2] x [0, 1], contracting_dims = [3] x [2]"));
  check(R"(func.func @main(%a: tensor<18x20xf32>, %b: tensor<20x24xf32>) -> tensor<18x24xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<18x20xf32>, tensor<20x24xf32>) -> tensor<18x24xf32>
    %1 = stablehlo.tanh %0 : tensor<18x24xf32>
    return %1 : tensor<18x24xf32> })");
  EXPECT_EQ(library.questions, 0);
}

TEST_F(EmulatedLibraryProducts, AreAskedForOnceInAProcess) {
  const std::string source = productOf("18x20xf32", "20x24xf32", "18x24xf32", "contracting_dims = [1] x [0]");
  check(source);
  check(source);
  EXPECT_EQ(library.questions, 1);
  EXPECT_EQ(library.products, 4);
}

// Small ones are not left to a library: its product of arguments is started by the host.
TEST_F(EmulatedLibraryProducts, AreOfLargeMatrices) {
  auto productsOf = [&](int64_t n, const char *type) {
    const std::string matrix = std::to_string(n) + "x" + std::to_string(n) + "x" + type;
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device),
                                         productOf(matrix, matrix, matrix, "contracting_dims = [1] x [0]"), {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    return device.modules.at(0).op.has_value();
  };
  EXPECT_FALSE(productsOf(512, "f32"));
  EXPECT_TRUE(productsOf(1024, "f32"));
  EXPECT_FALSE(productsOf(1024, "bf16"));
  EXPECT_TRUE(productsOf(4096, "bf16"));
}

// The first and the last product are of arguments; in the loop one is of arrays that stay where they are, and one of an
// argument.
constexpr const char *kProducts = R"(
  func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %n: tensor<i32>)
      -> (tensor<16x16xf32>, tensor<16x16xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %scale = stablehlo.constant dense<0.0625> : tensor<16x16xf32>
    %0 = stablehlo.dot_general %b, %a, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %1:2 = stablehlo.while(%i = %zero, %x = %0) : tensor<i32>, tensor<16x16xf32>
      cond {
        %l = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      } do {
        %p = stablehlo.reverse %x, dims = [0] : tensor<16x16xf32>
        %q = stablehlo.multiply %p, %scale : tensor<16x16xf32>
        %r = stablehlo.dot_general %q, %q, contracting_dims = [1] x [1]
          : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        %s = stablehlo.reverse %r, dims = [1] : tensor<16x16xf32>
        %t = stablehlo.multiply %s, %scale : tensor<16x16xf32>
        %y = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0]
          : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %y : tensor<i32>, tensor<16x16xf32>
      }
    %2 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0]
      : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %1#1, %2 : tensor<16x16xf32>, tensor<16x16xf32>
  })";

TEST_F(EmulatedLibraryProducts, AreNodesOfGraphsOrBetweenThem) {
  loadBoth(kProducts);
  constexpr int kCaptured = 1, kBetween = 2;
  for (int32_t iterations : {0, 1, 2, 5}) {
    std::vector<Literal> inputs = randomInputs(program);
    inputs[2] = tools::makeArray({program::ElementType::kI32, {}}, &iterations).ConsumeValueOrDie();
    library.products = 0;
    runtime::emulator::GraphCounts counts = runtime::emulator::graphCounts();
    (void)run(*graph, program, inputs);
    runtime::emulator::GraphCounts after = runtime::emulator::graphCounts();
    EXPECT_EQ(library.products, kBetween + (iterations == 0 ? kCaptured : 0)) << "captured when the graph is made";
    EXPECT_LE(after.nodeUpdates, counts.nodeUpdates + 1);
    EXPECT_LE(after.graphLaunches, counts.graphLaunches + 1 + kBetween);
    library.products = 0;
    (void)run(*walk, program, inputs);
    EXPECT_EQ(library.products, kBetween + iterations) << "the same ones";
    checkRun(kProducts, inputs);
  }
}

// One start of work and nothing else.
TEST_F(EmulatedLibraryProducts, NeedNoGraphWhereTheyAreTheProgram) {
  check(productOf("18x20xf32", "20x24xf32", "18x24xf32", "contracting_dims = [1] x [0]"));
  runtime::emulator::GraphCounts counts = runtime::emulator::graphCounts();
  library.products = 0;
  (void)run(*graph, program, randomInputs(program));
  EXPECT_EQ(library.products, 1);
  EXPECT_EQ(runtime::emulator::graphCounts().graphLaunches, counts.graphLaunches);
  EXPECT_EQ(runtime::emulator::graphCounts().nodeUpdates, counts.nodeUpdates);
}

TEST_F(EmulatedLibraryProducts, FailWithTheFunctionsName) {
  ProductTable table = kTable;
  table.createDescription = [](void **, int, int) { return 3; };
  DeviceLibraries own;
  own.products = std::make_shared<ProductLibrary>(table);
  program::DeviceProgram device;
  codegen::GpuTargetOptions options;
  options.changeCosts = [](CostModel &costs) { costs.blocks.libraryOp = 0; };
  auto compiled =
      compiler::compileFor(emulatedTarget(&device, std::move(options)),
                           productOf("18x20xf32", "20x24xf32", "18x24xf32", "contracting_dims = [1] x [0]"), {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto loaded = DeviceExecutable::load(d, device, *compiled, stream, RunMode::kGraphIfPossible, own);
  EXPECT_THAT(loaded.status().message(), ::testing::HasSubstr("cublasLtMatmulDescCreate fails: error 3"));
}

std::string algorithm(const std::string &format, int operations) {
  return ", algorithm = <lhs_precision_type = " + format + ", rhs_precision_type = " + format +
         ", accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = " +
         std::to_string(operations) + ", allow_imprecise_accumulation = false>";
}

// The program rounds the operands, as everywhere, and the library multiplies what they are then. Other algorithms that
// f32 stands for are as exact as f32.
TEST_F(EmulatedLibraryProducts, AreInTf32WhereAnAlgorithmSaysSo) {
  for (auto [format, operations, computeType] :
       {std::tuple{"tf32", 1, kTf32}, std::tuple{"tf32", 3, kSingle}, std::tuple{"f32", 1, kSingle}}) {
    SCOPED_TRACE(format + std::to_string(operations));
    library.products = 0;
    library.computeTypes.clear();
    check(productOf("18x20xf32", "20x24xf32", "18x24xf32",
                    "contracting_dims = [1] x [0]" + algorithm(format, operations)));
    EXPECT_EQ(library.products, 2);
    EXPECT_EQ(library.computeTypes, std::set{computeType});
  }
}

// The operands change places.
TEST_F(EmulatedLibraryProducts, AreInTf32WhereTheirResultIsTransposed) {
  check(R"(func.func @main(%a: tensor<18x20xf32>, %b: tensor<20x24xf32>) -> tensor<24x18xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0])" +
        algorithm("tf32", 1) + R"( : (tensor<18x20xf32>, tensor<20x24xf32>) -> tensor<18x24xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<18x24xf32>) -> tensor<24x18xf32>
    return %1 : tensor<24x18xf32> })");
  EXPECT_EQ(library.products, 2);
  EXPECT_EQ(library.computeTypes, std::set{kTf32});
}

// Where the user allows it and the program asks for HIGHEST of no operand; biases are added to the sums in f32.
TEST_F(EmulatedLibraryProducts, AreInTf32WhereTheUserAllowsIt) {
  allowsTf32 = true;
  for (const char *precision : {"", ", precision = [DEFAULT, DEFAULT]", ", precision = [HIGH, DEFAULT]"})
    checkRounds(
        productOf("18x20xf32", "20x24xf32", "18x24xf32", std::string("contracting_dims = [1] x [0]") + precision), 20);
  checkRounds(biasedProduct("f32", "1", "return %2 : tensor<18x24xf32>"), 20);
  EXPECT_EQ(library.biases, 2);
  EXPECT_EQ(library.products, 8);
  EXPECT_EQ(library.computeTypes, std::set{kTf32});
}

// Long sums, which tf32 makes so much faster that what becomes of them is a kernel of its own; not short ones, nor f32.
TEST_F(EmulatedLibraryProducts, StandAloneInTf32) {
  auto activated = [](const std::string &terms) {
    return "func.func @main(%a: tensor<18x" + terms + "xf32>, %b: tensor<" + terms +
           "x24xf32>) -> tensor<18x24xf32> {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
           "(tensor<18x" +
           terms + "xf32>, tensor<" + terms +
           "x24xf32>) -> tensor<18x24xf32>\n  %1 = stablehlo.tanh %0 : tensor<18x24xf32>\n"
           "  return %1 : tensor<18x24xf32> }";
  };
  check(activated("256"));
  EXPECT_EQ(library.products, 0);
  allowsTf32 = true;
  check(activated("255"));
  EXPECT_EQ(library.products, 0);
  checkRounds(activated("256"), 256);
  EXPECT_EQ(library.products, 2);
  EXPECT_EQ(library.computeTypes, std::set{kTf32});
}

TEST_F(EmulatedLibraryProducts, AreNeverInTf32WhereTheProgramOrTheTypesForbidIt) {
  const std::string dimensions = "contracting_dims = [1] x [0]";
  const std::string highest =
      productOf("18x20xf32", "20x24xf32", "18x24xf32", dimensions + ", precision = [HIGHEST, DEFAULT]");
  check(highest);
  allowsTf32 = true;
  check(highest);
  check(productOf("18x20xf32", "20x24xf32", "18x24xf32", dimensions + ", precision = [DEFAULT, HIGHEST]"));
  check(productOf("18x20xf32", "20x24xf32", "18x24xf32", dimensions + algorithm("f32", 1)));
  check(productOf("18x20xf32", "20x24xf32", "18x24xf32", dimensions + algorithm("tf32", 3)));
  check(productOf("18x20xbf16", "20x24xbf16", "18x24xf32", dimensions));
  EXPECT_EQ(library.products, 12);
  EXPECT_EQ(library.computeTypes, std::set{kSingle});
  check(productOf("18x20xf64", "20x24xf64", "18x24xf64", dimensions));
  EXPECT_FALSE(library.computeTypes.contains(kTf32));
}

// What differs in the precision alone is asked of the library as two products.
TEST_F(EmulatedLibraryProducts, OfBothPrecisionsAreTwo) {
  allowsTf32 = true;
  loadBoth(R"(func.func @main(%a: tensor<18x20xf32>, %b: tensor<20x24xf32>) -> (tensor<18x24xf32>, tensor<18x24xf32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
      : (tensor<18x20xf32>, tensor<20x24xf32>) -> tensor<18x24xf32>
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<18x20xf32>, tensor<20x24xf32>) -> tensor<18x24xf32>
    return %0, %1 : tensor<18x24xf32>, tensor<18x24xf32> })");
  ASSERT_TRUE(graph && walk);
  EXPECT_EQ(library.questions, 2);
  EXPECT_EQ(library.computeTypes, (std::set{kSingle, kTf32}));
  std::vector<Bytes> results = run(*graph, program, randomInputs(program));
  EXPECT_NE(results[0], results[1]);
}

} // namespace
