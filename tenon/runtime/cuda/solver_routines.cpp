// LAPACK's routines, each by one of cuSOLVER's.
#include "tenon/program/attributes.h"
#include "tenon/runtime/cuda/solver.h"

#include <algorithm>
#include <string_view>

namespace tenon::runtime::cuda {
namespace {

using program::RuntimeCall;

ElementType realOf(ElementType type) {
  return type == ElementType::kComplexF32   ? ElementType::kF32
         : type == ElementType::kComplexF64 ? ElementType::kF64
                                            : type;
}

// One of these letters.
StatusOr<char> letter(const RuntimeCall &call, std::string_view attribute, std::string_view allowed) {
  TENON_ASSIGN_OR_RETURN(int64_t value, program::integerAttribute(call.attributes, attribute));
  for (char known : allowed)
    if (value == known)
      return known;
  return invalidArgument("the attribute '" + std::string(attribute) + "' is none of the letters " +
                         std::string(allowed));
}

// Rows and columns of the first operand.
struct Sizes {
  explicit Sizes(const RuntimeCall &call)
      : type(call.operands.front().type), rows(call.operands.front().dims.rbegin()[1]),
        columns(call.operands.front().dims.back()) {}

  ElementType type;
  int64_t rows, columns;

  int64_t least() const { return std::min(rows, columns); }
  int64_t leading() const { return std::max<int64_t>(rows, 1); }
  int data() const { return *dataType(type); }
  size_t letter() const { return *matrixType(type); }
  int64_t bytes() const { return program::byteSize(type); }
  MatrixShape matrix() const { return {type, {rows, columns}}; }
};

class Cholesky final : public SolverRoutine {
public:
  Cholesky(const Sizes &sizes, bool isUpper) : s_(sizes), fill_(isUpper ? kUpper : kLower) {}

  std::vector<MatrixShape> operands() const override { return {{s_.type, {s_.rows, s_.rows}}}; }
  std::vector<MatrixShape> results() const override { return {{s_.type, {s_.rows, s_.rows}}, {ElementType::kI32, {}}}; }
  // The factor of the other triangle is the transpose of what is wanted.
  bool canWorkOnTransposes() const override { return true; }
  void workOnTransposes() override { fill_ = fill_ == kUpper ? kLower : kUpper; }

  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &hostBytes) const override {
    return libraryStatus(solver.table.potrfSizes(solver.handle, solver.params, fill_, s_.rows, s_.data(), nullptr,
                                                 s_.leading(), s_.data(), &deviceBytes, &hostBytes),
                         "cusolverDnXpotrf_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const>, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    return libraryStatus(solver.table.potrf(solver.handle, solver.params, fill_, s_.rows, s_.data(), results[0],
                                            s_.leading(), s_.data(), memory.device, memory.deviceBytes, memory.host,
                                            memory.hostBytes, static_cast<int *>(results[1])),
                         "cusolverDnXpotrf");
  }

private:
  Sizes s_;
  int fill_;
};

// What cuSOLVER has for each type counts memory in elements, and sizes in 32 bits.
Status bytesOf(int code, int elements, const Sizes &sizes, size_t &bytes, const char *function) {
  bytes = size_t(elements) * size_t(sizes.bytes());
  return libraryStatus(code, function);
}

// Results: both factors, the rows that were exchanged, from 1, and the first pivot that is zero.
class Lu final : public SolverRoutine {
public:
  explicit Lu(const Sizes &sizes) : s_(sizes) {}

  std::vector<MatrixShape> operands() const override { return {s_.matrix()}; }
  std::vector<MatrixShape> results() const override {
    return {s_.matrix(), {ElementType::kI32, {s_.least()}}, {ElementType::kI32, {}}};
  }
  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &) const override {
    int elements = 0;
    int code = solver.table.getrfSize[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), nullptr,
                                                   int(s_.leading()), &elements);
    return bytesOf(code, elements, s_, deviceBytes, "cusolverDnGetrf_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const>, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    return libraryStatus(
        solver.table.getrf[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), results[0], int(s_.leading()),
                                        memory.device, static_cast<int *>(results[1]), static_cast<int *>(results[2])),
        "cusolverDnGetrf");
  }

private:
  Sizes s_;
};

// Results: R with the reflectors below it, and their factors.
class Qr final : public SolverRoutine {
public:
  explicit Qr(const Sizes &sizes) : s_(sizes) {}

  std::vector<MatrixShape> operands() const override { return {s_.matrix()}; }
  std::vector<MatrixShape> results() const override { return {s_.matrix(), {s_.type, {s_.least()}}}; }
  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &) const override {
    int elements = 0;
    int code = solver.table.geqrfSize[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), nullptr,
                                                   int(s_.leading()), &elements);
    return bytesOf(code, elements, s_, deviceBytes, "cusolverDnGeqrf_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const>, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    return libraryStatus(solver.table.geqrf[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), results[0],
                                                         int(s_.leading()), results[1], memory.device,
                                                         int(memory.deviceBytes / size_t(s_.bytes())), memory.info),
                         "cusolverDnGeqrf");
  }

private:
  Sizes s_;
};

// The first columns of the product of reflectors.
class FormQ final : public SolverRoutine {
public:
  FormQ(const Sizes &sizes, int64_t reflectors) : s_(sizes), reflectors_(reflectors) {}

  std::vector<MatrixShape> operands() const override { return {s_.matrix(), {s_.type, {reflectors_}}}; }
  std::vector<MatrixShape> results() const override { return {s_.matrix()}; }
  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &) const override {
    int elements = 0;
    int code = solver.table.orgqrSize[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), int(reflectors_),
                                                   nullptr, int(s_.leading()), nullptr, &elements);
    return bytesOf(code, elements, s_, deviceBytes, "cusolverDnOrgqr_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const> operands, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    return libraryStatus(solver.table.orgqr[s_.letter()](solver.handle, int(s_.rows), int(s_.columns), int(reflectors_),
                                                         results[0], int(s_.leading()), operands[1], memory.device,
                                                         int(memory.deviceBytes / size_t(s_.bytes())), memory.info),
                         "cusolverDnOrgqr");
  }

private:
  Sizes s_;
  int64_t reflectors_;
};

// Results: eigenvectors, or what is left of the matrix; eigenvalues; whether they were not found.
class Eigen final : public SolverRoutine {
public:
  Eigen(const Sizes &sizes, bool wantsVectors, bool isUpper)
      : s_(sizes), mode_(wantsVectors ? 1 : 0), fill_(isUpper ? kUpper : kLower) {}

  std::vector<MatrixShape> operands() const override { return {{s_.type, {s_.rows, s_.rows}}}; }
  std::vector<MatrixShape> results() const override {
    return {{s_.type, {s_.rows, s_.rows}}, {realOf(s_.type), {s_.rows}}, {ElementType::kI32, {}}};
  }
  bool isCapturable() const override { return false; }
  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &hostBytes) const override {
    return libraryStatus(solver.table.syevdSizes(solver.handle, solver.params, mode_, fill_, s_.rows, s_.data(),
                                                 nullptr, s_.leading(), real(), nullptr, s_.data(), &deviceBytes,
                                                 &hostBytes),
                         "cusolverDnXsyevd_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const>, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    return libraryStatus(solver.table.syevd(solver.handle, solver.params, mode_, fill_, s_.rows, s_.data(), results[0],
                                            s_.leading(), real(), results[1], s_.data(), memory.device,
                                            memory.deviceBytes, memory.host, memory.hostBytes,
                                            static_cast<int *>(results[2])),
                         "cusolverDnXsyevd");
  }

private:
  int real() const { return *dataType(realOf(s_.type)); }

  Sizes s_;
  int mode_, fill_;
};

// Results: what is left of the matrix, singular values, U, the adjoint of V, and whether they were not found. `mode`:
// all columns (A), the first min(rows, columns) (S) or none (N). cuSOLVER wants no fewer rows than columns; the
// transpose of a matrix has the transposes of the two in each other's place.
class Svd final : public SolverRoutine {
public:
  Svd(const Sizes &sizes, char mode) : s_(sizes), mode_(mode) {}

  std::vector<MatrixShape> operands() const override { return {s_.matrix()}; }
  std::vector<MatrixShape> results() const override {
    return {s_.matrix(),
            {realOf(s_.type), {s_.least()}},
            {s_.type, {s_.rows, leftColumns()}},
            {s_.type, {rightRows(), s_.columns}},
            {ElementType::kI32, {}}};
  }
  bool canWorkOnTransposes() const override { return s_.rows <= s_.columns; }
  void workOnTransposes() override { isTransposed_ = true; }
  bool canCompute() const override { return isTransposed_ || s_.rows >= s_.columns; }
  bool isCapturable() const override { return false; }
  Status sizes(const Solver &solver, size_t &deviceBytes, size_t &hostBytes) const override {
    Call c = callOf({});
    return libraryStatus(solver.table.gesvdSizes(solver.handle, solver.params, mode(), mode(), c.rows, c.columns,
                                                 s_.data(), nullptr, c.rows, real(), nullptr, s_.data(), nullptr,
                                                 c.rows, s_.data(), nullptr, c.rightLeading, s_.data(), &deviceBytes,
                                                 &hostBytes),
                         "cusolverDnXgesvd_bufferSize");
  }
  Status compute(const Solver &solver, std::span<void *const>, std::span<void *const> results,
                 const SolverMemory &memory) const override {
    Call c = callOf(results);
    return libraryStatus(solver.table.gesvd(solver.handle, solver.params, mode(), mode(), c.rows, c.columns, s_.data(),
                                            results[0], c.rows, real(), results[1], s_.data(), c.left, c.rows,
                                            s_.data(), c.right, c.rightLeading, s_.data(), memory.device,
                                            memory.deviceBytes, memory.host, memory.hostBytes,
                                            static_cast<int *>(results[4])),
                         "cusolverDnXgesvd");
  }

private:
  // As cuSOLVER sees it.
  struct Call {
    int64_t rows, columns, rightLeading;
    void *left, *right;
  };
  Call callOf(std::span<void *const> results) const {
    void *left = results.empty() ? nullptr : results[2], *right = results.empty() ? nullptr : results[3];
    Call c = isTransposed_ ? Call{s_.columns, s_.rows, 0, right, left} : Call{s_.rows, s_.columns, 0, left, right};
    c.rightLeading = std::max<int64_t>(c.columns, 1); // at least as many rows: all of V, or min(rows, columns)
    return c;
  }
  signed char mode() const { return static_cast<signed char>(mode_); }
  int real() const { return *dataType(realOf(s_.type)); }
  int64_t leftColumns() const { return mode_ == 'A' ? s_.rows : s_.least(); }
  int64_t rightRows() const { return mode_ == 'A' ? s_.columns : s_.least(); }

  Sizes s_;
  char mode_;
  bool isTransposed_ = false;
};

// The routine's name in lapack_<letter><name>_ffi; empty for other targets.
std::string_view nameOf(const RuntimeCall &call) {
  constexpr std::string_view kBegin = "lapack_", kEnd = "_ffi";
  std::string_view target = call.target;
  if (call.kind != RuntimeCall::Kind::kCustomCall || !target.starts_with(kBegin) || !target.ends_with(kEnd) ||
      target.size() < kBegin.size() + 1 + kEnd.size())
    return {};
  return target.substr(kBegin.size() + 1, target.size() - kBegin.size() - 1 - kEnd.size());
}

StatusOr<std::unique_ptr<SolverRoutine>> makeFactor(const RuntimeCall &call, const Sizes &sizes) {
  TENON_ASSIGN_OR_RETURN(char triangle, letter(call, "uplo", "LU"));
  return std::unique_ptr<SolverRoutine>(std::make_unique<Cholesky>(sizes, triangle == 'U'));
}

StatusOr<std::unique_ptr<SolverRoutine>> makeEigen(const RuntimeCall &call, const Sizes &sizes) {
  TENON_ASSIGN_OR_RETURN(char mode, letter(call, "mode", "NV"));
  TENON_ASSIGN_OR_RETURN(char triangle, letter(call, "uplo", "LU"));
  return std::unique_ptr<SolverRoutine>(std::make_unique<Eigen>(sizes, mode == 'V', triangle == 'U'));
}

// Without vectors the results that would hold them are of any size, which the host checks.
StatusOr<std::unique_ptr<SolverRoutine>> makeSvd(const RuntimeCall &call, const Sizes &sizes) {
  TENON_ASSIGN_OR_RETURN(char mode, letter(call, "mode", "ASN"));
  return mode == 'N' ? std::unique_ptr<SolverRoutine>() : std::make_unique<Svd>(sizes, mode);
}

} // namespace

StatusOr<std::unique_ptr<SolverRoutine>> makeRoutine(const RuntimeCall &call) {
  const std::string_view name = nameOf(call);
  const Sizes sizes(call);
  if (!matrixType(sizes.type) || std::max(sizes.rows, sizes.columns) > (1 << 30))
    return std::unique_ptr<SolverRoutine>();
  if (name == "potrf")
    return makeFactor(call, sizes);
  if (name == "getrf")
    return std::unique_ptr<SolverRoutine>(std::make_unique<Lu>(sizes));
  if (name == "geqrf")
    return std::unique_ptr<SolverRoutine>(std::make_unique<Qr>(sizes));
  if ((name == "orgqr" || name == "ungqr") && call.operands.size() == 2 && !call.operands[1].dims.empty() &&
      sizes.rows >= sizes.columns && sizes.columns >= call.operands[1].dims.back())
    return std::unique_ptr<SolverRoutine>(std::make_unique<FormQ>(sizes, call.operands[1].dims.back()));
  if (name == "syevd" || name == "heevd")
    return makeEigen(call, sizes);
  if (name == "gesdd" || name == "gesvd")
    return makeSvd(call, sizes);
  return std::unique_ptr<SolverRoutine>();
}

} // namespace tenon::runtime::cuda
