#include "tenon/runtime/cuda/device_libraries.h"

#include "tenon/runtime/cuda/toolkit.h"

namespace tenon::runtime::cuda {

static StatusOr<SolverTable> openSolver(int driverVersion) {
  SolverTable table;
  TENON_RETURN_IF_ERROR(openLibrary(libraryNames("libcusolver", 11, driverVersion / 1000),
                                    {{"cusolverDnCreate", table.create},
                                     {"cusolverDnDestroy", table.destroy},
                                     {"cusolverDnSetStream", table.setStream},
                                     {"cusolverDnCreateParams", table.createParams},
                                     {"cusolverDnDestroyParams", table.destroyParams},
                                     {"cusolverDnXpotrf_bufferSize", table.potrfSizes},
                                     {"cusolverDnXpotrf", table.potrf}}));
  return table;
}

static StatusOr<FourierTable> openFourier(int driverVersion) {
  FourierTable table;
  TENON_RETURN_IF_ERROR(
      openLibrary(libraryNames("libcufft", 11, driverVersion / 1000), {{"cufftPlanMany", table.planMany},
                                                                       {"cufftDestroy", table.destroy},
                                                                       {"cufftSetStream", table.setStream},
                                                                       {"cufftExecC2C", table.complexSingle},
                                                                       {"cufftExecZ2Z", table.complexDouble},
                                                                       {"cufftExecR2C", table.realSingle},
                                                                       {"cufftExecD2Z", table.realDouble}}));
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
