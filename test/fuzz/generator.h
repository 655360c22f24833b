// Random programs: valid, different for each seed and always the same for one. Shapes are static but in a few ops,
// which end in a static one again; so do those with quantized types. Some programs are those of a grid's processes,
// some have whole arrays that the devices of a mesh share (interpret_all.h).
//
// A program is grown op by op. An entry of the tables (ops_*.cpp) picks operands among the values there are, makes up
// attributes, and emits the op. What the verifier refuses is thrown away, so entries need not know every rule; so are
// ops whose results nothing could be said about (AgreementAnalysis).
#pragma once

#include "test/fuzz/crossing.h"

#include "tenon/checking/agreement.h"
#include "tenon/ir/process_groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "tenon/ir/types.h"

#include <functional>
#include <random>

namespace tenon::fuzz {

using Sizes = llvm::SmallVector<int64_t, 6>;
using Values = llvm::SmallVector<mlir::Value, 4>;

class Generator;

// The devices that arrays are cut for.
struct Mesh {
  llvm::SmallVector<std::string> axes;
  Sizes sizes;

  int64_t count() const;
};

// One kind of op the generator knows. Adding an op is adding one.
struct Entry {
  std::string name;
  int weight;
  std::function<void(Generator &)> emit;
};

// All entries: those of the files below, once.
const std::vector<Entry> &entries();
void addElementwise(std::vector<Entry> &entries);
void addShape(std::vector<Entry> &entries);
void addIndexing(std::vector<Entry> &entries);
void addReductions(std::vector<Entry> &entries);
void addControl(std::vector<Entry> &entries);
void addLinearAlgebra(std::vector<Entry> &entries);
void addRandom(std::vector<Entry> &entries);
void addQuantized(std::vector<Entry> &entries);
void addOpen(std::vector<Entry> &entries);
void addBounded(std::vector<Entry> &entries);
void addCollectives(std::vector<Entry> &entries);
void addShardings(std::vector<Entry> &entries);

enum class Setting {
  kAny, // chosen by the seed
  kSingleProcess,
  kGrid,          // each of several processes
  kUnpartitioned, // all devices of a mesh together
};

struct GeneratorOptions {
  uint64_t seed = 0;
  int ops = 0;                  // 0: chosen by the seed
  const Entry *first = nullptr; // an entry to begin with
  Setting setting = Setting::kAny;
  int twins = 6; // per cent of the ops that get one (crossing.h)
};

// The module has been verified. The context has all dialects loaded. Null, with a reason, if what was made is invalid,
// which is a fault of the generator.
mlir::OwningOpRef<mlir::ModuleOp> generate(mlir::MLIRContext &context, const GeneratorOptions &options,
                                           std::string *error = nullptr);

using Accepts = llvm::function_ref<bool(mlir::Type element)>;
inline bool isAny(mlir::Type) { return true; }
inline bool isInteger(mlir::Type type) { return ir::isSignedInt(type) || ir::isUnsignedInt(type); }
inline bool isReal(mlir::Type type) { return ir::isFloat(type); }
inline bool isNumber(mlir::Type type) { return !ir::isBool(type); }
inline bool isFloatOrComplex(mlir::Type type) { return ir::isFloat(type) || ir::isComplex(type); }

using ir::elementTypeOf;
using ir::shapeOf;
using ir::typeOf;
int64_t product(llvm::ArrayRef<int64_t> sizes);
// The dimensions whose size the type does not say.
Sizes openDimensions(mlir::RankedTensorType type);

/// Any op of one result on the elements of `x`, whose sizes may be open, and of `y`, of the same type; of a unary or a
/// binary function, a comparison, a choice or a conversion. May be null. (ops_elementwise.cpp)
mlir::Value anyElementwise(Generator &g, mlir::Value x, mlir::Value y);
/// The name of an op that broadcasts operands of this element type; empty if there is none. (ops_elementwise.cpp)
llvm::StringRef anyBroadcasting(Generator &g, mlir::Type element);
/// An identity that guides partitioning or placement, of any type. (ops_control.cpp)
mlir::Value annotated(Generator &g, mlir::Value x);
/// As many of the first elements along a dimension as a number says that the run computes. (ops_bounded.cpp)
mlir::Value cutShort(Generator &g, mlir::Value x, int64_t dimension);
/// An argument of main whose type leaves at least one size open; null in a region or another function. (ops_open.cpp)
mlir::Value openValue(Generator &g, mlir::Type element);
/// A value of this quantized type, of one whose type it expresses. (ops_quantized.cpp)
mlir::Value quantize(Generator &g, mlir::Value x, mlir::Type element);
/// What it stands for. (ops_quantized.cpp)
mlir::Value dequantize(Generator &g, mlir::Value x);
/// Some type with one scale, which expresses this float type. (ops_quantized.cpp)
mlir::Type quantizedType(Generator &g, mlir::Type expressed);
/// The largest of the numbers that the processes here have, which meet for it. (ops_collective.cpp)
mlir::Value agreed(Generator &g, mlir::Value number);
/// Adds shardings to arguments and results of main, which have no meaning for values. (ops_sharding.cpp)
void shardSignature(Generator &g, mlir::func::FuncOp main);
/// Emits the largest, smallest or sum along all dimensions whose size the type does not say. (ops_bounded.cpp)
void foldOpen(Generator &g, mlir::Value x);
/// The transpose of a value, whose sizes may be open. (ops_bounded.cpp)
mlir::Value permuted(Generator &g, mlir::Value x, llvm::ArrayRef<int64_t> order);

class Generator {
public:
  Generator(mlir::MLIRContext &context, const GeneratorOptions &options);
  mlir::OwningOpRef<mlir::ModuleOp> run(std::string *error);

  mlir::OpBuilder builder;

  // Choices. pick gives [0, n).
  int64_t pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t low, int64_t high) { return low + pick(high - low + 1); }
  bool chance(int percent) { return pick(100) < percent; }
  template <typename T> const T &oneOf(llvm::ArrayRef<T> choices) { return choices[pick(choices.size())]; }
  llvm::StringRef oneOf(std::initializer_list<llvm::StringRef> choices) {
    return choices.begin()[pick(choices.size())];
  }
  // `count` different numbers of [0, n), in random order.
  Sizes choose(int64_t n, int64_t count);
  Sizes permutation(int64_t n) { return choose(n, n); }

  // Types.
  mlir::Type element(Accepts accepts);
  Sizes shape(int64_t maxRank = 4);
  mlir::RankedTensorType tensor(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }
  mlir::RankedTensorType scalar(mlir::Type element) { return tensor({}, element); }

  // A value there is, mostly a recent one, or a new one; of an accepted element type.
  mlir::Value value(Accepts accepts = isAny);
  // The same of at least this rank.
  mlir::Value valueOfRank(Accepts accepts, int64_t minRank);
  // One of exactly this type.
  mlir::Value valueOf(mlir::RankedTensorType type);
  // Never one there is.
  mlir::Value newValue(mlir::RankedTensorType type);
  mlir::Value constant(mlir::RankedTensorType type);
  mlir::Value splat(mlir::RankedTensorType type, double number);
  // An operand that holds these numbers, as a constant or a sum of constants.
  mlir::Value vector(llvm::ArrayRef<int64_t> numbers);
  // An argument of main of this type, which may leave sizes open; null in a region or another function.
  mlir::Value argument(mlir::RankedTensorType type);

  // Attributes.
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) { return builder.getNamedAttr(name, value); }
  mlir::NamedAttribute list(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return named(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value) {
    return named(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute padding(llvm::StringRef name, llvm::ArrayRef<int64_t> lowHighPairs);

  // Regions, whose body `fill` emits given the arguments, giving what to return. Null when it gives none.
  using Region = std::unique_ptr<mlir::Region>;
  using Fill = llvm::function_ref<Values(mlir::ValueRange arguments)>;
  // Sees the values around it.
  Region openRegion(mlir::TypeRange arguments, Fill fill) { return region(arguments, fill, true); }
  // The same, where all processes come together if they do here.
  Region sharedRegion(mlir::TypeRange arguments, Fill fill) { return region(arguments, fill, true, true); }
  // Sees its arguments only.
  Region closedRegion(mlir::TypeRange arguments, Fill fill) { return region(arguments, fill, false); }
  // The same, of a body with ops of any kind, which runs as processes of this grid. They meet in there if `meets`.
  Region bodyRegion(mlir::TypeRange arguments, Fill fill, ir::ProcessGrid grid, bool meets, llvm::StringRef terminator);
  // The same, of a body for one of the mesh's devices, which is manual in these axes, by number.
  Region manualRegion(mlir::TypeRange arguments, Fill fill, llvm::ArrayRef<int64_t> axes);
  // A value of this scope, or null.
  mlir::Value existing(llvm::function_ref<bool(mlir::RankedTensorType)> accepts);
  // Emits this many ops of any kind.
  void emitOps(int count);
  int64_t depth() const { return static_cast<int64_t>(scopes_.size()); }
  // Whether ops here run in the order of the program: in main and regions that see it.
  bool inMain() const {
    return llvm::none_of(llvm::ArrayRef(scopes_).drop_front(), [](const Scope &scope) { return !scope.isOpen; });
  }

  // The processes that the ops here run on, each on its own; one where they are alone, or all compute together.
  const ir::ProcessGrid &grid() const { return scopes_.back().grid; }
  // Whether all of them come by here, as often, so that they may exchange something.
  bool meets() const { return scopes_.back().meets && grid().size() > 1; }
  // The devices that arrays here are cut for; without axes where there are none.
  const Mesh &mesh() const { return devices_; }
  // Their axes, by number, that no body around ops here is manual in yet.
  Sizes freeAxes() const;
  // Whether ops here belong to the body for one of them.
  bool inBody() const { return isUnpartitioned_ && grid().size() > 1; }

  // Whether ops here are not those of a computation on single elements.
  bool inFunction() const { return !scopes_.back().isElements; }

  // Appends an op with these operands, attributes and regions (name with dialect). Result types are inferred unless
  // given. Null when it would be invalid, too large, or nothing could be known about it.
  mlir::Operation *emit(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::TypeRange types = {},
                        std::vector<Region> regions = {});
  // The same without a twin (crossing.h).
  mlir::Operation *emitAlone(llvm::StringRef name, mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes, mlir::TypeRange types,
                             std::vector<Region> regions);
  // An op that gives nothing; it must be valid.
  void emitWithoutResults(llvm::StringRef name, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);
  // The first result of an op as `emit` gives it; null too.
  mlir::Value emitValue(llvm::StringRef name, mlir::ValueRange operands,
                        llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::TypeRange types = {});

  // The same with a result type that may leave some sizes of `type` open; what is given has it again.
  mlir::Value emitOpen(llvm::StringRef name, mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes,
                       mlir::RankedTensorType type);

  // A function beside main, or null; the same one may be called again.
  mlir::func::FuncOp function();

  int64_t maxElements() const { return elementLimit_; }

private:
  struct Scope {
    mlir::Block *block;
    size_t firstValue;
    bool isFunction, isOpen;
    ir::ProcessGrid grid;
    bool meets;
    bool isElements = false;
  };
  struct Function {
    mlir::func::FuncOp op;
    ir::ProcessGrid grid;
    bool meets, isElements;
    Sizes manualAxes;
  };

  Region region(mlir::TypeRange arguments, Fill fill, bool open, bool shared = false);
  Region region(mlir::TypeRange arguments, Fill fill, const Scope &scope, llvm::StringRef terminator);
  void chooseSetting(Setting setting);
  void declareSetting();
  void fillFunction(mlir::func::FuncOp function, int ops, const Entry *first, Scope scope);
  void returnFrom(mlir::func::FuncOp function);
  bool inferTypes(mlir::OperationState &state);
  bool isAcceptable(mlir::Operation *op);

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  GeneratorOptions options_;
  std::mt19937_64 random_;
  int64_t elementLimit_;
  Sizes sizes_;                     // what dimensions are mostly made of, so that shapes meet again
  Values values_;                   // of all scopes, inner ones last
  Sizes manualAxes_;                // of the bodies around the ops that are being made, by number
  std::vector<Scope> scopes_;       // functions begin a new list of visible values
  std::vector<Function> functions_; // that are complete
  int functionCount_ = 0;
  ir::ProcessGrid processes_;
  Mesh devices_;
  bool isUnpartitioned_ = false, makesTwin_ = false;
  checking::AgreementAnalysis agreement_;
};

/// A list of one region.
inline std::vector<Generator::Region> one(Generator::Region region) {
  std::vector<Generator::Region> regions;
  regions.push_back(std::move(region));
  return regions;
}

} // namespace tenon::fuzz
