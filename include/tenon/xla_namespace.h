// Where the interface of 2017 is. Its names are those of XLA's documents, and XLA has names like them today, so it
// lives in a namespace of its own, and one process may have both libraries. `xla::Client` is tenon::xla_2017::Client,
// as long as nothing of that name is declared in namespace xla itself; where headers of XLA are included, too, write
// the latter.
#pragma once

namespace tenon::xla_2017 {}

namespace xla {
using namespace tenon::xla_2017;
} // namespace xla
