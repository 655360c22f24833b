#include "tenon/runtime/cuda/device_libraries.h"

#include "tenon/runtime/cuda/toolkit.h"

#include <dlfcn.h>
#include <initializer_list>

namespace tenon::runtime::cuda {
namespace {

struct Wanted {
  const char *name;
  void **slot;
};

template <typename Function> Wanted wanted(const char *name, Function &function) {
  static_assert(sizeof(Function) == sizeof(void *));
  return {name, reinterpret_cast<void **>(&function)};
}

Status fill(const std::vector<std::string> &names, std::initializer_list<Wanted> functions) {
  TENON_ASSIGN_OR_RETURN(void *library, openLibrary(names));
  for (const Wanted &function : functions)
    if (!(*function.slot = ::dlsym(library, function.name)))
      return failedPrecondition("the library " + names.front() + " has no " + function.name);
  return {};
}

} // namespace

static StatusOr<SolverTable> openSolver(int driverVersion) {
  SolverTable table;
  TENON_RETURN_IF_ERROR(
      fill(libraryNames("libcusolver", 11, driverVersion / 1000),
           {wanted("cusolverDnCreate", table.create), wanted("cusolverDnDestroy", table.destroy),
            wanted("cusolverDnSetStream", table.setStream), wanted("cusolverDnCreateParams", table.createParams),
            wanted("cusolverDnDestroyParams", table.destroyParams),
            wanted("cusolverDnXpotrf_bufferSize", table.potrfSizes), wanted("cusolverDnXpotrf", table.potrf)}));
  return table;
}

static StatusOr<FourierTable> openFourier(int driverVersion) {
  FourierTable table;
  TENON_RETURN_IF_ERROR(fill(libraryNames("libcufft", 11, driverVersion / 1000),
                             {wanted("cufftPlanMany", table.planMany), wanted("cufftDestroy", table.destroy),
                              wanted("cufftSetStream", table.setStream), wanted("cufftExecC2C", table.complexSingle),
                              wanted("cufftExecZ2Z", table.complexDouble), wanted("cufftExecR2C", table.realSingle),
                              wanted("cufftExecD2Z", table.realDouble)}));
  return table;
}

// A machine may be without.
template <typename Table> static Status keep(StatusOr<Table> opened, std::optional<Table> &kept) {
  if (opened.ok())
    kept = *opened;
  return opened.status().code() == StatusCode::kNotFound ? Status() : opened.status();
}

StatusOr<DeviceLibraries> DeviceLibraries::open(int driverVersion) {
  DeviceLibraries libraries;
  TENON_RETURN_IF_ERROR(keep(openSolver(driverVersion), libraries.solver));
  TENON_RETURN_IF_ERROR(keep(openFourier(driverVersion), libraries.fourier));
  return libraries;
}

Status libraryStatus(int code, const char *function) {
  return code == 0 ? Status() : internalError(std::string(function) + " fails: error " + std::to_string(code));
}

StatusOr<std::unique_ptr<DeviceCallInstance>> DeviceLibraries::instantiate(const program::RuntimeCall &call) const {
  using Kind = program::RuntimeCall::Kind;
  StatusOr<std::unique_ptr<DeviceCallInstance>> made = std::unique_ptr<DeviceCallInstance>();
  const bool isFactor =
      call.kind == Kind::kCustomCall && call.target.starts_with("lapack_") && call.target.ends_with("potrf_ffi");
  if (isFactor && solver)
    made = makeCholesky(*solver, call);
  else if (call.kind == Kind::kLibrary && call.target == "fft" && fourier)
    made = makeTransform(*fourier, call);
  if (made.ok())
    return made;
  std::string where = call.location.empty() ? "" : " (used at " + call.location + ")";
  return Status(made.status().code(), "'" + call.target + "': " + made.status().message() + where);
}

} // namespace tenon::runtime::cuda
