#include "tenon/runtime/cuda/device_libraries.h"

#include "tenon/runtime/cuda/toolkit.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

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

static StatusOr<ProductTable> openProducts(int driverVersion) {
  ProductTable table;
  TENON_RETURN_IF_ERROR(openLibrary(libraryNames("libcublasLt", 12, driverVersion / 1000),
                                    {{"cublasLtCreate", table.create},
                                     {"cublasLtDestroy", table.destroy},
                                     {"cublasLtMatmulDescCreate", table.createDescription},
                                     {"cublasLtMatmulDescDestroy", table.destroyDescription},
                                     {"cublasLtMatmulDescSetAttribute", table.setDescription},
                                     {"cublasLtMatrixLayoutCreate", table.createLayout},
                                     {"cublasLtMatrixLayoutDestroy", table.destroyLayout},
                                     {"cublasLtMatrixLayoutSetAttribute", table.setLayout},
                                     {"cublasLtMatmulPreferenceCreate", table.createPreference},
                                     {"cublasLtMatmulPreferenceDestroy", table.destroyPreference},
                                     {"cublasLtMatmulPreferenceSetAttribute", table.setPreference},
                                     {"cublasLtMatmulAlgoGetHeuristic", table.algorithms},
                                     {"cublasLtMatmul", table.multiply}}));
  return table;
}

// A machine may be without.
template <typename Table> static Status keep(StatusOr<Table> opened, std::optional<Table> &kept) {
  if (opened.ok())
    kept = *opened;
  return opened.status().code() == StatusCode::kNotFound ? Status() : opened.status();
}

// INVALID_ARGUMENT with a name in TENON_CUDA_LIBRARIES that is none of a library.
static StatusOr<bool> isWanted(std::string_view library) {
  const char *listed = std::getenv("TENON_CUDA_LIBRARIES");
  if (!listed)
    return true;
  bool isListed = false;
  std::stringstream names(listed);
  for (std::string name; std::getline(names, name, ',');) {
    if (name != "cublas" && name != "cusolver" && name != "cufft" && name != "off")
      return invalidArgument("TENON_CUDA_LIBRARIES names '" + name + "': there are cublas, cusolver and cufft, or off");
    isListed |= name == library;
  }
  return isListed;
}

StatusOr<DeviceLibraries> DeviceLibraries::open(int driverVersion) {
  DeviceLibraries libraries;
  TENON_ASSIGN_OR_RETURN(bool wantsSolver, isWanted("cusolver"));
  TENON_ASSIGN_OR_RETURN(bool wantsFourier, isWanted("cufft"));
  TENON_ASSIGN_OR_RETURN(bool wantsProducts, isWanted("cublas"));
  if (wantsSolver)
    TENON_RETURN_IF_ERROR(keep(openSolver(driverVersion), libraries.solver));
  if (wantsFourier)
    TENON_RETURN_IF_ERROR(keep(openFourier(driverVersion), libraries.fourier));
  std::optional<ProductTable> products;
  if (wantsProducts)
    TENON_RETURN_IF_ERROR(keep(openProducts(driverVersion), products));
  if (products)
    libraries.products = std::make_shared<ProductLibrary>(*products);
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
