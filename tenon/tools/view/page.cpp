#include "tenon/tools/view/page.h"

#include "tenon/program/memory.h"
#include "tenon/support/html_page.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

using nlohmann::ordered_json;

// Files of this folder and the library that places nodes, made into strings by CMake.
constexpr char kPage[] =
#include "view_html.inc"
    ;
constexpr char kStyle[] =
#include "view_css.inc"
    ;
constexpr char kModel[] =
#include "model_js.inc"
    ;
constexpr char kDevices[] =
#include "devices_js.inc"
    ;
constexpr char kScript[] =
#include "view_js.inc"
    ;
constexpr char kLayout[] =
#include "dagre_js.inc"
    ;
constexpr char kLayoutLicence[] =
#include "dagre_licence.inc"
    ;

const char *kindName(GraphNode::Kind kind) {
  static const char *names[] = {"op", "function", "region", "scope", "run", "arguments"};
  return names[int(kind)];
}

// Short keys, and nothing that is empty: there may be tens of thousands of nodes.
ordered_json nodeJson(const GraphNode &node) {
  ordered_json json = {{"kind", kindName(node.kind)}, {"parent", node.parent}, {"name", node.name}};
  if (!node.location.empty())
    json["location"] = node.location;
  if (!node.scope.empty())
    json["scope"] = node.scope;
  for (const GraphNode::Result &result : node.results)
    json["results"].push_back({result.name, result.type, result.bytes});
  for (const auto &[name, value] : node.attributes)
    json["attributes"].push_back({name, value});
  for (auto [producer, number] : node.operands)
    json["operands"].push_back({producer, number});
  if (node.callee >= 0)
    json["callee"] = node.callee;
  return json;
}

// What was measured of a step: the time of a kernel or call of this name, shared equally among the steps that have it.
void addTime(ordered_json &json, const View &view, const std::string &name) {
  double total = 0, own = 0, limit = 0, calls = 0;
  for (const xla::KernelProfile &kernel : view.times->kernels) {
    auto nanoseconds = static_cast<double>(kernel.total.count());
    total += nanoseconds;
    if (kernel.name != name)
      continue;
    own += nanoseconds;
    limit += kernel.limit.count() * static_cast<double>(kernel.calls);
    calls += static_cast<double>(kernel.calls);
  }
  if (own <= 0)
    return;
  double steps = 0;
  for (size_t i = 0; i < view.compiled->report.steps.size(); ++i)
    steps += program::describeStep(*view.compiled, i) == name;
  double part = steps * view.timedRuns;
  json["time"] = {{"ns", own / part}, {"share", own / total / steps}, {"calls", calls / part}};
  if (limit > 0)
    json["time"]["of_limit"] = limit / own;
}

ordered_json kernelJson(const View &view, size_t index) {
  const program::Program &program = *view.compiled;
  const program::StepEntry &step = program.report.steps[index];
  ordered_json json = {{"step", index}, {"name", program::describeStep(program, index)}};
  if (view.times)
    addTime(json, view, json["name"]);
  if (step.kind == program::StepEntry::Kind::kRuntimeCall)
    return json["kind"] = "runtime_call", json;
  const program::KernelCall &call = program.kernelCalls[size_t(step.index)];
  const program::ReportEntry &kernel = program.report.kernels[size_t(call.kernel)];
  json["kind"] = kernel.kind;
  json["calls"] = kernel.calls;
  json["flops"] = kernel.flops;
  json["bytes"] = kernel.bytes;
  return json;
}

void addKernels(ordered_json &nodes, const ViewedStage &stage, const View &view) {
  const program::Program &program = *view.compiled;
  auto step = stage.steps.begin();
  for (size_t i = 0; i < program.report.steps.size() && step != stage.steps.end(); ++i)
    if (auto kind = program.report.steps[i].kind;
        kind == program::StepEntry::Kind::kKernel || kind == program::StepEntry::Kind::kRuntimeCall)
      nodes[size_t(*step++)]["kernel"] = kernelJson(view, i);
}

std::string html(llvm::StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream out(escaped);
  llvm::printHTMLEscaped(llvm::json::fixUTF8(text), out);
  return escaped;
}

} // namespace

ordered_json viewJson(const View &view) {
  ordered_json json = {{"program", view.program}, {"stages", ordered_json::array()}};
  for (const ViewedStage &stage : view.stages) {
    ordered_json nodes = ordered_json::array();
    for (const GraphNode &node : stage.graph.nodes)
      nodes.push_back(nodeJson(node));
    if (view.compiled)
      addKernels(nodes, stage, view);
    json["stages"].push_back({{"name", stage.name}, {"nodes", std::move(nodes)}});
  }
  if (!view.partition.is_null())
    json["partition"] = view.partition;
  return json;
}

std::string viewPage(const View &view) {
  std::string data = viewJson(view).dump(-1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
  std::string title = html(llvm::sys::path::filename(view.program)), safe = jsonForScript(data);
  return fillPage(kPage, {{"title", title},
                          {"style", kStyle},
                          {"data", safe},
                          {"memory", view.memory},
                          {"arrays", view.arrays},
                          {"licence", kLayoutLicence},
                          {"layout", kLayout},
                          {"model", kModel},
                          {"devices", kDevices},
                          {"script", kScript}});
}

} // namespace tenon::tools
