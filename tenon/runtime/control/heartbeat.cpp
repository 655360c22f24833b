#include "tenon/runtime/control/heartbeat.h"

#include "tenon/runtime/control/bytes.h"

#include <algorithm>

namespace tenon::runtime {
namespace {

enum : uint64_t { kHeartbeat = 1, kFailure, kGoodbye, kWaitReport };

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
  writer.integer(heartbeat.round);
}

bool isTooLong(const WaitReport &report) {
  size_t devices = 0, awaited = 0;
  for (const OpenMeeting &meeting : report.meetings) {
    devices += meeting.devices.size();
    awaited += meeting.awaited.size();
  }
  return report.meetings.size() > kMaxMeetings || std::max(devices, awaited) > kMaxMeetingDevices ||
         report.traffic.size() > kMaxTraffic;
}

void write(ByteWriter &writer, const WaitReport &full) {
  const WaitReport empty{full.round, {}, {}};
  const WaitReport &report = isTooLong(full) ? empty : full;
  writer.integer(kWaitReport);
  writer.integer(report.round);
  writer.integer(report.meetings.size());
  for (const OpenMeeting &meeting : report.meetings) {
    writer.integer(meeting.id);
    writer.text(std::string_view(meeting.what).substr(0, kMaxMeetingText));
    writer.integer(meeting.devices.size());
    for (uint32_t device : meeting.devices)
      writer.integer(device);
    writer.integer(meeting.awaited.size());
    for (const OpenMeeting::Awaited &awaited : meeting.awaited) {
      writer.integer(static_cast<uint64_t>(awaited.process));
      writer.integer(awaited.device);
    }
  }
  writer.integer(report.traffic.size());
  for (const Traffic &traffic : report.traffic) {
    writer.integer(static_cast<uint64_t>(traffic.peer));
    writer.integer(traffic.sent);
    writer.integer(traffic.received);
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
  heartbeat.round = reader.integer();
  return heartbeat;
}

WaitReport readWaitReport(ByteReader &reader) {
  WaitReport report;
  report.round = reader.integer();
  uint64_t devices = kMaxMeetingDevices, awaited = kMaxMeetingDevices; // that may still come
  for (uint64_t left = reader.integer(kMaxMeetings); left && reader.ok(); --left) {
    OpenMeeting meeting;
    meeting.id = reader.integer();
    meeting.what = reader.text(kMaxMeetingText);
    uint64_t count = reader.integer(devices);
    devices -= count;
    for (; count && reader.ok(); --count)
      meeting.devices.push_back(static_cast<uint32_t>(reader.integer(UINT32_MAX)));
    count = reader.integer(awaited);
    awaited -= count;
    for (; count && reader.ok(); --count) {
      auto process = static_cast<Peer>(reader.integer(INT32_MAX));
      meeting.awaited.push_back({process, static_cast<uint32_t>(reader.integer(UINT32_MAX))});
    }
    report.meetings.push_back(std::move(meeting));
  }
  for (uint64_t left = reader.integer(kMaxTraffic); left && reader.ok(); --left) {
    Traffic traffic;
    traffic.peer = static_cast<Peer>(reader.integer(INT32_MAX));
    traffic.sent = reader.integer();
    traffic.received = reader.integer();
    report.traffic.push_back(traffic);
  }
  return report;
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
  else if (kind == kWaitReport)
    message = readWaitReport(reader);
  if (!reader.isDone() || kind < kHeartbeat || kind > kWaitReport)
    return Status(StatusCode::kDataLoss, "a damaged control message has come");
  return message;
}

} // namespace tenon::runtime
