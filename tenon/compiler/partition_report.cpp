#include "tenon/compiler/partition_report.h"

#include "tenon/codegen/common/location.h"
#include "tenon/passes/partition/report.h"

#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <nlohmann/json.hpp>

namespace tenon::compiler {
namespace {

using nlohmann::ordered_json;
using passes::CollectiveReport;
using passes::Fallback;
using passes::PartitionReport;
using passes::PlacedValue;

struct Totals {
  int64_t collectives = 0, received = 0;
};

// By what `key` says of a collective, in alphabetical order.
template <typename Key> std::map<std::string, Totals> totalsBy(const PartitionReport &report, Key key) {
  std::map<std::string, Totals> totals;
  for (const CollectiveReport &collective : report.collectives) {
    Totals &own = totals[key(collective)];
    ++own.collectives;
    own.received += collective.receivedBytes * collective.times;
  }
  return totals;
}

std::string axesOf(const CollectiveReport &collective) {
  return collective.axes.empty() ? "-" : llvm::join(collective.axes, ",");
}

std::string lineOf(const CollectiveReport &collective) {
  std::string line = codegen::locationText(collective.location);
  return line.empty() ? "-" : line;
}

// What the program is not partitioned for.
std::string placeOf(const PartitionReport &report) {
  return report.reasonPlace ? codegen::locationText(*report.reasonPlace) : "";
}

std::string kindOf(const CollectiveReport &collective) { return collective.kind; }

std::string bytes(int64_t count) {
  if (count < 1024)
    return llvm::formatv("{0} B", count);
  const char *unit = count < (int64_t(1) << 20) ? "KiB" : count < (int64_t(1) << 30) ? "MiB" : "GiB";
  double divisor = count < (int64_t(1) << 20) ? 1 << 10 : count < (int64_t(1) << 30) ? 1 << 20 : 1 << 30;
  return llvm::formatv("{0:F1} {1}", static_cast<double>(count) / divisor, unit);
}

ordered_json axesJson(const PlacedValue &value, const ir::Axes &axes) {
  ordered_json json = ordered_json::array();
  for (const ir::Atom &atom : axes)
    json.push_back(passes::axisText(value.mesh, atom));
  return json;
}

ordered_json valueJson(const PlacedValue &value) {
  ordered_json mesh = ordered_json::object(), cuts = ordered_json::array();
  for (const ir::Mesh::Axis &axis : value.mesh.axes)
    mesh[axis.name] = axis.size;
  for (const ir::Axes &axes : value.cuts)
    cuts.push_back(axesJson(value, axes));
  return {
      {"name", value.name},      {"type", debugString(value.type)}, {"sharding", value.sharding},
      {"mesh", std::move(mesh)}, {"cuts", std::move(cuts)},         {"unreduced", axesJson(value, value.unreduced)},
      {"bytes", value.bytes},    {"local_bytes", value.localBytes}, {"source", codegen::locationText(value.location)}};
}

void writeTotals(llvm::raw_ostream &out, llvm::StringRef title, const std::map<std::string, Totals> &totals) {
  out << "\nreceived by a device, by " << title << ":\n";
  for (const auto &[key, total] : totals)
    out << llvm::formatv("  {0,-40} {1,5} {2,12}\n", key, total.collectives, bytes(total.received));
}

template <typename Key> ordered_json totalsJson(const PartitionReport &report, Key key) {
  ordered_json json = ordered_json::object();
  for (const auto &[name, total] : totalsBy(report, key))
    json[name] = {{"collectives", total.collectives}, {"received_bytes", total.received}};
  return json;
}

} // namespace

std::string partitionReportText(const PartitionReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!report.reason.empty()) {
    out << "not partitioned: " << report.reason;
    if (std::string place = placeOf(report); !place.empty())
      out << " (" << place << ")";
    out << "\n";
    if (!report.remedy.empty())
      out << "what would have it partitioned: " << report.remedy << "\n";
    return text;
  }
  out << report.program << " partitioned for " << report.devices << " devices\n\narrays, and a device's part:\n";
  for (const PlacedValue &value : report.values)
    out << llvm::formatv("  {0,-24} {1,-20} {2,10} {3,10}  {4}  {5}\n", value.name, debugString(value.type),
                         bytes(value.bytes), bytes(value.localBytes), value.sharding,
                         codegen::locationText(value.location));
  out << "\ncollectives, in order: axes, devices, bytes of a device, bytes it receives, times\n";
  for (const CollectiveReport &c : report.collectives)
    out << llvm::formatv("  {0,-20} {1,-14} {2,5} {3,10} {4,10} {5,5}  {6}: {7}  {8}\n", c.op, axesOf(c), c.groupSize,
                         bytes(c.localBytes), bytes(c.receivedBytes), c.times ? std::to_string(c.times) : "?", c.kind,
                         c.reason, codegen::locationText(c.location));
  writeTotals(out, "kind", totalsBy(report, kindOf));
  writeTotals(out, "axes", totalsBy(report, axesOf));
  writeTotals(out, "line", totalsBy(report, lineOf));
  if (!report.fallbacks.empty())
    out << "\ncomputed whole on each device, of gathered operands:\n";
  for (const Fallback &fallback : report.fallbacks)
    out << llvm::formatv("  {0,-24} {1,10}  {2}  {3}\n      what would avoid it: {4}\n", fallback.op,
                         bytes(fallback.bytes), fallback.reason, codegen::locationText(fallback.location),
                         fallback.remedy);
  return text;
}

bool isCut(const PartitionReport &report) { return report.devices > 0; }

std::string partitionReportJson(const PartitionReport &report, int indent) {
  ordered_json json = {{"program", report.program}, {"devices", report.devices}};
  if (!report.reason.empty()) {
    json["not_partitioned"] = report.reason;
    json["remedy"] = report.remedy;
    json["source"] = placeOf(report);
  }
  json["values"] = ordered_json::array();
  for (const PlacedValue &value : report.values)
    json["values"].push_back(valueJson(value));
  json["collectives"] = ordered_json::array();
  for (const CollectiveReport &c : report.collectives)
    json["collectives"].push_back({{"op", c.op},
                                   {"kind", c.kind},
                                   {"reason", c.reason},
                                   {"axes", c.axes},
                                   {"group_size", c.groupSize},
                                   {"local_bytes", c.localBytes},
                                   {"received_bytes", c.receivedBytes},
                                   {"times", c.times ? ordered_json(c.times) : ordered_json()},
                                   {"source", codegen::locationText(c.location)}});
  json["totals"] = {{"by_kind", totalsJson(report, kindOf)},
                    {"by_axes", totalsJson(report, axesOf)},
                    {"by_line", totalsJson(report, lineOf)}};
  json["fallbacks"] = ordered_json::array();
  for (const Fallback &fallback : report.fallbacks)
    json["fallbacks"].push_back({{"op", fallback.op},
                                 {"reason", fallback.reason},
                                 {"remedy", fallback.remedy},
                                 {"bytes", fallback.bytes},
                                 {"source", codegen::locationText(fallback.location)}});
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> partitionWarnings(const PartitionReport &report) {
  constexpr int64_t kMany = int64_t(64) << 20;
  std::vector<std::string> lines;
  for (const Fallback &fallback : report.fallbacks)
    if (fallback.bytes > kMany) {
      std::string place = codegen::locationText(fallback.location);
      lines.push_back((place.empty() ? "" : place + ": ") + fallback.op + " is computed whole on each of " +
                      std::to_string(report.devices) + " devices, of " + bytes(fallback.bytes) +
                      " that are gathered: " + fallback.reason + "; " + fallback.remedy);
    }
  return lines;
}

} // namespace tenon::compiler
