// The custom call that ComputationBuilder::Trace makes.
#pragma once

namespace tenon::api {

// Makes its target known to the runtime.
void registerTraceTarget();

} // namespace tenon::api
