// cuSOLVER's part of device_libraries.h.
#include "tenon/runtime/cuda/solver.h"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace tenon::runtime::cuda {
namespace {

using program::RuntimeCall, program::Shape;

// One of a call's arrays: as many matrices as a batch has, one after the other.
struct Array {
  int64_t rows = 1, columns = 1, bytes = 0; // of one
  bool isMoved = false;                     // column-major to the call, row-major in the program's memory
};

enum class Order : uint8_t { kAsItIs, kColumnMajor, kOther };

// The order of dimensions that a call wants of an array.
Order orderOf(const Shape &shape, const std::vector<std::vector<int64_t>> &layouts, size_t number) {
  const size_t rank = shape.dims.size();
  std::vector<int64_t> rowMajor(rank);
  std::iota(rowMajor.rbegin(), rowMajor.rend(), 0);
  if (number >= layouts.size() || layouts[number].empty() || layouts[number] == rowMajor)
    return Order::kAsItIs;
  if (rank >= 2)
    std::swap(rowMajor[0], rowMajor[1]);
  return layouts[number] == rowMajor ? Order::kColumnMajor : Order::kOther;
}

class SolverCall final : public DeviceCallInstance {
public:
  SolverCall(const SolverTable &table, std::shared_ptr<BlasLibrary> blas, std::unique_ptr<SolverRoutine> routine)
      : table_(table), blas_(std::move(blas)), routine_(std::move(routine)) {}
  ~SolverCall() override {
    if (params_)
      table_.destroyParams(params_);
    if (handle_)
      table_.destroy(handle_);
  }
  SolverCall(const SolverCall &) = delete;
  SolverCall &operator=(const SolverCall &) = delete;

  // False where the host has to make the call.
  StatusOr<bool> prepare(const RuntimeCall &call) {
    const Shape &first = call.operands.front();
    batch_ = std::accumulate(first.dims.begin(), first.dims.end() - 2, int64_t(1), std::multiplies<>());
    TENON_ASSIGN_OR_RETURN(bool areOperands, take(call.operands, call.operandLayouts, routine_->operands(), operands_));
    TENON_ASSIGN_OR_RETURN(bool areResults, take(call.results, call.resultLayouts, routine_->results(), results_));
    const int64_t order = std::min(operands_.front().rows, operands_.front().columns);
    if (!areOperands || !areResults || batch_ == 0 || operands_.front().bytes == 0 || isForHost(batch_, order))
      return false;
    isAliased_ = call.aliases == std::vector<std::pair<int32_t, int32_t>>{{0, routine_->inPlace()}};
    if (!isAliased_ && !call.aliases.empty())
      return false;
    auto isMoved = [](const Array &array) { return array.isMoved; };
    auto isMovedOrSmall = [](const Array &array) { return array.isMoved || array.rows == 1 || array.columns == 1; };
    if (routine_->canWorkOnTransposes() && std::any_of(operands_.begin(), operands_.end(), isMoved) &&
        std::all_of(operands_.begin(), operands_.end(), isMovedOrSmall) &&
        std::all_of(results_.begin(), results_.end(), isMovedOrSmall)) {
      routine_->workOnTransposes();
      for (auto *arrays : {&operands_, &results_})
        for (Array &array : *arrays)
          array.isMoved = false;
    }
    if (!routine_->canCompute())
      return false;
    const bool wantsBlas = !isAliased_ || std::any_of(operands_.begin(), operands_.end(), isMoved) ||
                           std::any_of(results_.begin(), results_.end(), isMoved);
    if (wantsBlas && !blas_)
      return false;
    type_ = *matrixType(first.type);
    TENON_RETURN_IF_ERROR(libraryStatus(table_.create(&handle_), "cusolverDnCreate"));
    TENON_RETURN_IF_ERROR(libraryStatus(table_.createParams(&params_), "cusolverDnCreateParams"));
    return true;
  }

  bool isCapturable() const override { return routine_->isCapturable(); }

  Status call(const DeviceCallBuffers &call) override {
    std::lock_guard lock(mutex_); // a handle has one stream
    TENON_RETURN_IF_ERROR(libraryStatus(table_.setStream(handle_, call.stream), "cusolverDnSetStream"));
    std::vector<void *> operands(call.operands.begin(), call.operands.end()),
        results(call.results.begin(), call.results.end());
    TENON_RETURN_IF_ERROR(bring(call, operands, results));
    Solver solver{table_, handle_, params_};
    SolverMemory memory{};
    TENON_RETURN_IF_ERROR(routine_->sizes(solver, memory.deviceBytes, memory.hostBytes));
    TENON_ASSIGN_OR_RETURN(memory.device, call.scratch.allocate(int64_t(std::max<size_t>(memory.deviceBytes, 1))));
    TENON_ASSIGN_OR_RETURN(void *info, call.scratch.allocate(sizeof(int)));
    memory.info = static_cast<int *>(info);
    hostWork_.resize(memory.hostBytes);
    memory.host = hostWork_.data();
    for (int64_t i = 0; i < batch_; ++i) {
      TENON_RETURN_IF_ERROR(routine_->compute(solver, operands, results, memory));
      step(operands, operands_);
      step(results, results_);
    }
    step(results, results_, -batch_);
    return bringBack(call, results);
  }

private:
  // False if an array is in an order that is neither row-major nor column-major.
  StatusOr<bool> take(const std::vector<Shape> &shapes, const std::vector<std::vector<int64_t>> &layouts,
                      const std::vector<MatrixShape> &expected, std::vector<Array> &arrays) const {
    auto isRight = [&](const Shape &shape, const MatrixShape &wanted) {
      size_t rank = shape.dims.size(), own = wanted.sizes.size();
      return rank >= own && shape.type == wanted.type &&
             std::equal(wanted.sizes.begin(), wanted.sizes.end(), shape.dims.end() - int64_t(own)) &&
             std::accumulate(shape.dims.begin(), shape.dims.end() - int64_t(own), int64_t(1), std::multiplies<>()) ==
                 batch_;
    };
    if (shapes.size() != expected.size())
      return invalidArgument("takes and gives another number of arrays");
    bool isKnown = true;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (!isRight(shapes[i], expected[i]))
        return invalidArgument(shapes[i].toString() + " does not go with the matrices");
      Order order = orderOf(shapes[i], layouts, i);
      isKnown &= order != Order::kOther;
      Array array;
      array.rows = expected[i].sizes.empty() ? 1 : expected[i].sizes.front();
      array.columns = expected[i].sizes.size() < 2 ? 1 : expected[i].sizes.back();
      array.bytes = array.rows * array.columns * program::byteSize(expected[i].type);
      array.isMoved = order == Order::kColumnMajor && array.rows > 1 && array.columns > 1;
      arrays.push_back(array);
    }
    return isKnown;
  }

  // Matrices in the order that the routine wants, where there is memory for them.
  Status bring(const DeviceCallBuffers &call, std::vector<void *> &operands, std::vector<void *> &results) {
    for (size_t i = 0; i < results.size(); ++i)
      if (results_[i].isMoved) {
        TENON_ASSIGN_OR_RETURN(results[i], call.scratch.allocate(results_[i].bytes * batch_));
      }
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool isInPlace = int(i) == routine_->inPlace();
      void *from = operands[i];
      if (isInPlace)
        operands[i] = results[0];
      else if (operands_[i].isMoved) {
        TENON_ASSIGN_OR_RETURN(operands[i], call.scratch.allocate(operands_[i].bytes * batch_));
      }
      if (operands_[i].isMoved)
        TENON_RETURN_IF_ERROR(
            transpose(call, operands_[i].columns, operands_[i].rows, operands_[i].bytes, from, operands[i]));
      else if (isInPlace && from != operands[i])
        TENON_RETURN_IF_ERROR(copy(call, operands_[i].bytes * batch_, from, operands[i]));
    }
    return {};
  }

  Status bringBack(const DeviceCallBuffers &call, const std::vector<void *> &results) {
    for (size_t i = 0; i < results.size(); ++i)
      if (results_[i].isMoved)
        TENON_RETURN_IF_ERROR(
            transpose(call, results_[i].rows, results_[i].columns, results_[i].bytes, results[i], call.results[i]));
    return {};
  }

  // Column-major matrices of so many rows and columns.
  Status transpose(const DeviceCallBuffers &call, int64_t rows, int64_t columns, int64_t bytes, void *from, void *to) {
    TENON_ASSIGN_OR_RETURN(BlasLibrary::Use blas, blas_->use(call.stream, nullptr));
    for (int64_t i = 0; i < batch_; ++i)
      TENON_RETURN_IF_ERROR(blas.transpose(type_, rows, columns, static_cast<char *>(from) + i * bytes,
                                           static_cast<char *>(to) + i * bytes));
    return {};
  }

  Status copy(const DeviceCallBuffers &call, int64_t bytes, void *from, void *to) {
    TENON_ASSIGN_OR_RETURN(BlasLibrary::Use blas, blas_->use(call.stream, nullptr));
    const bool isDouble = type_ % 2 == 1;
    return blas.copy(isDouble, bytes / (isDouble ? 8 : 4), from, to);
  }

  static void step(std::vector<void *> &pointers, const std::vector<Array> &arrays, int64_t count = 1) {
    for (size_t i = 0; i < pointers.size(); ++i)
      pointers[i] = static_cast<char *>(pointers[i]) + count * arrays[i].bytes;
  }

  SolverTable table_;
  std::shared_ptr<BlasLibrary> blas_;
  std::unique_ptr<SolverRoutine> routine_;
  std::mutex mutex_;
  void *handle_ = nullptr, *params_ = nullptr;
  size_t type_ = 0;
  int64_t batch_ = 0;
  bool isAliased_ = false;
  std::vector<Array> operands_, results_;
  std::vector<char> hostWork_;
};

} // namespace

StatusOr<std::unique_ptr<DeviceCallInstance>>
makeSolverCall(const SolverTable &table, const std::shared_ptr<BlasLibrary> &blas, const RuntimeCall &call) {
  if (call.operands.empty() || call.operands.front().dims.size() < 2)
    return invalidArgument("takes matrices");
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<SolverRoutine> routine, makeRoutine(call));
  if (!routine)
    return std::unique_ptr<DeviceCallInstance>();
  auto made = std::make_unique<SolverCall>(table, blas, std::move(routine));
  TENON_ASSIGN_OR_RETURN(bool isIts, made->prepare(call));
  if (!isIts)
    return std::unique_ptr<DeviceCallInstance>();
  return std::unique_ptr<DeviceCallInstance>(std::move(made));
}

} // namespace tenon::runtime::cuda
