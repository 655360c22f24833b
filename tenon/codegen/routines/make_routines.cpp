// Compiles the routines that products of usual types, layouts and sizes are made of, those of sorts and of rows,
// and what elementary functions share, for each level of x86:
//
//   tenon_make_routines ARCHIVE
//
// What a product's size decides is mostly data of its kernel (codegen/kernel/matmul/tiled.h), so few products have them
// all.
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/kernel/contraction/contraction.h"
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/codegen/routines/usual_functions.h"
#include "tenon/codegen/routines/usual_rows.h"
#include "tenon/codegen/routines/usual_sorts.h"
#include "tenon/ir/register.h"
#include "tenon/support/parallel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>
#include <optional>

namespace tenon::codegen {
namespace {

using matmul::ContractionSpec, matmul::ConvolutionSpec, matmul::ConvolutionWindow;

struct Types {
  mlir::Type factor, out;
  bool ofNetworks = false; // of which there are convolutions of every kind
  bool isRare = false;     // of which there are only products of matrices that are not small
};

// Sorts and rows that are computed with the features of a level.
enum class Others : uint8_t { kNone, kAll, kRoundedRows };

// A level, and what is computed with its features: which products, sorts and rows.
struct Level {
  const char *cpu, *features;
  bool ofFloats, ofIntegers, ofBf16;
  Others others = Others::kNone;
};
constexpr Level kLevels[] = {
    {"x86-64-v3", "", true, true, true, Others::kAll},
    {"x86-64-v4", "", true, true, true, Others::kAll},
    {"x86-64-v3", "+avxvnni", false, true, false},
    {"x86-64-v4", "+avx512vnni", false, true, false},
    {"x86-64-v4", "+avx512bf16", false, false, true, Others::kRoundedRows},
    {"x86-64-v4", "+amx-tile,+amx-int8", false, true, false},
    {"x86-64-v4", "+amx-tile,+amx-bf16,+avx512bf16", false, false, true},
};

class Maker {
public:
  explicit Maker(const CpuTarget &target) : target_(target) {}

  Status add(const ContractionSpec &spec) {
    TENON_ASSIGN_OR_RETURN(matmul::ContractionPlan plan,
                           matmul::planContraction(spec, target_.matmulTarget(), "kernel"));
    return addRoutines([&](llvm::Module &module) { matmul::emitContraction(plan, module); });
  }

  // Also with its kernel in the panels in which a constant one lies.
  Status add(const ConvolutionSpec &spec) {
    TENON_RETURN_IF_ERROR(addAsItLies(spec));
    int64_t columns = matmul::kernelPanelColumns(spec, target_.matmulTarget(), /*hasEpilogue=*/false);
    return columns == 0 ? Status() : addAsItLies(matmul::inPanels(spec, columns));
  }

  Status addAsItLies(const ConvolutionSpec &spec) {
    TENON_ASSIGN_OR_RETURN(matmul::ConvolutionPlan plan,
                           matmul::planConvolution(spec, target_.matmulTarget(), "kernel"));
    return addRoutines([&](llvm::Module &module) { matmul::emitConvolution(plan, module); });
  }

  Status addRoutines(llvm::function_ref<void(llvm::Module &)> emit) {
    llvm::LLVMContext context;
    context.setDiscardValueNames(true);
    llvm::Module module("kernel", context);
    target_.prepareModule(module);
    emit(module);
    for (const Routine &routine : takeRoutines(module, target_)) {
      std::string &object = objects_[routine.symbol];
      if (!object.empty() || !routine.features || (needsFeatures_ && routine.features->empty()))
        continue;
      TENON_ASSIGN_OR_RETURN(object, compileModule(*routine.module, *routine.targetFor(&target_)));
    }
    return {};
  }

  // Every layout of two operands, and the usual one of convolutions. The sizes are such that each register tile is
  // needed, and each that is left at an edge.
  Status addAll(Types types) {
    std::vector<int64_t> columns = {4, 8, 12, 16, 24, 32, 40, 48, 64, 720, 1000, 1024, 1040, 1056};
    // Fewer than a vector, as results of a few classes; and what is left of four vectors, of tiles of any height.
    if (mlir::isa<mlir::FloatType>(types.factor))
      columns.insert(columns.end(), {3, 6, 1120, 1136});
    for (int64_t m : types.isRare ? std::vector<int64_t>{1024} : std::vector<int64_t>{4, 5, 6, 7, 8, 1024})
      for (int64_t n : columns)
        for (int64_t k : {96, 1023}) {
          for (int layout = 0; layout < 4; ++layout)
            TENON_RETURN_IF_ERROR(add(product(types, m, n, k, layout & 1, layout & 2)));
        }
    // What is left of four vectors of columns, where it could not be three each; and columns of the lhs in place.
    for (int64_t k : {96, 1023})
      for (bool rhsIsTransposed : {false, true}) {
        for (int64_t n : {1048, 1120, 1136})
          for (bool lhsIsTransposed : {false, true})
            TENON_RETURN_IF_ERROR(add(product(types, 1024, n, k, lhsIsTransposed, rhsIsTransposed)));
        for (int64_t n : {64, 80, 112, 128, 160})
          TENON_RETURN_IF_ERROR(add(product(types, 96, n, k, true, rhsIsTransposed)));
      }
    if (types.isRare)
      return {};
    // Rows that are too long for dot products in place, which shorter ones are.
    for (int64_t m : {5, 6, 7, 8})
      for (int64_t n : columns)
        for (bool lhsIsTransposed : {false, true})
          TENON_RETURN_IF_ERROR(add(product(types, m, n, 2047, lhsIsTransposed, true)));
    // A few rows times a matrix, also one so large that as many as eight rows are few.
    for (int64_t m = 1; m <= 8; ++m)
      for (int64_t n : {4, 8, 4096})
        TENON_RETURN_IF_ERROR(add(product(types, m, n, n == 4096 ? 16384 : 1000, false, false)));
    // A complex matrix times a vector, of any number of vectors of rows. Of other types these are sums of rows.
    if (mlir::isa<mlir::ComplexType>(types.factor))
      for (int64_t m : {4, 8, 16, 24, 36, 48, 1000, 1024, 1040, 1056})
        for (int64_t k : {96, 1023})
          for (bool lhsIsTransposed : {false, true})
            TENON_RETURN_IF_ERROR(add(product(types, m, 1, k, lhsIsTransposed, false)));
    // Rows so few that a large matrix is read in place, in one pass and in two: tiles of all heights, and what is left.
    for (int64_t m : {10, 12, 14, 16})
      for (int64_t n : {1008, 1024, 1040, 1048, 1056, 1072})
        for (int64_t k : {256, 1023})
          TENON_RETURN_IF_ERROR(add(product(types, m, n, k, false, false)));
    for (int64_t n : {16, 32, 48, 64, 128, 1000, 1040, 1056})
      for (int64_t channels : {3, 16, 64, 256, 384, 512, 2048, 4096})
        TENON_RETURN_IF_ERROR(add(convolution(types, Layout::kChannelsLast, channels, n)));
    return {};
  }

  // Constant kernels in panels, for tiles of all heights: of images of few pixels, in one pass over k and in several.
  Status addConstantKernels(Types types) {
    for (int64_t pixels : {2, 3, 4, 5, 6, 7})
      for (int64_t n : {480, 512, 1040})
        for (int64_t channels : {32, 512, 1024}) {
          ConvolutionSpec spec = convolution(types, Layout::kChannelsLast, channels, n);
          spec.batch = 1;
          for (ConvolutionWindow &window : spec.spatial)
            window.inputSize = window.outputSize = pixels;
          TENON_RETURN_IF_ERROR(add(spec));
        }
    return {};
  }

  // Convolutions of every layout and stride, and their gradients.
  Status addConvolutions(Types types) {
    if (types.factor.isF32())
      TENON_RETURN_IF_ERROR(addConstantKernels(types));
    for (int64_t n : {80, 112})
      TENON_RETURN_IF_ERROR(add(convolution(types, Layout::kChannelsLast, 64, n)));
    for (Layout layout : {Layout::kChannelsLast, Layout::kChannelsFirst})
      for (int64_t n : {32, 64, 72, 1000})
        for (int64_t channels : {3, 64, 512}) {
          ConvolutionSpec plain = convolution(types, layout, channels, n), strided = plain, transposed = plain;
          for (ConvolutionWindow &window : strided.spatial) {
            window.stride = 2;
            window.outputSize = 8;
          }
          for (ConvolutionWindow &window : transposed.spatial) {
            window.inputSize = 8;
            window.inputDilation = 2;
            window.padHigh = 2;
          }
          for (const ConvolutionSpec &spec : {plain, strided, transposed, gradientOfInput(types, layout, channels, n),
                                              gradientOfKernel(types, layout, channels, n)})
            TENON_RETURN_IF_ERROR(add(spec));
        }
    TENON_RETURN_IF_ERROR(addGrouped(types));
    for (int64_t stride : {1, 2})
      for (int64_t window : {3, 5, 7})
        TENON_RETURN_IF_ERROR(add(depthwise(types, window, stride, 2)));
    for (int64_t window : {3, 4})
      TENON_RETURN_IF_ERROR(add(depthwise(types, window, 1, 1)));
    return add(depthwise(types, 3, 1, 3));
  }

  // In groups; of floats, which is what they are trained in.
  Status addGrouped(Types types) {
    if (!mlir::isa<mlir::FloatType>(types.factor))
      return {};
    for (Group group : kGroups) {
      for (Layout layout : {Layout::kChannelsLast, Layout::kChannelsFirst})
        for (int64_t window : {3, 5})
          for (int64_t stride : {1, 2})
            TENON_RETURN_IF_ERROR(add(grouped(types, layout, group, kSize, window, stride)));
      // Images of whose pixels one, two and three vectors are left, and a part of a tile.
      for (int64_t size : {14, 23, 22})
        TENON_RETURN_IF_ERROR(add(grouped(types, Layout::kChannelsFirst, group, size, 3, 1)));
      TENON_RETURN_IF_ERROR(add(grouped(types, Layout::kChannelsLast, group, 23, 3, 1)));
    }
    return {};
  }

  Status addSorts(mlir::MLIRContext &context) {
    Status status;
    forEachUsualSort(context, target_, [&](llvm::function_ref<void(llvm::Module &)> emit) {
      if (status.ok())
        status = addRoutines(emit);
    });
    return status;
  }

  // `rounded`: only those that round by the instruction for it, of all that are there without it, too.
  Status addRows(bool rounded) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED); // of this thread
    loadAllDialects(context);
    needsFeatures_ = rounded;
    std::optional<llvm::StringRef> type;
    if (rounded)
      type = "bf16";
    Status status;
    auto add = [&](llvm::function_ref<void(llvm::Module &)> emit) {
      if (status.ok())
        status = addRoutines(emit);
    };
    Status all = forEachUsualRow(context, target_, type, add);
    if (all.ok() && !rounded)
      all = forEachUsualFunction(context, target_, add);
    return status.ok() ? all : status;
  }

  std::map<std::string, std::string> take() {
    std::erase_if(objects_, [](const auto &entry) { return entry.second.empty(); });
    return std::move(objects_);
  }

private:
  static ContractionSpec product(Types types, int64_t m, int64_t n, int64_t k, bool lhsIsTransposed,
                                 bool rhsIsTransposed) {
    ContractionSpec spec;
    spec.lhs = spec.rhs = types.factor;
    spec.out = types.out;
    spec.m.push_back({m, lhsIsTransposed ? 1 : k, 0, n});
    spec.n.push_back({n, 0, rhsIsTransposed ? k : 1, 1});
    spec.k.push_back({k, lhsIsTransposed ? m : 1, rhsIsTransposed ? 1 : n, 0});
    return spec;
  }

  // The order of images' dimensions, with a kernel's input features before the output features, or the other way round.
  enum class Layout : uint8_t { kChannelsLast, kChannelsFirst };
  // Strides of four images of 16x16, or of a kernel of 3x3 windows: of images or output features, of channels, and of
  // both dimensions of space.
  struct Strides {
    int64_t outer, channel, y, x;
  };
  static constexpr int64_t kImages = 4, kSize = 16, kWindow = 3;
  static Strides imageStrides(Layout layout, int64_t channels, int64_t size = kSize) {
    if (layout == Layout::kChannelsLast)
      return {size * size * channels, 1, size * channels, channels};
    return {size * size * channels, size * size, size, 1};
  }
  static Strides kernelStrides(Layout layout, int64_t channels, int64_t n, int64_t window = kWindow) {
    if (layout == Layout::kChannelsLast)
      return {1, n, window * channels * n, channels * n};
    return {window * window * channels, window * window, window, 1};
  }

  static ConvolutionSpec convolution(Types types, Layout layout, int64_t channels, int64_t n) {
    Strides image = imageStrides(layout, channels), kernel = kernelStrides(layout, channels, n);
    Strides result = imageStrides(layout, n);
    ConvolutionSpec spec = between(types, image, {kernel.outer, kernel.channel, kernel.y, kernel.x}, result);
    spec.batch = kImages;
    spec.inputFeatures = channels;
    spec.outputFeatures = n;
    return spec;
  }

  struct Group {
    int64_t channels, n;
  };
  // Several features of each channel, and as few as do not fill vectors.
  static constexpr Group kGroups[] = {{1, 2}, {4, 4}, {8, 8}, {12, 12}, {16, 16}, {24, 24}};

  // A convolution in eight such groups, of images of `size` x `size`.
  static ConvolutionSpec grouped(Types types, Layout layout, Group group, int64_t size, int64_t windowSize,
                                 int64_t stride) {
    constexpr int64_t kCount = 8;
    int64_t channels = kCount * group.channels, n = kCount * group.n, outSize = (size + stride - 1) / stride;
    Strides kernel = kernelStrides(layout, group.channels, n, windowSize);
    ConvolutionSpec spec =
        between(types, imageStrides(layout, channels, size), kernel, imageStrides(layout, n, outSize));
    spec.batch = kImages;
    spec.inputFeatures = channels;
    spec.outputFeatures = n;
    spec.featureGroups = kCount;
    for (ConvolutionWindow &window : spec.spatial) {
      window.inputSize = size;
      window.outputSize = outSize;
      window.kernelSize = windowSize;
      window.padLow = window.padHigh = windowSize / 2;
      window.stride = stride;
    }
    return spec;
  }

  // A convolution of 32 channels, which are innermost, each with a window of its own.
  static ConvolutionSpec depthwise(Types types, int64_t windowSize, int64_t stride, int64_t dimensions) {
    constexpr int64_t kChannels = 32;
    ConvolutionSpec spec;
    spec.lhs = spec.rhs = types.factor;
    spec.out = types.out;
    spec.batch = kImages;
    spec.inputFeatures = spec.outputFeatures = spec.featureGroups = kChannels;
    spec.lhsFeatureStride = spec.outFeatureStride = spec.rhsOutputFeatureStride = 1;
    spec.lhsBatchStride = spec.rhsInputFeatureStride = spec.outBatchStride = kChannels;
    for (int64_t i = 0; i < dimensions; ++i) { // innermost first
      ConvolutionWindow window;
      window.inputSize = kSize;
      window.outputSize = kSize / stride;
      window.kernelSize = windowSize;
      window.stride = stride;
      window.padLow = window.padHigh = windowSize / 2;
      window.lhsStride = spec.lhsBatchStride;
      window.rhsStride = spec.rhsInputFeatureStride;
      window.outStride = spec.outBatchStride;
      spec.lhsBatchStride *= window.inputSize;
      spec.outBatchStride *= window.outputSize;
      spec.rhsInputFeatureStride *= window.kernelSize;
      spec.spatial.insert(spec.spatial.begin(), window);
      spec.outSpatialDims.push_back(int(i) + 1);
    }
    return spec;
  }

  static ConvolutionSpec gradientOfInput(Types types, Layout layout, int64_t channels, int64_t n) {
    Strides image = imageStrides(layout, channels), kernel = kernelStrides(layout, channels, n);
    Strides result = imageStrides(layout, n);
    ConvolutionSpec spec = between(types, result, {kernel.channel, kernel.outer, kernel.y, kernel.x}, image);
    for (ConvolutionWindow &window : spec.spatial)
      window.reversed = true;
    spec.batch = kImages;
    spec.inputFeatures = n;
    spec.outputFeatures = channels;
    return spec;
  }

  // The gradient of the result is the kernel, and images are features.
  static ConvolutionSpec gradientOfKernel(Types types, Layout layout, int64_t channels, int64_t n) {
    Strides image = imageStrides(layout, channels), kernel = kernelStrides(layout, channels, n);
    Strides result = imageStrides(layout, n);
    ConvolutionSpec spec =
        between(types, {image.channel, image.outer, image.y, image.x},
                {result.channel, result.outer, result.y, result.x}, {kernel.channel, kernel.outer, kernel.y, kernel.x});
    for (ConvolutionWindow &window : spec.spatial)
      std::swap(window.kernelSize, window.outputSize);
    spec.batch = channels;
    spec.inputFeatures = kImages;
    spec.outputFeatures = n;
    return spec;
  }

  // Windows whose results are as large as what they slide over.
  static ConvolutionSpec between(Types types, const Strides &image, const Strides &kernel, const Strides &result) {
    ConvolutionSpec spec;
    spec.lhs = spec.rhs = types.factor;
    spec.out = types.out;
    spec.lhsBatchStride = image.outer;
    spec.lhsFeatureStride = image.channel;
    spec.rhsOutputFeatureStride = kernel.outer;
    spec.rhsInputFeatureStride = kernel.channel;
    spec.outBatchStride = result.outer;
    spec.outFeatureStride = result.channel;
    for (int64_t Strides::*stride : {&Strides::y, &Strides::x}) {
      ConvolutionWindow window;
      window.inputSize = window.outputSize = kSize;
      window.kernelSize = kWindow;
      window.padLow = window.padHigh = kWindow / 2;
      window.lhsStride = image.*stride;
      window.rhsStride = kernel.*stride;
      window.outStride = result.*stride;
      spec.spatial.push_back(window);
    }
    spec.outSpatialDims = {1, 2};
    spec.outFeatureDim = 3;
    return spec;
  }

  const CpuTarget &target_;
  std::map<std::string, std::string> objects_;
  bool needsFeatures_ = false; // routines of the plain level are left out
};

// What is computed for a level: products of some types, or, without types, sorts, or rows.
struct Task {
  Level level;
  std::optional<Types> types;
  bool ofRows = false;

  Status addTo(Maker &maker, mlir::MLIRContext &context) const {
    if (!types)
      return ofRows ? maker.addRows(level.others == Others::kRoundedRows) : maker.addSorts(context);
    TENON_RETURN_IF_ERROR(maker.addAll(*types));
    return types->ofNetworks ? maker.addConvolutions(*types) : Status();
  }
};

std::vector<Task> allTasks(mlir::MLIRContext &context) {
  mlir::Builder b(&context);
  mlir::Type f32 = b.getF32Type(), f16 = b.getF16Type(), bf16 = b.getBF16Type();
  mlir::Type c128 = mlir::ComplexType::get(b.getF64Type());
  std::vector<Task> tasks;
  if (!CpuTarget::host().isX86()) // other architectures have no levels
    return tasks;
  for (const Level &level : kLevels) {
    if (level.ofFloats)
      for (Types types : {Types{f32, f32, true},
                          {b.getF64Type(), b.getF64Type()},
                          {f16, f16, true},
                          {f16, f32},
                          {mlir::ComplexType::get(f32), mlir::ComplexType::get(f32)},
                          {c128, c128, false, /*isRare=*/true},
                          {b.getI32Type(), b.getI32Type(), false, /*isRare=*/true}})
        tasks.push_back({level, types});
    if (level.ofIntegers)
      tasks.push_back({level, Types{b.getIntegerType(8), b.getI32Type(), true}});
    if (level.ofBf16)
      for (Types types : {Types{bf16, bf16, true}, {bf16, f32}, {f32, bf16}})
        tasks.push_back({level, types});
    if (level.others == Others::kAll)
      tasks.push_back({level, std::nullopt});
    if (level.others != Others::kNone)
      tasks.push_back({level, std::nullopt, /*ofRows=*/true});
  }
  return tasks;
}

Status make(llvm::StringRef path) {
  RoutineStore::ofProcess().shipAnyName(true);
  mlir::MLIRContext context;
  std::vector<Task> tasks = allTasks(context);
  std::vector<Status> statuses(tasks.size());
  std::map<std::string, std::string> objects;
  std::mutex mutex;
  forEachInParallel(tasks.size(), 0, [&](size_t i) {
    CpuTargetOptions options;
    options.cpu = tasks[i].level.cpu;
    options.features = tasks[i].level.features;
    StatusOr<CpuTarget> target = CpuTarget::create(options);
    if (!target.ok()) {
      statuses[i] = target.status();
      return;
    }
    Maker maker(*target);
    statuses[i] = tasks[i].addTo(maker, context);
    std::lock_guard lock(mutex);
    objects.merge(maker.take());
  });
  for (const Status &status : statuses)
    TENON_RETURN_IF_ERROR(status);
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << makeRoutineArchive(objects);
  file.close();
  return error || file.has_error() ? internalError("cannot write '" + path.str() + "'") : Status();
}

} // namespace
} // namespace tenon::codegen

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: tenon_make_routines ARCHIVE\n";
    return 2;
  }
  if (tenon::Status status = tenon::codegen::make(argv[1]); !status.ok()) {
    llvm::errs() << status.message() << '\n';
    return 1;
  }
  return 0;
}
