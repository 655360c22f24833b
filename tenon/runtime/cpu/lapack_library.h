// LAPACK, found when first needed.
//
// It is opened at run time, not linked: OpenBLAS is 36 MB of kernels for every CPU, a program without linear algebra
// never touches it, and its users bring their own (Debian's, the one inside SciPy's wheel, MKL). It must have 32-bit
// integers. Names are tried as "spotrf_" and, as in SciPy's build, "scipy_spotrf_".
#pragma once

#include "tenon/status.h"

#include <string>

namespace tenon::runtime {

class LapackLibrary {
public:
  // Opens TENON_LAPACK_LIBRARY, or the first of the suggested paths, then of the usual names, that has the symbols. The
  // result, or the failure, is kept for the life of the process.
  static StatusOr<const LapackLibrary *> get();

  // A path for get() to try before the usual names: what else in the process uses LAPACK, like SciPy, gets the same
  // results, and a system's OpenBLAS may be old.
  static void suggest(std::string path);

  // The Fortran routine ("spotrf"), or null.
  void *find(const std::string &routine) const;
  const std::string &path() const { return path_; }

private:
  LapackLibrary() = default;
  static StatusOr<const LapackLibrary *> open();
  bool load(const std::string &path, std::string &errors);

  void *handle_ = nullptr;
  std::string path_, prefix_;
};

} // namespace tenon::runtime
