#include "tenon/runtime/control/heartbeat.h"

#include "tenon/runtime/control/bytes.h"

#include <algorithm>

namespace tenon::runtime {
namespace {

enum : uint64_t { kHeartbeat = 1, kFailure, kGoodbye };

void write(ByteWriter &writer, const Heartbeat &heartbeat) {
  size_t count = std::min(heartbeat.activities.size(), kMaxActivities);
  writer.integer(kHeartbeat);
  writer.integer(count);
  for (const Activity &activity : std::span(heartbeat.activities).first(count)) {
    writer.integer(static_cast<uint64_t>(activity.state));
    writer.integer(static_cast<uint64_t>(activity.device));
    writer.integer(activity.launch);
    writer.text(std::string_view(activity.what).substr(0, kMaxActivityText));
    writer.integer(static_cast<uint64_t>(activity.duration.count()));
  }
}

void write(ByteWriter &writer, const Failure &failure) {
  writer.integer(kFailure);
  writer.text(std::string_view(failure.cause).substr(0, kMaxCauseText));
}

void write(ByteWriter &writer, const Goodbye &) { writer.integer(kGoodbye); }

Heartbeat readHeartbeat(ByteReader &reader) {
  Heartbeat heartbeat;
  for (uint64_t left = reader.integer(kMaxActivities); left && reader.ok(); --left) {
    Activity activity;
    activity.state = static_cast<Activity::State>(reader.integer(static_cast<uint64_t>(Activity::State::kRunning)));
    activity.device = static_cast<int64_t>(reader.integer(INT32_MAX));
    activity.launch = reader.integer();
    activity.what = reader.text(kMaxActivityText);
    activity.duration = std::chrono::milliseconds(reader.integer(INT32_MAX));
    heartbeat.activities.push_back(std::move(activity));
  }
  return heartbeat;
}

} // namespace

std::string describe(const Activity &activity) {
  std::string text = "device " + std::to_string(activity.device) + ": ";
  if (activity.state == Activity::State::kIdle)
    text += "runs no program";
  else
    text += (activity.state == Activity::State::kCompiling ? "compiles " : "") + activity.what;
  if (activity.launch)
    text += " (launch " + std::to_string(activity.launch) + ")";
  return text + ", for " + std::to_string(activity.duration.count() / 1000) + " s";
}

std::string writeControl(const ControlMessage &message) {
  ByteWriter writer;
  std::visit([&](const auto &kind) { write(writer, kind); }, message);
  return writer.take();
}

StatusOr<ControlMessage> readControl(const std::string &bytes) {
  ByteReader reader(bytes);
  ControlMessage message;
  uint64_t kind = reader.integer();
  if (kind == kHeartbeat)
    message = readHeartbeat(reader);
  else if (kind == kFailure)
    message = Failure{reader.text(kMaxCauseText)};
  else if (kind == kGoodbye)
    message = Goodbye();
  if (!reader.isDone() || kind < kHeartbeat || kind > kGoodbye)
    return Status(StatusCode::kDataLoss, "a damaged control message has come");
  return message;
}

} // namespace tenon::runtime
