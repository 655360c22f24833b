#include "tenon/api/trace.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/support/shown.h"
#include "tenon/tracing.h"

#include <cstdio>
#include <memory>
#include <mutex>

namespace tenon::xla_2017 {

namespace {

std::mutex sinkMutex;
std::shared_ptr<const TraceSink> traceSink;

// The leaves of the shape, taken from the operands in turn.
Literal literalOf(const Shape &shape, std::span<void *const> &operands) {
  if (!ShapeUtil::IsTuple(shape)) {
    Literal literal = Literal::Borrow(shape, operands.front());
    operands = operands.subspan(1);
    return literal;
  }
  std::vector<Literal> elements;
  for (const Shape &element : shape.tuple_shapes())
    elements.push_back(literalOf(element, operands));
  return LiteralUtil::MakeTuple(std::move(elements));
}

void log(const std::string &tag, const Literal &value) {
  std::shared_ptr<const TraceSink> sink;
  {
    std::lock_guard lock(sinkMutex);
    sink = traceSink;
  }
  if (sink)
    (*sink)(tag, value);
  else
    std::fprintf(stderr, "%s: %s\n", tag.c_str(), value.ToString().c_str());
}

} // namespace

void SetTraceSink(TraceSink sink) {
  std::lock_guard lock(sinkMutex);
  traceSink = sink ? std::make_shared<const TraceSink>(std::move(sink)) : nullptr;
}

} // namespace tenon::xla_2017

namespace tenon::api {

static StatusOr<std::unique_ptr<runtime::RuntimeCallInstance>> makeTrace(const program::RuntimeCall &runtimeCall) {
  auto tag = program::stringAttribute(runtimeCall.attributes, "tag");
  auto shapeText = program::stringAttribute(runtimeCall.attributes, "shape");
  if (!tag.ok() || !shapeText.ok())
    return tag.ok() ? shapeText.status() : tag.status();
  TENON_ASSIGN_OR_RETURN(xla::Shape shape, xla::ShapeUtil::ParseShapeString(*shapeText));
  // A program from elsewhere may say anything.
  std::vector<xla::Shape> leaves = xla::ShapeUtil::Leaves(shape);
  bool same = leaves.size() == runtimeCall.operands.size();
  for (size_t i = 0; same && i < leaves.size(); ++i)
    same = xla::ShapeUtil::ByteSizeOf(leaves[i]) == runtimeCall.operands[i].byteSize();
  if (!same)
    return invalidArgument("tenon.trace: the operands do not make a value of " + *shapeText);
  return runtime::makeRuntimeCall([tag = *tag, shape = shape](const runtime::CallBuffers &call) -> Status {
    std::span<void *const> operands = call.operands;
    xla::log(tag, xla::literalOf(shape, operands));
    return {};
  });
}

TENON_SHOWN void registerTraceTarget() { runtime::registerCustomCall("tenon.trace", makeTrace); }

} // namespace tenon::api
