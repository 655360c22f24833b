// cuDNN as tests of programs on emulated GPUs play it: a table of functions that check what they are told, and compute
// convolutions in the device's memory, in the stream.
#pragma once

#include "tenon/runtime/cuda/convolution_numbers.h"
#include "test/e2e/emulated_library_ops_testing.h"

#include <map>
#include <set>

namespace tenon::testing {

using dnn::Attribute, dnn::Kind, dnn::Type;
using Numbers = std::vector<int64_t>;

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
inline constexpr int64_t kWorkBytes = 1000;

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
inline Library library;

inline int refuse(const std::string &what) {
  library.errors.emplace_back(what);
  return 2000;
}

inline int makeLibrary(void **handle) {
  ++library.handles;
  *handle = &library.handle;
  return 0;
}
inline int destroyLibrary(void *handle) {
  --library.handles;
  return handle == &library.handle ? 0 : refuse("a handle");
}
inline int useStream(void *handle, void *stream) {
  library.stream = stream;
  return handle == &library.handle ? 0 : refuse("a handle");
}
inline int makeObject(int kind, void **object) {
  auto *made = new Object{Kind(kind)};
  library.open.insert(made);
  *object = made;
  return 0;
}
inline int destroyObject(void *object) {
  auto *gone = static_cast<Object *>(object);
  if (!library.open.erase(gone))
    return refuse("a descriptor that is gone");
  delete gone;
  return 0;
}

// The types and the numbers of elements of what is set.
inline bool isOfItsType(Attribute name, Type type, int64_t count) {
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
    return type == Type::kInt64 && count >= 2 && count <= 3;
  case kTensorSizes:
  case kTensorStrides:
    return type == Type::kInt64 && count >= 4 && count <= 5;
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

inline int setAttribute(void *to, int number, int typeNumber, int64_t count, const void *elements) {
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

  // Whether all three tensors have their features before the spatial dimensions, or behind them, without gaps. cuDNN
  // makes plans for others, too, and then reads the kernel as it would lie if it had the order of the input.
  bool isPacked() const {
    auto lies = [](const Object *tensor, bool isFeaturesLast) {
      Numbers order = {0};
      for (size_t i = 2; i < sizes(tensor).size(); ++i)
        order.push_back(int64_t(i));
      order.insert(isFeaturesLast ? order.end() : order.begin() + 1, 1);
      int64_t stride = 1;
      for (size_t i = order.size(); i-- > 0; stride *= sizes(tensor)[size_t(order[i])])
        if (tensor->numbers.at(Attribute::kTensorStrides)[size_t(order[i])] != stride)
          return false;
      return true;
    };
    auto lie = [&](bool isFeaturesLast) {
      return lies(input, isFeaturesLast) && lies(kernel, isFeaturesLast) && lies(output, isFeaturesLast);
    };
    return lie(false) || lie(true);
  }

  // Whether the sizes go together, and there is as much padding behind as in front.
  bool isConsistent() const {
    const Numbers &x = sizes(input), &w = sizes(kernel), &y = sizes(output);
    bool isRight = isScaled && dims() >= 2 && isPacked() && x.size() == dims() + 2 && w.size() == x.size() &&
                   y.size() == x.size() && x[0] == y[0] && w[0] == y[1] && x[1] % w[1] == 0 && w[0] % groups() == 0;
    for (size_t i = 0; isRight && i < dims(); ++i) {
      int64_t padded = x[i + 2] + of(Attribute::kPadLow, i) + of(Attribute::kPadHigh, i);
      int64_t extent = (w[i + 2] - 1) * of(Attribute::kDilations, i) + 1;
      isRight &= (padded - extent) / of(Attribute::kStrides, i) + 1 == y[i + 2] && of(Attribute::kPadLow, i) >= 0 &&
                 of(Attribute::kPadHigh, i) == of(Attribute::kPadLow, i);
    }
    return isRight;
  }

  Kind kind;
  const Object *window, *input, *kernel, *output;
  bool isScaled;
};

inline int finalize(void *what) {
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

inline int getAttribute(void *from, int number, int, int64_t most, int64_t *count, void *elements) {
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

inline ElementType typeOf(const Object *tensor) {
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

// Adds up each product where it belongs: of the three arrays' elements, that of the computed one is the sum. Tensor
// cores multiply f32 as tf32.
inline void compute(const Operation &of, bool isReversed, bool isByTensorCores, Tensor x, Tensor w, Tensor y) {
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
      auto number = [&](const Tensor &tensor, const Numbers &at) {
        double number = numberAt(tensor.type, tensor.data, tensor.offset(at));
        return isByTensorCores && tensor.type == ElementType::kF32 ? inTf32(number) : number;
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

inline int execute(void *handle, void *planned, void *given) {
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
  const bool isByTensorCores = configuration->engine == kTensorCores;
  const std::vector<void *> &arrays = arguments.pointers.at(Attribute::kArgumentPointers);
  return int(runtime::emulator::enqueueWork(
      static_cast<StreamHandle *>(library.stream),
      [=, x = Tensor(of.input, arrays[0]), w = Tensor(of.kernel, arrays[1]), y = Tensor(of.output, arrays[2])] {
        std::memset(workspace, 0x5a, kWorkBytes);
        compute(of, isReversed, isByTensorCores, x, w, y);
      }));
}

inline constexpr ConvolutionTable kTable = {[] { return library.version; },
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

} // namespace tenon::testing
