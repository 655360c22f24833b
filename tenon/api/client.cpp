// Clients: they look after handles, and leave the rest to their service.
#include "tenon/client.h"
#include "tenon/computation_builder.h"
#include "tenon/frontend/builder/program.h"

#include <atomic>
#include <cstring>
#include <limits>

namespace tenon::xla_2017 {

using tenon::invalidArgument;

ServiceInterface::ServiceInterface() {
  static std::atomic<uint64> last{0};
  id_ = ++last;
}
ServiceInterface::~ServiceInterface() = default;

StatusOr<int64> ServiceInterface::ShareWithServer(const Shape &, const void *) {
  return tenon::failedPrecondition("memory is shared only with a service in the same process");
}

StatusOr<ExecutableAnalysis> ServiceInterface::Analyze(int64) {
  return tenon::unimplemented("the service does not say what it has compiled");
}

StatusOr<std::vector<int64>> ServiceInterface::ExecuteParallel(const ParallelExecuteRequest &, ExecutionProfile *) {
  return tenon::unimplemented("the service runs one process at a time");
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

// The compiled form of a computation on a service. The computation and each Executable share it.
struct internal::CompiledExecutable {
  ~CompiledExecutable() {
    if (service)
      (void)service->ReleaseExecutable(handle);
  }
  std::mutex mutex; // held while it is compiled
  std::shared_ptr<ServiceInterface> service;
  int64 handle = 0;
};

namespace {

using internal::CompiledExecutable;

std::unique_ptr<GlobalData> dataOf(const std::shared_ptr<ServiceInterface> &service, int64 handle, Shape shape) {
  return std::make_unique<GlobalData>(service, handle, std::move(shape));
}

ServiceInterface::Deadline deadlineOf(const std::optional<std::chrono::nanoseconds> &timeout) {
  auto now = std::chrono::steady_clock::now();
  if (!timeout || *timeout > std::chrono::steady_clock::time_point::max() - now)
    return std::nullopt;
  return now + std::max(*timeout, std::chrono::nanoseconds(0));
}

Status checkOwner(const GlobalData &data, const std::shared_ptr<ServiceInterface> &service, const std::string &what) {
  if (data.service() != service.get())
    return invalidArgument(what + " belongs to another service");
  return {};
}

void dropDefaultLayouts(Shape &shape) {
  for (Shape &element : *shape.mutable_tuple_shapes())
    dropDefaultLayouts(element);
  if (shape.has_layout() && LayoutUtil::IsDefault(shape.layout()))
    shape.clear_layout();
}

// Programs of one computation differ by layouts alone; equal ones have the same bytes: row-major may be said or not.
std::string layoutKey(ProgramShape shape) {
  shape.clear_parameter_names(); // any bytes, which a proto may not have
  for (Shape &parameter : *shape.mutable_parameters())
    dropDefaultLayouts(parameter);
  dropDefaultLayouts(*shape.mutable_result());
  return shape.SerializeAsString();
}

// The part of a request that does not depend on what is executed.
ExecuteRequest requestOf(const ExecutionOptions *options) {
  ExecuteRequest request;
  if (options) {
    request.deadline = deadlineOf(options->timeout);
    request.seed = options->seed;
  }
  return request;
}

// The shapes of the arguments, or an error if one is null or belongs to another service.
StatusOr<std::vector<Shape>> shapesOf(gtl::ArraySlice<GlobalData *> arguments,
                                      const std::shared_ptr<ServiceInterface> &service) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i])
      return invalidArgument("argument " + std::to_string(i) + " is null");
    TENON_RETURN_IF_ERROR(checkOwner(*arguments[i], service, "argument " + std::to_string(i)));
    shapes.push_back(arguments[i]->shape());
  }
  return shapes;
}

// Runs with arguments that have been checked.
StatusOr<std::unique_ptr<GlobalData>> run(const CompiledExecutable &compiled, gtl::ArraySlice<GlobalData *> arguments,
                                          ExecuteRequest request, const Shape &result, ExecutionProfile *profile) {
  request.executable = compiled.handle;
  for (const GlobalData *argument : arguments)
    request.arguments.push_back(argument->handle());
  TENON_ASSIGN_OR_RETURN(int64 data, compiled.service->Execute(request, profile));
  return dataOf(compiled.service, data, result);
}

// Whether arguments are of the parameters' shapes, layouts aside.
Status checkArguments(const std::string &name, const ProgramShape &shape, gtl::ArraySlice<Shape> arguments) {
  if (static_cast<size_t>(shape.parameters_size()) != arguments.size())
    return invalidArgument(name + " has " + std::to_string(shape.parameters_size()) + " parameters, and " +
                           std::to_string(arguments.size()) + " arguments are given");
  for (int i = 0; i < shape.parameters_size(); ++i)
    if (!ShapeUtil::Compatible(shape.parameters(i), arguments[static_cast<size_t>(i)]))
      return invalidArgument(name + ": argument " + std::to_string(i) + " (" + shape.parameter_names(i) + ") must be " +
                             ShapeUtil::HumanString(shape.parameters(i)) + ", and is " +
                             ShapeUtil::HumanString(arguments[static_cast<size_t>(i)]));
  return {};
}

// The parameters' and result's shapes, with the layouts that the execution asks for.
StatusOr<ProgramShape> executionShape(const Computation &computation, gtl::ArraySlice<Shape> arguments,
                                      const ExecutionOptions *options) {
  if (computation.IsNull())
    return invalidArgument("the computation is empty");
  ProgramShape shape = computation.program_shape();
  TENON_RETURN_IF_ERROR(checkArguments(computation.name(), shape, arguments));
  for (int i = 0; i < shape.parameters_size(); ++i)
    *shape.mutable_parameters(i) = arguments[static_cast<size_t>(i)];
  if (options && options->result_shape) {
    if (!ShapeUtil::Compatible(shape.result(), *options->result_shape))
      return invalidArgument(computation.name() + " returns " + ShapeUtil::HumanString(shape.result()) + ", and not " +
                             ShapeUtil::HumanString(*options->result_shape));
    TENON_RETURN_IF_ERROR(ShapeUtil::Validate(*options->result_shape));
    *shape.mutable_result() = *options->result_shape;
  }
  return shape;
}

} // namespace

StatusOr<std::unique_ptr<GlobalData>> Client::TransferToServer(const Literal &literal) {
  TENON_ASSIGN_OR_RETURN(int64 handle, service_->TransferToServer(literal));
  return dataOf(service_, handle, literal.shape());
}

StatusOr<std::unique_ptr<Literal>> Client::Transfer(const GlobalData &data, const Layout *layout) {
  TENON_RETURN_IF_ERROR(checkOwner(data, service_, "the data"));
  Shape shape = data.shape();
  if (layout && !ShapeUtil::IsArray(shape))
    return invalidArgument("a layout is for an array, and the data is " + ShapeUtil::HumanString(shape));
  if (layout) {
    TENON_RETURN_IF_ERROR(LayoutUtil::Validate(*layout, shape));
    *shape.mutable_layout() = *layout;
  } else {
    shape = ShapeUtil::WithoutLayout(shape);
  }
  TENON_ASSIGN_OR_RETURN(Literal literal, service_->TransferFromServer(data.handle(), shape));
  return std::make_unique<Literal>(std::move(literal));
}

StatusOr<std::unique_ptr<GlobalData>> Client::TransferInProcess(const Shape &shape, const void *data) {
  TENON_ASSIGN_OR_RETURN(int64 handle, service_->ShareWithServer(shape, data));
  return dataOf(service_, handle, shape);
}

Status Client::TransferInProcess(const GlobalData &data, void *destination) {
  TENON_ASSIGN_OR_RETURN(const void *memory, ViewInProcess(data));
  std::memcpy(destination, memory, static_cast<size_t>(ShapeUtil::ByteSizeOf(data.shape())));
  return {};
}

StatusOr<const void *> Client::ViewInProcess(const GlobalData &data) {
  TENON_RETURN_IF_ERROR(checkOwner(data, service_, "the data"));
  return service_->ShareFromServer(data.handle());
}

// Executables are kept by service and layouts, so that a computation that outlives a service's neighbour of the same
// address is compiled anew: services have names that are never used again.
StatusOr<std::shared_ptr<const CompiledExecutable>> Client::CompiledFor(const Computation &computation,
                                                                        const ProgramShape &shape, int64 num_replicas,
                                                                        int64 num_partitions) {
  std::string key = std::to_string(service_->id()) + ":" + std::to_string(num_replicas) + ":" +
                    std::to_string(num_partitions) + ":" + layoutKey(shape);
  auto entry = std::static_pointer_cast<CompiledExecutable>(computation.built()->attachment(
      key, +[]() -> std::shared_ptr<void> { return std::make_shared<CompiledExecutable>(); }));
  std::lock_guard lock(entry->mutex);
  if (entry->service)
    return std::shared_ptr<const CompiledExecutable>(entry);
  StatusOr<std::string> program = computation.built()->bytecode();
  if (num_replicas > 1 || num_partitions > 1)
    program = computation.built()->bytecodeFor(num_replicas, num_partitions);
  if (!program.ok())
    return program.status();
  TENON_ASSIGN_OR_RETURN(entry->handle, service_->Compile({computation.name(), *std::move(program), shape}));
  entry->service = service_;
  return std::shared_ptr<const CompiledExecutable>(entry);
}

StatusOr<std::unique_ptr<GlobalData>> Client::Execute(const Computation &computation,
                                                      gtl::ArraySlice<GlobalData *> arguments,
                                                      const ExecutionOptions *options, ExecutionProfile *profile) {
  // The time that compilation takes counts.
  ExecuteRequest request = requestOf(options);
  TENON_ASSIGN_OR_RETURN(std::vector<Shape> shapes, shapesOf(arguments, service_));
  TENON_ASSIGN_OR_RETURN(ProgramShape shape, executionShape(computation, shapes, options));
  TENON_ASSIGN_OR_RETURN(auto compiled, CompiledFor(computation, shape));
  return run(*compiled, arguments, std::move(request), shape.result(), profile);
}

StatusOr<std::vector<std::unique_ptr<GlobalData>>>
Client::ExecuteParallel(int64 num_replicas, int64 num_partitions, gtl::ArraySlice<ComputationInstance> processes,
                        const ExecutionOptions *options, ExecutionProfile *profile) {
  constexpr int64 kMost = std::numeric_limits<int32>::max();
  const int64 parts = service_->process_count(), first = service_->process_index() * int64(processes.size());
  if (num_replicas < 1 || num_partitions < 1 || num_replicas > kMost || num_partitions > kMost ||
      static_cast<int64>(processes.size()) * parts != num_replicas * num_partitions)
    return invalidArgument("a grid of " + std::to_string(num_replicas) + " x " + std::to_string(num_partitions) +
                           " cannot have " + std::to_string(processes.size()) + " processes" +
                           (parts > 1 ? " in each of " + std::to_string(parts) + " OS processes" : ""));
  ExecuteRequest common = requestOf(options);
  ParallelExecuteRequest request{num_replicas, num_partitions, {}, common.deadline, common.seed};
  std::vector<std::shared_ptr<const CompiledExecutable>> compiled; // until they have run
  std::vector<Shape> results;
  for (const ComputationInstance &process : processes) {
    int64 place = first + static_cast<int64>(request.processes.size());
    auto failed = [&](const Status &status) {
      return Status(status.code(), "process (" + std::to_string(place / num_partitions) + ", " +
                                       std::to_string(place % num_partitions) + "): " + status.message());
    };
    if (!process.computation)
      return failed(invalidArgument("there is no computation"));
    StatusOr<std::vector<Shape>> shapes = shapesOf(process.arguments, service_);
    if (!shapes.ok())
      return failed(shapes.status());
    StatusOr<ProgramShape> shape = executionShape(*process.computation, *shapes, options);
    if (!shape.ok())
      return failed(shape.status());
    auto executable = CompiledFor(*process.computation, *shape, num_replicas, num_partitions);
    if (!executable.ok())
      return failed(executable.status());
    ParallelExecuteRequest::Process &entry = request.processes.emplace_back();
    entry.executable = (*executable)->handle;
    for (const GlobalData *argument : process.arguments)
      entry.arguments.push_back(argument->handle());
    compiled.push_back(*std::move(executable));
    results.push_back(shape->result());
  }
  TENON_ASSIGN_OR_RETURN(std::vector<int64> handles, service_->ExecuteParallel(request, profile));
  std::vector<std::unique_ptr<GlobalData>> data;
  for (size_t i = 0; i < results.size(); ++i)
    data.push_back(dataOf(service_, handles[i], results[i]));
  return data;
}

// The result as a literal, in the layout that it has.
static StatusOr<std::unique_ptr<Literal>> transferred(ServiceInterface &service,
                                                      const StatusOr<std::unique_ptr<GlobalData>> &data) {
  if (!data.ok())
    return data.status();
  TENON_ASSIGN_OR_RETURN(Literal literal, service.TransferFromServer((*data)->handle(), (*data)->shape()));
  return std::make_unique<Literal>(std::move(literal));
}

StatusOr<std::unique_ptr<Literal>> Client::ExecuteAndTransfer(const Computation &computation,
                                                              gtl::ArraySlice<GlobalData *> arguments,
                                                              const ExecutionOptions *options,
                                                              ExecutionProfile *profile) {
  return transferred(*service_, Execute(computation, arguments, options, profile));
}

StatusOr<std::unique_ptr<Executable>> Client::Compile(const Computation &computation,
                                                      gtl::ArraySlice<Shape> argument_shapes,
                                                      const ExecutionOptions *options) {
  for (const Shape &argument : argument_shapes)
    TENON_RETURN_IF_ERROR(ShapeUtil::Validate(argument));
  std::vector<Shape> parameters;
  for (const Shape &parameter : computation.program_shape().parameters())
    parameters.push_back(ShapeUtil::WithoutLayout(parameter));
  TENON_ASSIGN_OR_RETURN(ProgramShape shape,
                         executionShape(computation,
                                        argument_shapes.empty() ? gtl::ArraySlice<Shape>(parameters) : argument_shapes,
                                        options));
  TENON_ASSIGN_OR_RETURN(auto compiled, CompiledFor(computation, shape));
  return std::unique_ptr<Executable>(new Executable(std::move(compiled), computation.name(), std::move(shape)));
}

Executable::Executable(std::shared_ptr<const internal::CompiledExecutable> compiled, std::string name,
                       ProgramShape shape)
    : compiled_(std::move(compiled)), name_(std::move(name)), shape_(std::move(shape)) {}
Executable::~Executable() = default;

StatusOr<std::unique_ptr<GlobalData>> Executable::Execute(gtl::ArraySlice<GlobalData *> arguments,
                                                          const ExecutionOptions *options,
                                                          ExecutionProfile *profile) const {
  TENON_ASSIGN_OR_RETURN(std::vector<Shape> shapes, shapesOf(arguments, compiled_->service));
  TENON_RETURN_IF_ERROR(checkArguments(name_, shape_, shapes));
  if (options && options->result_shape && !ShapeUtil::Equal(*options->result_shape, shape_.result()))
    return invalidArgument(name_ + " was compiled to return " + ShapeUtil::HumanStringWithLayout(shape_.result()) +
                           ", and not " + ShapeUtil::HumanStringWithLayout(*options->result_shape));
  return run(*compiled_, arguments, requestOf(options), shape_.result(), profile);
}

StatusOr<std::unique_ptr<Literal>> Executable::ExecuteAndTransfer(gtl::ArraySlice<GlobalData *> arguments,
                                                                  const ExecutionOptions *options,
                                                                  ExecutionProfile *profile) const {
  return transferred(*compiled_->service, Execute(arguments, options, profile));
}

StatusOr<ExecutableAnalysis> Executable::Analyze() const { return compiled_->service->Analyze(compiled_->handle); }

StatusOr<std::vector<std::unique_ptr<GlobalData>>> Client::DeconstructTuple(const GlobalData &tuple) {
  TENON_RETURN_IF_ERROR(checkOwner(tuple, service_, "the tuple"));
  TENON_ASSIGN_OR_RETURN(std::vector<int64> handles, service_->DeconstructTuple(tuple.handle()));
  std::vector<std::unique_ptr<GlobalData>> elements;
  for (size_t i = 0; i < handles.size(); ++i)
    elements.push_back(dataOf(service_, handles[i], tuple.shape().tuple_shapes(static_cast<int>(i))));
  return elements;
}

Status Client::TransferToInfeed(const Literal &literal, int64 device, std::optional<std::chrono::nanoseconds> timeout) {
  return service_->TransferToInfeed(literal, device, deadlineOf(timeout));
}

StatusOr<std::unique_ptr<Literal>> Client::TransferFromOutfeed(const Shape &shape, int64 device,
                                                               std::optional<std::chrono::nanoseconds> timeout) {
  TENON_ASSIGN_OR_RETURN(Literal literal, service_->TransferFromOutfeed(shape, device, deadlineOf(timeout)));
  return std::make_unique<Literal>(std::move(literal));
}

// Here rather than with the builder's other methods, since it runs a program.
StatusOr<std::unique_ptr<GlobalData>> ComputationBuilder::ComputeConstant(const Handle &handle,
                                                                          const Layout *output_layout) {
  TENON_ASSIGN_OR_RETURN(auto built, internal::buildConstant(*state_, handle));
  ExecutionOptions options;
  if (output_layout) {
    options.result_shape = built->shape().result();
    if (!ShapeUtil::IsArray(*options.result_shape))
      return invalidArgument(name_ + ": ComputeConstant: a layout is for an array, and the value is " +
                             ShapeUtil::HumanString(*options.result_shape));
    *options.result_shape->mutable_layout() = *output_layout;
  }
  return client_->Execute(Computation(std::move(built)), {}, &options);
}

} // namespace tenon::xla_2017
