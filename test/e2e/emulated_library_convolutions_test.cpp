// cuDNN, played by a table of functions of our own that checks what it is told, in programs of a GPU that the host
// plays: convolutions and their gradients are its, in the device's memory and in the stream.

#include "tenon/runtime/cuda/convolution_numbers.h"
#include "test/e2e/emulated_library_ops_testing.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

using namespace tenon;
using namespace tenon::testing;

namespace {

using dnn::Attribute, dnn::Kind, dnn::Type;
using Numbers = std::vector<int64_t>;

// --- cuDNN ---

struct Object {
  Kind kind;
  bool isFinal = false;
  std::map<Attribute, Numbers> numbers = {}; // floats as their values, which are 0 and 1
  std::map<Attribute, std::vector<Object *>> objects = {};
  std::map<Attribute, std::vector<void *>> pointers = {};
  int engine = -1; // of configurations, and of their engines
};

// The engines that are recommended, in this order, each of which has a reason not to be taken, but for the last ones.
enum Engine : int { kUnsteady, kFft, kWinograd, kRounding, kTensorCores, kFailing, kGreedy, kExact, kEngines };
constexpr int64_t kWorkBytes = 1000;

struct Library {
  std::set<Object *> open; // what has not been destroyed
  int handles = 0, questions = 0;
  int handle = 0;
  void *stream = nullptr;
  bool declines = false;
  size_t version = 92801;
  std::vector<std::string> errors;
  std::vector<std::pair<Kind, int>> runs; // which convolutions were computed, by which engines
  std::set<int64_t> modes, retentions;
  std::vector<Numbers> lows, highs;
  std::set<int64_t> groups;
};
Library library;

int refuse(const std::string &what) {
  library.errors.emplace_back(what);
  return 2000;
}

int makeLibrary(void **handle) {
  ++library.handles;
  *handle = &library.handle;
  return 0;
}
int destroyLibrary(void *handle) {
  --library.handles;
  return handle == &library.handle ? 0 : refuse("a handle");
}
int useStream(void *handle, void *stream) {
  library.stream = stream;
  return handle == &library.handle ? 0 : refuse("a handle");
}
int makeObject(int kind, void **object) {
  auto *made = new Object{Kind(kind)};
  library.open.insert(made);
  *object = made;
  return 0;
}
int destroyObject(void *object) {
  auto *gone = static_cast<Object *>(object);
  if (!library.open.erase(gone))
    return refuse("a descriptor that is gone");
  delete gone;
  return 0;
}

// The types and the numbers of elements of what is set.
bool isOfItsType(Attribute name, Type type, int64_t count) {
  using enum Attribute;
  switch (name) {
  case kSumType:
  case kTensorType:
    return type == Type::kDataType && count == 1;
  case kMode:
    return type == Type::kConvolutionMode && count == 1;
  case kHeuristicsMode:
    return type == Type::kHeuristicsMode && count == 1;
  case kPlanRetention:
    return type == Type::kRetention && count == 1;
  case kGraphHandle:
  case kPlanHandle:
    return type == Type::kHandle && count == 1;
  case kSpatialDims:
  case kTensorAlignment:
  case kTensorId:
    return type == Type::kInt64 && count == 1;
  case kDilations:
  case kStrides:
  case kPadLow:
  case kPadHigh:
    return type == Type::kInt64 && count >= 1 && count <= 3;
  case kTensorSizes:
  case kTensorStrides:
    return type == Type::kInt64 && count >= 3 && count <= 5;
  case kArgumentIds:
    return type == Type::kInt64 && count == 3;
  case kArgumentPointers:
    return type == Type::kPointer && count == 3;
  case kArgumentWorkspace:
    return type == Type::kPointer && count == 1;
  case kForwardAlpha:
  case kForwardBeta:
  case kInputGradientAlpha:
  case kInputGradientBeta:
  case kKernelGradientAlpha:
  case kKernelGradientBeta:
    return (type == Type::kFloat || type == Type::kDouble) && count == 1;
  default:
    return type == Type::kDescriptor && count == 1;
  }
}

int setAttribute(void *to, int number, int typeNumber, int64_t count, const void *elements) {
  auto &object = *static_cast<Object *>(to);
  auto name = Attribute(number);
  auto type = Type(typeNumber);
  if (object.isFinal || !elements || !isOfItsType(name, type, count))
    return refuse("attribute " + std::to_string(number));
  auto read = [&]<typename T>(T) {
    for (int64_t i = 0; i < count; ++i)
      object.numbers[name].push_back(int64_t(static_cast<const T *>(elements)[i]));
    return 0;
  };
  if (type == Type::kInt64)
    return read(int64_t());
  if (type == Type::kFloat)
    return read(float());
  if (type == Type::kDouble)
    return read(double());
  if (type == Type::kHandle)
    return *static_cast<void *const *>(elements) == &library.handle ? 0 : refuse("a handle");
  if (type == Type::kPointer) {
    object.pointers[name].assign(static_cast<void *const *>(elements), static_cast<void *const *>(elements) + count);
    return 0;
  }
  if (type != Type::kDescriptor)
    return read(int());
  auto *part = *static_cast<Object *const *>(elements);
  if (!library.open.contains(part) || !part->isFinal)
    return refuse("a part that is not ready");
  object.objects[name] = {part};
  return 0;
}

// An operation's parts and numbers.
struct Operation {
  explicit Operation(const Object &object) : kind(object.kind) {
    const int first = kind == Kind::kForward ? 700 : kind == Kind::kInputGradient ? 706 : 712;
    auto part = [&](int offset) { return object.objects.at(Attribute(first + offset)).at(0); };
    window = part(2);
    kernel = part(3);
    input = part(4);
    output = part(5);
    isScaled =
        object.numbers.at(Attribute(first)) == Numbers{1} && object.numbers.at(Attribute(first + 1)) == Numbers{0};
  }
  static const Numbers &sizes(const Object *tensor) { return tensor->numbers.at(Attribute::kTensorSizes); }
  int64_t of(Attribute name, size_t dim) const { return window->numbers.at(name)[dim]; }
  size_t dims() const { return size_t(window->numbers.at(Attribute::kSpatialDims)[0]); }
  int64_t groups() const { return sizes(input)[1] / sizes(kernel)[1]; }

  // Whether the sizes go together.
  bool isConsistent() const {
    const Numbers &x = sizes(input), &w = sizes(kernel), &y = sizes(output);
    bool isRight = isScaled && x.size() == dims() + 2 && w.size() == x.size() && y.size() == x.size() && x[0] == y[0] &&
                   w[0] == y[1] && x[1] % w[1] == 0 && w[0] % groups() == 0;
    for (size_t i = 0; isRight && i < dims(); ++i) {
      int64_t padded = x[i + 2] + of(Attribute::kPadLow, i) + of(Attribute::kPadHigh, i);
      int64_t extent = (w[i + 2] - 1) * of(Attribute::kDilations, i) + 1;
      isRight &= (padded - extent) / of(Attribute::kStrides, i) + 1 == y[i + 2] && of(Attribute::kPadLow, i) >= 0 &&
                 of(Attribute::kPadHigh, i) >= 0;
    }
    return isRight;
  }

  Kind kind;
  const Object *window, *input, *kernel, *output;
  bool isScaled;
};

int finalize(void *what) {
  auto &object = *static_cast<Object *>(what);
  if (object.isFinal)
    return refuse("a descriptor that is ready");
  object.isFinal = true;
  switch (object.kind) {
  case Kind::kTensor:
    return object.numbers.size() == 5 && object.numbers[Attribute::kTensorAlignment] == Numbers{16}
               ? 0
               : refuse("a tensor");
  case Kind::kConvolution:
    library.modes.insert(object.numbers.at(Attribute::kMode)[0]);
    return object.numbers.size() == 7 ? 0 : refuse("a window");
  case Kind::kForward:
  case Kind::kInputGradient:
  case Kind::kKernelGradient:
    if (!Operation(object).isConsistent())
      return refuse("an operation");
    return library.declines ? 3002 : 0;
  case Kind::kHeuristics:
    ++library.questions;
    return object.numbers.at(Attribute::kHeuristicsMode) == Numbers{3} ? 0 : refuse("a mode");
  case Kind::kPlan:
    library.retentions.insert(
        object.numbers.contains(Attribute::kPlanRetention) ? object.numbers.at(Attribute::kPlanRetention)[0] : 0);
    return object.objects.at(Attribute::kPlanConfiguration)[0]->engine == kFailing ? 4001 : 0;
  default:
    return 0;
  }
}

int getAttribute(void *from, int number, int, int64_t most, int64_t *count, void *elements) {
  auto &object = *static_cast<Object *>(from);
  if (!object.isFinal && object.kind != Kind::kEngineConfiguration && object.kind != Kind::kEngine)
    return refuse("a descriptor that is not ready");
  switch (Attribute(number)) {
  case Attribute::kHeuristicsResults:
    if (most == 0) {
      *count = kEngines + 4; // at most
      return 0;
    }
    *count = kEngines;
    for (int i = 0; i < kEngines; ++i) {
      Object *configuration = static_cast<Object *const *>(elements)[i];
      configuration->engine = i;
      configuration->objects = object.objects;
      configuration->isFinal = true;
    }
    return most >= kEngines ? 0 : refuse("room for results");
  case Attribute::kConfiguredEngine:
    (*static_cast<Object *const *>(elements))->engine = object.engine;
    *count = 1;
    return 0;
  case Attribute::kEngineNotes: {
    const std::map<int, std::vector<int>> notes = {{kUnsteady, {4}},    {kFft, {3}},         {kWinograd, {5, 6}},
                                                   {kRounding, {0, 2}}, {kTensorCores, {0}}, {kExact, {9}}};
    auto found = notes.find(object.engine);
    *count = found == notes.end() ? 0 : int64_t(found->second.size());
    for (int64_t i = 0; i < *count; ++i)
      static_cast<int *>(elements)[i] = found->second[size_t(i)];
    return 0;
  }
  case Attribute::kPlanWorkspaceBytes:
    *count = 1;
    *static_cast<int64_t *>(elements) =
        object.objects.at(Attribute::kPlanConfiguration)[0]->engine == kGreedy ? int64_t{1} << 40 : kWorkBytes;
    return 0;
  default:
    return refuse("a question");
  }
}

ElementType typeOf(const Object *tensor) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBF16})
    if (dnn::dataType(type) == int(tensor->numbers.at(Attribute::kTensorType)[0]))
      return type;
  refuse("a type");
  return ElementType::kF32;
}

// A tensor in memory; elements are told by their indices.
struct Tensor {
  Tensor(const Object *object, void *data)
      : data(data), type(typeOf(object)), sizes(Operation::sizes(object)),
        strides(object->numbers.at(Attribute::kTensorStrides)) {}
  int64_t offset(const Numbers &index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i)
      offset += index[i] * strides[i];
    return offset;
  }

  void *data;
  ElementType type;
  Numbers sizes, strides;
};

// Calls `visit` for all indices below the sizes.
template <typename Visit> void forEach(const Numbers &sizes, const Visit &visit) {
  Numbers index(sizes.size(), 0);
  for (size_t i = 0; i < sizes.size();) {
    visit(index);
    for (i = 0; i < sizes.size() && ++index[i] == sizes[i]; ++i)
      index[i] = 0;
  }
}

// Adds up each product where it belongs: of the three arrays' elements, that of the computed one is the sum.
void compute(const Operation &of, bool isReversed, Tensor x, Tensor w, Tensor y) {
  std::map<int64_t, double> sums;
  const int64_t groups = x.sizes[1] / w.sizes[1];
  const Tensor &result = of.kind == Kind::kForward ? y : of.kind == Kind::kInputGradient ? x : w;
  forEach(result.sizes, [&](const Numbers &index) { sums[result.offset(index)] = 0; });
  forEach(y.sizes, [&](const Numbers &out) {
    Numbers taps = w.sizes;
    taps.erase(taps.begin());
    forEach(taps, [&](const Numbers &tap) {
      Numbers in = {out[0], out[1] / (w.sizes[0] / groups) * w.sizes[1] + tap[0]}, kernel = {out[1], tap[0]};
      for (size_t i = 0; i < of.dims(); ++i) {
        in.push_back(out[i + 2] * of.of(Attribute::kStrides, i) + tap[i + 1] * of.of(Attribute::kDilations, i) -
                     of.of(Attribute::kPadLow, i));
        if (in.back() < 0 || in.back() >= x.sizes[i + 2])
          return;
        kernel.push_back(isReversed ? w.sizes[i + 2] - 1 - tap[i + 1] : tap[i + 1]);
      }
      auto number = [](const Tensor &tensor, const Numbers &at) {
        return numberAt(tensor.type, tensor.data, tensor.offset(at));
      };
      if (of.kind == Kind::kForward)
        sums[y.offset(out)] += number(x, in) * number(w, kernel);
      else if (of.kind == Kind::kInputGradient)
        sums[x.offset(in)] += number(y, out) * number(w, kernel);
      else
        sums[w.offset(kernel)] += number(y, out) * number(x, in);
    });
  });
  for (auto [offset, sum] : sums)
    putNumber(result.type, result.data, offset, sum);
}

int execute(void *handle, void *planned, void *given) {
  auto &plan = *static_cast<Object *>(planned), &arguments = *static_cast<Object *>(given);
  if (handle != &library.handle || !library.open.contains(&plan) || !plan.isFinal || !arguments.isFinal ||
      arguments.numbers.at(Attribute::kArgumentIds) != Numbers{1, 2, 3})
    return refuse("a run");
  auto partOf = [](const Object &whole, Attribute name) {
    Object *part = whole.objects.at(name)[0];
    return library.open.contains(part) ? part : nullptr;
  };
  const Object *configuration = partOf(plan, Attribute::kPlanConfiguration);
  const Object *graph = configuration ? partOf(*configuration, Attribute::kHeuristicsGraph) : nullptr;
  const Object *operation = graph ? partOf(*graph, Attribute::kGraphOperations) : nullptr;
  void *workspace = arguments.pointers.at(Attribute::kArgumentWorkspace)[0];
  if (!operation || !workspace)
    return refuse("a part of a plan that is gone");
  const Operation of(*operation);
  library.runs.emplace_back(of.kind, configuration->engine);
  for (auto [name, into] : {std::pair{Attribute::kPadLow, &library.lows}, {Attribute::kPadHigh, &library.highs}})
    into->push_back(of.window->numbers.at(name));
  library.groups.insert(of.groups());
  const bool isReversed = of.window->numbers.at(Attribute::kMode)[0] == 0;
  const std::vector<void *> &arrays = arguments.pointers.at(Attribute::kArgumentPointers);
  return int(runtime::emulator::enqueueWork(
      static_cast<StreamHandle *>(library.stream),
      [=, x = Tensor(of.input, arrays[0]), w = Tensor(of.kernel, arrays[1]), y = Tensor(of.output, arrays[2])] {
        std::memset(workspace, 0x5a, kWorkBytes);
        compute(of, isReversed, x, w, y);
      }));
}

constexpr ConvolutionTable kTable = {[] { return library.version; },
                                     [] { return size_t{13000}; },
                                     makeLibrary,
                                     destroyLibrary,
                                     useStream,
                                     makeObject,
                                     destroyObject,
                                     setAttribute,
                                     getAttribute,
                                     finalize,
                                     execute};

// --- Convolutions ---

class EmulatedLibraryConvolutions : public EmulatedLibraryOps {
protected:
  void SetUp() override {
    EmulatedLibraryOps::SetUp();
    library = {};
    libraries.convolutions = std::make_shared<ConvolutionLibrary>(kTable);
  }
  void TearDown() override {
    EmulatedLibraryOps::TearDown();
    EXPECT_EQ(library.handles, 0);
    EXPECT_THAT(library.open, ::testing::IsEmpty());
    EXPECT_THAT(library.errors, ::testing::IsEmpty());
  }

  // The graph and the walk each run one convolution, of this kind.
  void checkIs(Kind kind, const std::string &source) {
    SCOPED_TRACE(source);
    library.runs.clear();
    library.lows.clear();
    library.highs.clear();
    library.groups.clear();
    library.modes.clear();
    check(source);
    ASSERT_EQ(library.runs.size(), 2U);
    EXPECT_EQ(library.runs[0].first, kind);
    EXPECT_EQ(library.runs[1], library.runs[0]);
  }
};

// The operands' and the result's types, the dimensions' roles and the window.
std::string convolution(const std::string &lhs, const std::string &rhs, const std::string &out,
                        const std::string &dimensions, const std::string &window, int featureGroups = 1,
                        int batchGroups = 1) {
  auto tensor = [](const std::string &type) { return "tensor<" + type + ">"; };
  return "func.func @main(%a: " + tensor(lhs) + ", %b: " + tensor(rhs) + ") -> " + tensor(out) +
         " {\n  %0 = stablehlo.convolution(%a, %b) dim_numbers = " + dimensions + ", window = {" + window +
         "} {batch_group_count = " + std::to_string(batchGroups) +
         " : i64, feature_group_count = " + std::to_string(featureGroups) + " : i64} : (" + tensor(lhs) + ", " +
         tensor(rhs) + ") -> " + tensor(out) + "\n  return %0 : " + tensor(out) + " }";
}

constexpr const char *kNhwc = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
constexpr const char *kNchw = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";

std::string plain(const std::string &type, const std::string &out) {
  return convolution("2x6x7x4x" + type, "3x3x4x8x" + type, "2x4x5x8x" + out, kNhwc, "");
}

// f32 not by tensor cores, which would round it.
TEST_F(EmulatedLibraryConvolutions, AreOfAllTypesThatBothHave) {
  for (const char *type : {"f32", "f64", "f16", "bf16"}) {
    checkIs(Kind::kForward, plain(type, type));
    EXPECT_EQ(library.runs[0].second, std::string(type) == "f32" ? kExact : kTensorCores);
  }
  checkIs(Kind::kForward, plain("bf16", "f32"));
  EXPECT_EQ(library.retentions, std::set<int64_t>{1}) << "the plan is kept while there are graphs";
}

TEST_F(EmulatedLibraryConvolutions, AreOfOneToThreeDimensionsThatLieAnyWay) {
  checkIs(Kind::kForward, convolution("2x9x4xf32", "3x4x8xf32", "2x7x8xf32", "[b, 0, f]x[0, i, o]->[b, 0, f]", ""));
  checkIs(Kind::kForward, convolution("2x4x6x7xf32", "8x4x3x2xf32", "2x8x4x6xf32", kNchw, ""));
  checkIs(Kind::kForward,
          convolution("6x2x4x7xf32", "4x3x8x2xf32", "8x2x4x6xf32", "[0, b, f, 1]x[i, 0, o, 1]->[f, b, 0, 1]", ""));
  checkIs(Kind::kForward, convolution("2x5x4x6x3xf32", "2x2x2x3x4xf32", "2x4x3x5x4xf32",
                                      "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", ""));
}

TEST_F(EmulatedLibraryConvolutions, HaveWindowsOfAllKinds) {
  checkIs(Kind::kForward,
          convolution("2x8x9x4xf32", "3x3x4x8xf32", "2x4x5x8xf32", kNhwc, "stride = [2, 2], pad = [[0, 1], [1, 1]]"));
  EXPECT_EQ(library.lows[0], (Numbers{0, 1}));
  EXPECT_EQ(library.highs[0], (Numbers{1, 1}));
  // No window reaches what is behind: as much padding there as in front, which more engines know.
  checkIs(Kind::kForward,
          convolution("2x8x8x4xf32", "3x3x4x8xf32", "2x4x4x8xf32", kNhwc, "stride = [2, 2], pad = [[1, 0], [1, 0]]"));
  EXPECT_EQ(library.highs[0], (Numbers{1, 1}));
  checkIs(Kind::kForward, convolution("2x9x9x4xf32", "3x2x4x8xf32", "2x5x7x8xf32", kNhwc, "rhs_dilate = [2, 2]"));
  checkIs(Kind::kForward,
          convolution("2x8x8x4xf32", "3x3x4x8xf32", "2x3x3x8xf32", kNhwc, "stride = [2, 2], pad = [[0, -1], [0, -1]]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{1});
  checkIs(Kind::kForward, convolution("2x6x6x4xf32", "3x1x4x8xf32", "2x4x6x8xf32", kNhwc, "reverse = [true, false]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{0}) << "a single element is what it is reversed";
  checkIs(Kind::kForward, convolution("2x6x6x4xf32", "3x3x2x8xf32", "2x4x4x8xf32", kNhwc, "", 2));
  EXPECT_EQ(library.groups, std::set<int64_t>{2});
}

// Those of convolutions with strides, as JAX has them: the kernel is reversed.
TEST_F(EmulatedLibraryConvolutions, AreGradientsOfInputs) {
  checkIs(Kind::kInputGradient,
          convolution("2x4x4x8xf32", "3x3x4x8xf32", "2x8x8x4xf32", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                      "pad = [[2, 1], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]"));
  EXPECT_EQ(library.lows[0], (Numbers{0, 1}));
  EXPECT_EQ(library.modes, std::set<int64_t>{1});
  checkIs(Kind::kInputGradient,
          convolution("2x4x5x3xf32", "2x3x4x3xf32", "2x3x9x4xf32", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                      "pad = [[0, 0], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 1]"));
  EXPECT_EQ(library.modes, std::set<int64_t>{0}) << "transposed convolutions whose kernel is not reversed";
  checkIs(Kind::kInputGradient, convolution("2x5x3xbf16", "4x3x3xbf16", "2x16x3xbf16", "[b, 0, f]x[0, o, i]->[b, 0, f]",
                                            "pad = [[3, 3]], lhs_dilate = [3]"));
  checkIs(Kind::kInputGradient, convolution("1x4x4x4xf32", "2x2x3x3xf32", "1x2x9x9xf32", kNchw,
                                            "pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]", 2));
  EXPECT_EQ(library.groups, std::set<int64_t>{2});
}

// As JAX has them: batch and features have changed places, and strides are dilations of the kernel.
TEST_F(EmulatedLibraryConvolutions, AreGradientsOfKernels) {
  constexpr const char *kDimensions = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";
  checkIs(Kind::kKernelGradient,
          convolution("2x6x7x4xf32", "2x6x7x8xf32", "3x3x4x8xf32", kDimensions, "pad = [[1, 1], [1, 1]]"));
  EXPECT_EQ(library.lows[0], (Numbers{1, 1}));
  EXPECT_EQ(library.highs[0], (Numbers{1, 1}));
  checkIs(Kind::kKernelGradient, convolution("2x8x9x4xf16", "2x4x4x8xf16", "3x3x4x8xf16", kDimensions,
                                             "pad = [[0, 1], [0, 0]], rhs_dilate = [2, 2]"));
  EXPECT_EQ(library.highs[0], (Numbers{1, 0}));
  // The last row of the input was not used.
  checkIs(Kind::kKernelGradient, convolution("2x10x4xf32", "2x4x8xf32", "3x4x8xf32", "[f, 0, b]x[i, 0, o]->[0, b, f]",
                                             "pad = [[0, -1]], rhs_dilate = [2]"));
  checkIs(Kind::kKernelGradient,
          convolution("2x6x7x4xf32", "2x6x7x8xf32", "3x3x2x8xf32", kDimensions, "pad = [[1, 1], [1, 1]]", 1, 2));
  EXPECT_EQ(library.groups, std::set<int64_t>{2});
}

TEST_F(EmulatedLibraryConvolutions, AreOursWhereTheLibraryCanNot) {
  library.declines = true;
  check(plain("f32", "f32"));
  EXPECT_THAT(library.runs, ::testing::IsEmpty());
}

// A stride and a dilated input, inputs that are cut off, kernels that are reversed in part, and groups whose features
// have no stride; depthwise ones, integers, and what would take another pass over the results.
TEST_F(EmulatedLibraryConvolutions, AreOursWhereTheLibraryIsNotAsked) {
  const std::string image = "2x6x6x4xf32", kernel = "3x3x4x8xf32";
  check(convolution(image, kernel, "2x5x5x8xf32", kNhwc, "stride = [2, 2], lhs_dilate = [2, 2]"));
  check(convolution(image, kernel, "2x3x3x8xf32", kNhwc, "pad = [[-1, 0], [-1, 0]]"));
  check(convolution(image, kernel, "2x3x3x8xf32", kNhwc, "pad = [[0, -1], [0, -1]]"));
  check(convolution(image, kernel, "2x4x4x8xf32", kNhwc, "reverse = [true, false]"));
  check(convolution(image, "3x3x2x8xf32", "2x9x9x8xf32", kNhwc, "lhs_dilate = [2, 2]", 2));
  check(convolution(image, "3x3x1x4xf32", "2x4x4x4xf32", kNhwc, "", 4));
  check(convolution("2x6x6x4xi32", "3x3x4x8xi32", "2x4x4x8xi32", kNhwc, ""));
  std::string source = plain("f32", "f32");
  source.replace(source.find("return %0"), 9, "%1 = stablehlo.tanh %0 : tensor<2x4x5x8xf32>\n  return %1");
  check(source);
  EXPECT_EQ(library.handles, 0);
}

TEST_F(EmulatedLibraryConvolutions, AreAskedForOnceInAProcess) {
  check(plain("bf16", "bf16"));
  check(plain("bf16", "bf16"));
  EXPECT_EQ(library.questions, 1);
  EXPECT_EQ(library.runs.size(), 4U);
}

// cuDNN of before 9.28 has no attribute for it, and never keeps what a graph was recorded from.
TEST_F(EmulatedLibraryConvolutions, OfOlderLibrariesAreNotToldOfGraphs) {
  library.version = 91000;
  checkIs(Kind::kForward, plain("f32", "f32"));
  EXPECT_EQ(library.retentions, std::set<int64_t>{0});
}

// Arrays between kernels are where the host knows; a convolution of them in a loop is a node of its graph.
TEST_F(EmulatedLibraryConvolutions, AreNodesOfGraphs) {
  checkIs(Kind::kForward, R"(func.func @main(%a: tensor<1x6x6x2xf32>, %b: tensor<3x3x2x2xf32>) -> tensor<1x6x6x2xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %c = stablehlo.constant dense<0.1> : tensor<3x3x2x2xf32>
    %k = stablehlo.multiply %b, %c : tensor<3x3x2x2xf32>
    %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<1x6x6x2xf32>
      cond {
        %l = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      } do {
        %p = stablehlo.reverse %x, dims = [1] : tensor<1x6x6x2xf32>
        %q = stablehlo.convolution(%p, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
          window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
          : (tensor<1x6x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x6x6x2xf32>
        %y = stablehlo.reverse %q, dims = [2] : tensor<1x6x6x2xf32>
        %j = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %j, %y : tensor<i32>, tensor<1x6x6x2xf32>
      }
    return %0#1 : tensor<1x6x6x2xf32> })");
}

TEST_F(EmulatedLibraryConvolutions, FailWithTheFunctionsName) {
  ConvolutionTable table = kTable;
  table.setAttribute = [](void *, int, int, int64_t, const void *) { return 2010; };
  ConvolutionLibrary own(table);
  program::DeviceConvolution convolution{.input = {0, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .kernel = {1, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .output = {2, ElementType::kF32, {1, 1, 1}, {1, 1, 1}},
                                         .dims = {{}}};
  EXPECT_THAT(own.make(convolution).status().message(),
              ::testing::HasSubstr("cudnnBackendSetAttribute fails: error 2010"));
}

} // namespace
