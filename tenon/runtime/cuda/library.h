// The driver of the machine, opened at run time: one build serves machines with a GPU and without.
#pragma once

#include "tenon/runtime/cuda/driver.h"
#include "tenon/status.h"

#include <string>
#include <utility>
#include <vector>

namespace tenon::runtime::cuda {

// Opens the library, which stays loaded, and fills the table. NOT_FOUND where there is none, FAILED_PRECONDITION with
// the name of what it lacks where it is too old: CUDA 12 is the oldest.
StatusOr<Driver> openDriver(const std::string &library = "libcuda.so.1");

// The names by which a driver is asked for the functions of a table, and where they go.
std::vector<std::pair<const char *, void **>> functionsOf(Driver &driver);

} // namespace tenon::runtime::cuda
