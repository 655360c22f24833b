#include "tenon/support/compile_stop.h"

#include <utility>

namespace tenon {

static thread_local std::stop_token tokenOfThread;

CompileStop::CompileStop(std::stop_token token) : before_(std::exchange(tokenOfThread, std::move(token))) {}

CompileStop::~CompileStop() { tokenOfThread = std::move(before_); }

std::stop_token CompileStop::ofThread() { return tokenOfThread; }

} // namespace tenon
