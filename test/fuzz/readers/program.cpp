#include "test/fuzz/readers/readers.h"

#include "test/fuzz/round_trip.h"

#include "tenon/ir/register.h"

#include "mlir/IR/MLIRContext.h"

namespace tenon::fuzz {

// A context keeps every type and attribute that it has seen, and a new one takes longer than most programs.
static mlir::MLIRContext &context() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static int uses = 0;
  if (uses++ % 200 == 0) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  }
  return *context;
}

void fuzzProgram(std::string_view bytes) {
  std::string errors;
  auto module = readProgram(bytes, context(), errors);
  if (!module && errors.empty())
    fail("refused without a reason");
  if (!module)
    return;
  if (!errors.empty())
    fail("accepted with an error: " + errors);
  for (auto broken : {brokenRoundTrip, brokenArtifact})
    if (auto finding = broken(*module))
      fail(*finding);
}

} // namespace tenon::fuzz
