// Clients: they look after handles, and leave the rest to their service.
#include "tenon/client.h"
#include "tenon/computation_builder.h"
#include "tenon/frontend/builder/program.h"

#include <atomic>
#include <cstring>

namespace xla {

using tenon::invalidArgument;

ServiceInterface::ServiceInterface() {
  static std::atomic<uint64> last{0};
  id_ = ++last;
}
ServiceInterface::~ServiceInterface() = default;

StatusOr<int64> ServiceInterface::ShareWithServer(const Shape &, const void *) {
  return tenon::failedPrecondition("memory is shared only with a service in the same process");
}

StatusOr<const void *> ServiceInterface::ShareFromServer(int64) {
  return tenon::failedPrecondition("memory is shared only with a service in the same process");
}

GlobalData::GlobalData(std::shared_ptr<ServiceInterface> service, int64 handle, Shape shape)
    : service_(std::move(service)), handle_(handle), shape_(std::move(shape)) {}

// A service that cannot be reached has dropped it, or will.
GlobalData::~GlobalData() { (void)service_->Release(handle_); }

Client::Client(std::shared_ptr<ServiceInterface> service) : service_(std::move(service)) {}
Client::~Client() = default;

namespace {

std::unique_ptr<GlobalData> dataOf(const std::shared_ptr<ServiceInterface> &service, int64 handle, Shape shape) {
  return std::make_unique<GlobalData>(service, handle, std::move(shape));
}

ServiceInterface::Deadline deadlineOf(const std::optional<std::chrono::nanoseconds> &timeout) {
  if (!timeout)
    return std::nullopt;
  return std::chrono::steady_clock::now() + *timeout;
}

Status checkOwner(const GlobalData &data, const std::shared_ptr<ServiceInterface> &service, const std::string &what) {
  if (data.service() != service.get())
    return invalidArgument(what + " belongs to another service");
  return {};
}

// An executable of a computation on a service; the computation keeps it.
struct CompiledExecutable {
  ~CompiledExecutable() {
    if (service)
      (void)service->ReleaseExecutable(handle);
  }
  std::mutex mutex; // held while it is compiled
  std::shared_ptr<ServiceInterface> service;
  int64 handle = 0;
};

// The parameters' and result's shapes, with the layouts that the execution asks for.
StatusOr<ProgramShape> executionShape(const Computation &computation, gtl::ArraySlice<Shape> arguments,
                                      const ExecutionOptions *options) {
  if (computation.IsNull())
    return invalidArgument("the computation is empty");
  ProgramShape shape = computation.program_shape();
  if (static_cast<size_t>(shape.parameters_size()) != arguments.size())
    return invalidArgument(computation.name() + " has " + std::to_string(shape.parameters_size()) +
                           " parameters, and " + std::to_string(arguments.size()) + " arguments are given");
  for (int i = 0; i < shape.parameters_size(); ++i) {
    if (!ShapeUtil::Compatible(shape.parameters(i), arguments[static_cast<size_t>(i)]))
      return invalidArgument(computation.name() + ": argument " + std::to_string(i) + " (" + shape.parameter_names(i) +
                             ") must be " + ShapeUtil::HumanString(shape.parameters(i)) + ", and is " +
                             ShapeUtil::HumanString(arguments[static_cast<size_t>(i)]));
    *shape.mutable_parameters(i) = arguments[static_cast<size_t>(i)];
  }
  if (options && options->result_shape) {
    if (!ShapeUtil::Compatible(shape.result(), *options->result_shape))
      return invalidArgument(computation.name() + " returns " + ShapeUtil::HumanString(shape.result()) + ", and not " +
                             ShapeUtil::HumanString(*options->result_shape));
    if (Status status = ShapeUtil::Validate(*options->result_shape); !status.ok())
      return status;
    *shape.mutable_result() = *options->result_shape;
  }
  return shape;
}

} // namespace

StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(const Literal &literal) {
  StatusOr<int64> handle = service_->TransferToServer(literal);
  if (!handle.ok())
    return handle.status();
  return dataOf(service_, *handle, literal.shape());
}

StatusOr<std::unique_ptr<Literal>> Client::Transfer(const GlobalData &data, const Layout *layout) {
  if (Status status = checkOwner(data, service_, "the data"); !status.ok())
    return status;
  Shape shape = data.shape();
  if (layout && !ShapeUtil::IsArray(shape))
    return invalidArgument("a layout is for an array, and the data is " + ShapeUtil::HumanString(shape));
  if (layout) {
    if (Status status = LayoutUtil::Validate(*layout, shape); !status.ok())
      return status;
    *shape.mutable_layout() = *layout;
  } else {
    shape = ShapeUtil::WithoutLayout(shape);
  }
  StatusOr<Literal> literal = service_->TransferFromServer(data.handle(), shape);
  if (!literal.ok())
    return literal.status();
  return std::make_unique<Literal>(*std::move(literal));
}

StatusOr<std::unique_ptr<GlobalData>> Client::TransferInProcess(const Shape &shape, const void *data) {
  StatusOr<int64> handle = service_->ShareWithServer(shape, data);
  if (!handle.ok())
    return handle.status();
  return dataOf(service_, *handle, shape);
}

Status Client::TransferInProcess(const GlobalData &data, void *destination) {
  StatusOr<const void *> memory = ViewInProcess(data);
  if (!memory.ok())
    return memory.status();
  std::memcpy(destination, *memory, static_cast<size_t>(ShapeUtil::ByteSizeOf(data.shape())));
  return {};
}

StatusOr<const void *> Client::ViewInProcess(const GlobalData &data) {
  if (Status status = checkOwner(data, service_, "the data"); !status.ok())
    return status;
  return service_->ShareFromServer(data.handle());
}

// Executables are kept by service and layouts, so that a computation that outlives a service's neighbour of the same
// address is compiled anew: services have names that are never used again.
StatusOr<int64> Client::ExecutableFor(const Computation &computation, const ProgramShape &shape) {
  std::string key = std::to_string(service_->id()) + ":" + shape.SerializeAsString();
  auto entry = std::static_pointer_cast<CompiledExecutable>(computation.built()->attachment(
      key, +[]() -> std::shared_ptr<void> { return std::make_shared<CompiledExecutable>(); }));
  std::lock_guard lock(entry->mutex);
  if (entry->service)
    return entry->handle;
  CompileRequest request{computation.name(), computation.built()->bytecode(), shape};
  StatusOr<int64> handle = service_->Compile(request);
  if (!handle.ok())
    return handle.status();
  entry->handle = *handle;
  entry->service = service_;
  return handle;
}

StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const Computation &computation,
                                                      gtl::ArraySlice<GlobalData *> arguments,
                                                      const ExecutionOptions *options, ExecutionProfile *profile) {
  std::vector<Shape> shapes;
  ExecuteRequest request;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i])
      return invalidArgument("argument " + std::to_string(i) + " is null");
    if (Status status = checkOwner(*arguments[i], service_, "argument " + std::to_string(i)); !status.ok())
      return status;
    shapes.push_back(arguments[i]->shape());
    request.arguments.push_back(arguments[i]->handle());
  }
  if (options) {
    request.deadline = deadlineOf(options->timeout);
    request.seed = options->seed;
  }
  StatusOr<ProgramShape> shape = executionShape(computation, shapes, options);
  if (!shape.ok())
    return shape.status();
  StatusOr<int64> executable = ExecutableFor(computation, *shape);
  if (!executable.ok())
    return executable.status();
  request.executable = *executable;
  StatusOr<int64> result = service_->Execute(request, profile);
  if (!result.ok())
    return result.status();
  return dataOf(service_, *result, shape->result());
}

StatusOr<std::unique_ptr<Literal>> Client::ExecuteAndTransfer(const Computation &computation,
                                                              gtl::ArraySlice<GlobalData *> arguments,
                                                              const ExecutionOptions *options,
                                                              ExecutionProfile *profile) {
  auto result = Execute(computation, arguments, options, profile);
  if (!result.ok())
    return result.status();
  StatusOr<Literal> literal = service_->TransferFromServer((*result)->handle(), (*result)->shape());
  if (!literal.ok())
    return literal.status();
  return std::make_unique<Literal>(*std::move(literal));
}

Status Client::Compile(const Computation &computation, gtl::ArraySlice<Shape> argument_shapes,
                       const ExecutionOptions *options) {
  std::vector<Shape> parameters(computation.program_shape().parameters().begin(),
                                computation.program_shape().parameters().end());
  StatusOr<ProgramShape> shape = executionShape(
      computation, argument_shapes.empty() ? gtl::ArraySlice<Shape>(parameters) : argument_shapes, options);
  if (!shape.ok())
    return shape.status();
  return ExecutableFor(computation, *shape).status();
}

StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::DeconstructTuple(const GlobalData &tuple) {
  if (Status status = checkOwner(tuple, service_, "the tuple"); !status.ok())
    return status;
  StatusOr<std::vector<int64>> handles = service_->DeconstructTuple(tuple.handle());
  if (!handles.ok())
    return handles.status();
  std::vector<std::unique_ptr<GlobalData>> elements;
  for (size_t i = 0; i < handles->size(); ++i)
    elements.push_back(dataOf(service_, (*handles)[i], tuple.shape().tuple_shapes(static_cast<int>(i))));
  return elements;
}

Status Client::TransferToInfeed(const Literal &literal, int64 device, std::optional<std::chrono::nanoseconds> timeout) {
  return service_->TransferToInfeed(literal, device, deadlineOf(timeout));
}

StatusOr<std::unique_ptr<Literal>> Client::TransferFromOutfeed(const Shape &shape, int64 device,
                                                               std::optional<std::chrono::nanoseconds> timeout) {
  StatusOr<Literal> literal = service_->TransferFromOutfeed(shape, device, deadlineOf(timeout));
  if (!literal.ok())
    return literal.status();
  return std::make_unique<Literal>(*std::move(literal));
}

// Here rather than with the builder's other methods, since it runs a program.
StatusOr<std::unique_ptr<GlobalData>> ComputationBuilder::ComputeConstant(const Handle &handle,
                                                                          const Layout *output_layout) {
  auto built = internal::buildConstant(*state_, handle);
  if (!built.ok())
    return built.status();
  ExecutionOptions options;
  if (output_layout) {
    options.result_shape = (*built)->shape().result();
    if (!ShapeUtil::IsArray(*options.result_shape))
      return invalidArgument(name_ + ": ComputeConstant: a layout is for an array, and the value is " +
                             ShapeUtil::HumanString(*options.result_shape));
    *options.result_shape->mutable_layout() = *output_layout;
  }
  return client_->Execute(Computation(*std::move(built)), {}, &options);
}

} // namespace xla
