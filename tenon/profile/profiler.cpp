#include "tenon/profile/build.h"

namespace tenon::xla_2017 {

using tenon::StatusCode;
using tenon::trace::Session;

Profiler::Profiler(std::shared_ptr<Session> session) : session_(std::move(session)) {}

Profiler::~Profiler() { session_->stop(); }

tenon::StatusOr<std::unique_ptr<Profiler>> Profiler::Start() {
  std::shared_ptr<Session> session = Session::start();
  if (!session)
    return tenon::Status(StatusCode::kFailedPrecondition, "another profiler records in this process");
  return std::unique_ptr<Profiler>(new Profiler(std::move(session)));
}

Profile Profiler::Stop() {
  session_->stop();
  return tenon::profile::profileOf(session_->events(), GetMachineLimits());
}

} // namespace tenon::xla_2017
