// The interface under the names that the documents of 2017 use outside namespace xla: `util::StatusOr`,
// `gtl::ArraySlice`, `tensorflow::StringPiece`. For programs that have no namespaces of these names.
#pragma once

#include "tenon/computation_builder.h"

namespace util = tenon::xla_2017::util;
namespace gtl = tenon::xla_2017::gtl;
namespace tensorflow = tenon::xla_2017::tensorflow;
