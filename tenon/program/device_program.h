// A program for a device with memory of its own, such as a GPU: kernels, and the order in which they are started on
// which arrays. Plain data, as program.h. Nothing of it is decided by the code of the host: scalars are in the device's
// memory, too, and conditions are read from there.
#pragma once

#include "tenon/support/element_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::program {

// A function that the device starts (codegen/gpu/task_kernel.h).
struct DeviceKernel {
  std::string name;
  int64_t tasks = 0;        // a thread takes one, or fewer threads go on to others; or a block does
  int64_t scratchBytes = 0; // for each thread
  int32_t blockThreads = 0; // threads of a block
  int32_t blockTasks = 0;   // tasks that a block takes at once: as many as it has threads, or one
  int32_t sharedBytes = 0;  // shared memory of a block
  // Blocks wait for each other, so that all have to be at work at once: there may be fewer than there are tasks.
  bool isCooperative = false;
};

// A matrix of a product, or as many as there are batches. Strides and the first element's place are in elements.
struct ProductMatrix {
  int32_t array = -1; // in the row of pointers
  ElementType type = ElementType::kInvalid;
  int64_t first = 0, rowStride = 0, columnStride = 0, batchStride = 0;
};

// A product of matrices: an element of `out` is the sum of `depth` products of elements of a row of `lhs` and a column
// of `rhs`, in floats of at least 32 bits, rounded once to its type; of integers, in 32 bits. One of a matrix's strides
// is 1, the other at least as large as what the first is along; of `out`, columns have the stride 1. f32 is multiplied
// as it is, or as numbers of tf32 that it is rounded to.
struct DeviceProduct {
  int64_t batch = 1, rows = 0, columns = 0, depth = 0;
  ProductMatrix lhs = {}, rhs = {}, out = {};
  int32_t bias = -1; // in the row of pointers: an element of out's type for each column, added to the sums; -1: none
  bool allowsTf32 = false;
};

// An array of a convolution: batch, features, and the spatial dimensions, of which there are one to three; of a kernel,
// its output features, the input features of one group, and the spatial dimensions. Strides are in elements.
struct ConvolutionArray {
  int32_t array = -1; // in the row of pointers
  ElementType type = ElementType::kInvalid;
  std::vector<int64_t> sizes, strides;
};

// How the kernel goes over one spatial dimension of the input. In front of the input there is so much padding, and
// behind it as much as there is to be for the output's size.
struct ConvolutionDim {
  int64_t stride = 1, dilation = 1, padLow = 0, padHigh = 0;
};

// A convolution, or a gradient of one: of the convolution's three arrays, one is computed of the other two. An element
// is a sum of products in floats of at least 32 bits, rounded once to its type. The groups follow from the sizes.
struct DeviceConvolution {
  enum class Computes : uint8_t { kOutput, kInput, kKernel };
  Computes computes = Computes::kOutput;
  ConvolutionArray input = {}, kernel = {}, output = {};
  std::vector<ConvolutionDim> dims; // spatial
  bool isReversed = false;          // the kernel, in all spatial dimensions
  bool allowsTf32 = false;          // as of products

  const ConvolutionArray &result() const {
    return computes == Computes::kOutput ? output : computes == Computes::kInput ? input : kernel;
  }
};

// What a library may do (runtime/cuda/library_op.h).
using DeviceOp = std::variant<DeviceProduct, DeviceConvolution>;

// The kernels of one op, which run one after the other, with one row of pointers.
struct DeviceModule {
  std::vector<DeviceKernel> kernels;
  std::string code;        // PTX, or for the emulation an object of the host
  std::string machineCode; // for the program's chip; none: the driver makes it of the PTX, as for newer chips
  // The number of an earlier module of the program whose machine code has these kernels, too; -1: none.
  int32_t machineCodeOf = -1;
  // What the kernels compute, where a library that is there when the program is loaded may do it in their place.
  std::optional<DeviceOp> op;
};

// Where an array lies when a run begins: in the arena, or in memory of an argument, result or constant. Or where the
// word is that ends loops (kStopGraph), which the host may write.
struct DevicePlace {
  enum class Base : uint8_t { kArena, kArgument, kResult, kConstant, kStop };
  Base base = Base::kArena;
  int64_t offset = 0; // in the arena
  int32_t index = -1; // of the argument, result or constant
};

struct DeviceStep;
// Arrays are named by the numbers of their places.
using DeviceSteps = std::vector<DeviceStep>;

struct KernelStep {
  int32_t module = -1;
  std::vector<int32_t> row; // -1: nothing, a token
};

// Unless the two are the same memory.
struct CopyStep {
  int32_t to = -1, from = -1;
  int64_t bytes = 0;
};

// Call `call` of Program::runtimeCalls, which the host makes on copies of the arrays.
struct ServiceStep {
  int32_t call = -1;
  std::vector<int32_t> operands, results; // -1: nothing, a token
};

// Runs the body as long as the predicate, an i1, is true after the condition. Then the carried arrays are brought to
// where they were when the iteration began, `first` before the others, and pairs of places exchange their memory.
// Whatever exchanges there were in the body are forgotten.
struct LoopStep {
  std::vector<DeviceStep> condition, body;
  int32_t predicate = -1;
  std::vector<CopyStep> toTemporaries, copies;
  std::vector<std::pair<int32_t, int32_t>> exchanges;
  // Where it is there, a kernel that ends an iteration: it does what is left of the body and of the copies, and the
  // condition anew, so that the condition's steps run before the first iteration alone. The kernel takes, as words,
  //   row, handle, stop, looked, places, saved, numPlaces, exchanges, rows, slotPlaces, list
  // and says whether the node of the handle goes on, as tenon_continue does, unless `stop` is 0: then the host decides.
  // Where `saved` is not 0, a table of places, pairs exchange as tenon_advance has it (runtime/cuda/graph.h).
  std::optional<KernelStep> turn = {};
};

// Runs one branch: of two the first if the selector, an i1, is true; of others the one whose number the selector, an
// i32, is, or the last. Exchanges in it are forgotten.
struct BranchStep {
  int32_t selector = -1;
  bool isTwoWay = false;
  std::vector<std::vector<DeviceStep>> branches;
};

struct DeviceStep {
  std::variant<KernelStep, CopyStep, ServiceStep, LoopStep, BranchStep> what;
};

// The kernels by which the device decides for itself, in a graph of the program (runtime/cuda/graph.h).
enum class ControlKernel : uint8_t { kBind, kSave, kAdvance, kCopy, kContinue, kChoose };
constexpr const char *kControlKernels[] = {"tenon_bind", "tenon_save",     "tenon_advance",
                                           "tenon_copy", "tenon_continue", "tenon_choose"};
// How many addresses the first of them takes: parameters of a kernel have at most 4096 bytes.
constexpr int64_t kBoundAddresses = 500;
// How many words a kernel takes that ends iterations (LoopStep::turn).
constexpr size_t kTurnParameters = 11;
// The value of the word by which loops are told to end.
constexpr int32_t kStopGraph = 1;

struct DeviceProgram {
  std::string chip;      // "sm_90a"
  std::string processor; // of the host that plays the chip; empty: the code is the chip's own
  std::vector<DeviceModule> modules;
  DeviceModule control; // the control kernels
  std::vector<DevicePlace> places;
  DeviceSteps steps;
  int64_t arenaBytes = 0;
};

} // namespace tenon::program
