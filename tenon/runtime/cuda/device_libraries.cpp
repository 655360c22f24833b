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
                                     {"cusolverDnXpotrf", table.potrf},
                                     {"cusolverDnSgetrf_bufferSize", table.getrfSize[0]},
                                     {"cusolverDnDgetrf_bufferSize", table.getrfSize[1]},
                                     {"cusolverDnCgetrf_bufferSize", table.getrfSize[2]},
                                     {"cusolverDnZgetrf_bufferSize", table.getrfSize[3]},
                                     {"cusolverDnSgetrf", table.getrf[0]},
                                     {"cusolverDnDgetrf", table.getrf[1]},
                                     {"cusolverDnCgetrf", table.getrf[2]},
                                     {"cusolverDnZgetrf", table.getrf[3]},
                                     {"cusolverDnSgeqrf_bufferSize", table.geqrfSize[0]},
                                     {"cusolverDnDgeqrf_bufferSize", table.geqrfSize[1]},
                                     {"cusolverDnCgeqrf_bufferSize", table.geqrfSize[2]},
                                     {"cusolverDnZgeqrf_bufferSize", table.geqrfSize[3]},
                                     {"cusolverDnSgeqrf", table.geqrf[0]},
                                     {"cusolverDnDgeqrf", table.geqrf[1]},
                                     {"cusolverDnCgeqrf", table.geqrf[2]},
                                     {"cusolverDnZgeqrf", table.geqrf[3]},
                                     {"cusolverDnSorgqr_bufferSize", table.orgqrSize[0]},
                                     {"cusolverDnDorgqr_bufferSize", table.orgqrSize[1]},
                                     {"cusolverDnCungqr_bufferSize", table.orgqrSize[2]},
                                     {"cusolverDnZungqr_bufferSize", table.orgqrSize[3]},
                                     {"cusolverDnSorgqr", table.orgqr[0]},
                                     {"cusolverDnDorgqr", table.orgqr[1]},
                                     {"cusolverDnCungqr", table.orgqr[2]},
                                     {"cusolverDnZungqr", table.orgqr[3]},
                                     {"cusolverDnXsyevd_bufferSize", table.syevdSizes},
                                     {"cusolverDnXsyevd", table.syevd},
                                     {"cusolverDnXgesvd_bufferSize", table.gesvdSizes},
                                     {"cusolverDnXgesvd", table.gesvd}}));
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
                                                                       {"cufftExecD2Z", table.realDouble},
                                                                       {"cufftExecC2R", table.toRealSingle},
                                                                       {"cufftExecZ2D", table.toRealDouble}}));
  return table;
}

static StatusOr<BlasTable> openBlas(int driverVersion) {
  BlasTable table;
  TENON_RETURN_IF_ERROR(
      openLibrary(libraryNames("libcublas", 12, driverVersion / 1000), {{"cublasCreate_v2", table.create},
                                                                        {"cublasDestroy_v2", table.destroy},
                                                                        {"cublasSetStream_v2", table.setStream},
                                                                        {"cublasSetWorkspace_v2", table.setWorkspace},
                                                                        {"cublasScopy_v2_64", table.copy[0]},
                                                                        {"cublasDcopy_v2_64", table.copy[1]},
                                                                        {"cublasSscal_v2_64", table.scale[0]},
                                                                        {"cublasDscal_v2_64", table.scale[1]},
                                                                        {"cublasSgeam_64", table.add[0]},
                                                                        {"cublasDgeam_64", table.add[1]},
                                                                        {"cublasCgeam_64", table.add[2]},
                                                                        {"cublasZgeam_64", table.add[3]},
                                                                        {"cublasStrsm_v2_64", table.solve[0]},
                                                                        {"cublasDtrsm_v2_64", table.solve[1]},
                                                                        {"cublasCtrsm_v2_64", table.solve[2]},
                                                                        {"cublasZtrsm_v2_64", table.solve[3]}}));
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

// There is one generation for all of CUDA's: one that is made for a newer driver than there is is as good as none.
static StatusOr<ConvolutionTable> openConvolutions(int driverVersion) {
  ConvolutionTable table;
  TENON_RETURN_IF_ERROR(openLibrary({"libcudnn.so.9"}, {{"cudnnGetVersion", table.version},
                                                        {"cudnnGetCudartVersion", table.cudaVersion},
                                                        {"cudnnCreate", table.create},
                                                        {"cudnnDestroy", table.destroy},
                                                        {"cudnnSetStream", table.setStream},
                                                        {"cudnnBackendCreateDescriptor", table.createDescriptor},
                                                        {"cudnnBackendDestroyDescriptor", table.destroyDescriptor},
                                                        {"cudnnBackendSetAttribute", table.setAttribute},
                                                        {"cudnnBackendGetAttribute", table.getAttribute},
                                                        {"cudnnBackendFinalize", table.finalize},
                                                        {"cudnnBackendExecute", table.execute}}));
  if (int(table.cudaVersion() / 1000) > driverVersion / 1000)
    return notFound("libcudnn.so.9 is made for CUDA " + std::to_string(table.cudaVersion() / 1000));
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
    if (name != "cublas" && name != "cusolver" && name != "cufft" && name != "cudnn" && name != "off")
      return invalidArgument("TENON_CUDA_LIBRARIES names '" + name +
                             "': there are cublas, cusolver, cufft and cudnn, or off");
    isListed |= name == library;
  }
  return isListed;
}

StatusOr<DeviceLibraries> DeviceLibraries::open(int driverVersion) {
  DeviceLibraries libraries;
  TENON_ASSIGN_OR_RETURN(bool wantsSolver, isWanted("cusolver"));
  TENON_ASSIGN_OR_RETURN(bool wantsFourier, isWanted("cufft"));
  TENON_ASSIGN_OR_RETURN(bool wantsBlas, isWanted("cublas"));
  TENON_ASSIGN_OR_RETURN(bool wantsConvolutions, isWanted("cudnn"));
  if (wantsSolver)
    TENON_RETURN_IF_ERROR(keep(openSolver(driverVersion), libraries.solver));
  if (wantsFourier)
    TENON_RETURN_IF_ERROR(keep(openFourier(driverVersion), libraries.fourier));
  if (wantsConvolutions) {
    std::optional<ConvolutionTable> convolutions;
    TENON_RETURN_IF_ERROR(keep(openConvolutions(driverVersion), convolutions));
    if (convolutions)
      libraries.convolutions = std::make_shared<ConvolutionLibrary>(*convolutions);
  }
  if (!wantsBlas)
    return libraries;
  std::optional<BlasTable> blas;
  std::optional<ProductTable> products;
  TENON_RETURN_IF_ERROR(keep(openBlas(driverVersion), blas));
  TENON_RETURN_IF_ERROR(keep(openProducts(driverVersion), products));
  if (blas)
    libraries.blas = std::make_shared<BlasLibrary>(*blas);
  if (products)
    libraries.products = std::make_shared<ProductLibrary>(*products);
  return libraries;
}

StatusOr<std::unique_ptr<LibraryOp>> DeviceLibraries::make(const program::DeviceOp &op) const {
  if (const auto *product = std::get_if<program::DeviceProduct>(&op); product && products)
    return products->make(*product);
  if (const auto *convolution = std::get_if<program::DeviceConvolution>(&op); convolution && convolutions)
    return convolutions->make(*convolution);
  return std::unique_ptr<LibraryOp>();
}

Status libraryStatus(int code, const char *function) {
  return code == 0 ? Status() : internalError(std::string(function) + " fails: error " + std::to_string(code));
}

StatusOr<std::unique_ptr<DeviceCallInstance>> DeviceLibraries::instantiate(const program::RuntimeCall &call) const {
  using Kind = program::RuntimeCall::Kind;
  StatusOr<std::unique_ptr<DeviceCallInstance>> made = std::unique_ptr<DeviceCallInstance>();
  if (call.kind == Kind::kCustomCall && call.target.starts_with("lapack_") && solver)
    made = makeSolverCall(*solver, blas, call);
  else if (call.kind == Kind::kLibrary && call.target == "fft" && fourier)
    made = makeTransform(*fourier, blas, call);
  else if (call.kind == Kind::kLibrary && call.target == "triangular_solve" && blas)
    made = makeTriangularSolve(blas, call);
  if (made.ok())
    return made;
  std::string where = call.location.empty() ? "" : " (used at " + call.location + ")";
  return Status(made.status().code(), "'" + call.target + "': " + made.status().message() + where);
}

} // namespace tenon::runtime::cuda
