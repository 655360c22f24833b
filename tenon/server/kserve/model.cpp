#include "tenon/server/kserve/model.h"

#include "tenon/compiler/compiler.h"
#include "tenon/compiler/open_results.h"
#include "tenon/runtime/core/transfer.h"

#include <algorithm>
#include <set>

namespace tenon::kserve {
namespace {

// The names that the operator gives, or the program, as far as each is there and differs from the others.
Status giveNames(std::vector<TensorInfo> &tensors, const std::vector<std::string> &given, const std::string &what) {
  if (!given.empty() && given.size() != tensors.size())
    return invalidArgument("config.json names " + std::to_string(given.size()) + " " + what +
                           "s, and the program has " + std::to_string(tensors.size()));
  std::set<std::string> taken;
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string number = what + "_" + std::to_string(i);
    std::string &name = tensors[i].name;
    name = given.empty() ? name : given[i];
    if (name.empty() || taken.contains(name))
      name = number;
    if (!taken.insert(name).second)
      return invalidArgument("two " + what + "s have the name '" + name + "': config.json may name them");
  }
  return {};
}

TensorInfo infoOf(const compiler::OpenArgument &described) {
  return {described.name, described.elementType, {described.dims.begin(), described.dims.end()}};
}

Status checkType(const TensorInfo &tensor, const compiler::OpenArgument &described, const std::string &what) {
  if (!datatypeOf(tensor.type).empty())
    return {};
  return unimplemented(what + " '" + tensor.name + "' is of type " + described.type +
                       ", which the protocol has no datatype for");
}

bool isStatic(const std::vector<int64_t> &dims) { return std::ranges::find(dims, -1) == dims.end(); }

bool fits(const std::vector<int64_t> &dims, const std::vector<int64_t> &given) {
  return std::ranges::equal(dims, given, [](int64_t size, int64_t is) { return size < 0 || size == is; });
}

} // namespace

StatusOr<std::shared_ptr<Model>> Model::load(backend::Backend &backend, const std::string &name, int64_t version,
                                             std::string program, const ModelConfig &config,
                                             const ModelLimits &limits) {
  std::shared_ptr<Model> model(new Model(name, version, config, limits));
  bool isOpen = false;
  TENON_RETURN_IF_ERROR(model->describeProgram(program, isOpen));
  if (model->isBatched())
    TENON_RETURN_IF_ERROR(model->checkBatchDimensions());
  // Those of batches that are compiled ahead stay.
  size_t most = static_cast<size_t>(config.maxShapes) * std::max<size_t>(config.batchSizes.size(), 1);
  model->programs_ = std::make_unique<Programs>(
      backend, std::move(program), name, isOpen, most,
      [model = model.get()](const program::Program &compiled, const Programs::Shapes &shapes) {
        return model->checkProgram(compiled, shapes);
      });
  TENON_RETURN_IF_ERROR(model->compileAhead());
  model->scheduler_ = std::make_unique<Scheduler>(
      config, [model = model.get()](Scheduler::Batch batch) { model->runBatch(std::move(batch)); });
  return model;
}

void Model::stop() {
  stop_.request_stop();
  if (scheduler_)
    scheduler_->end();
}

Status Model::describeProgram(const std::string &program, bool &isOpen) {
  compiler::CompileOptions options;
  options.fileName = name_;
  TENON_ASSIGN_OR_RETURN(auto described, compiler::describeOpenProgram(program, options));
  TENON_ASSIGN_OR_RETURN(auto results, compiler::describeResults(program, options));
  for (const auto &argument : described.arguments)
    inputs_.push_back(infoOf(argument));
  for (const auto &result : results)
    outputs_.push_back(infoOf(result));
  TENON_RETURN_IF_ERROR(giveNames(inputs_, config_.inputs, "input"));
  TENON_RETURN_IF_ERROR(giveNames(outputs_, config_.outputs, "output"));
  for (size_t i = 0; i < inputs_.size(); ++i) {
    TENON_RETURN_IF_ERROR(checkType(inputs_[i], described.arguments[i], "input"));
    if (described.arguments[i].decidesSizes)
      return unimplemented("the elements of input '" + inputs_[i].name + "' decide sizes of the program");
  }
  for (size_t i = 0; i < outputs_.size(); ++i)
    TENON_RETURN_IF_ERROR(checkType(outputs_[i], results[i], "output"));
  isOpen = described.isOpen;
  return {};
}

Status Model::checkBatchDimensions() const {
  if (inputs_.empty())
    return invalidArgument("a program without inputs has no batches: its max_batch_size must be 0");
  for (const auto *list : {&inputs_, &outputs_})
    for (const TensorInfo &tensor : *list) {
      if (tensor.dims.empty())
        return invalidArgument("'" + tensor.name + "' is a scalar, and has no dimension for a batch");
      int64_t size = tensor.dims.front();
      if (size >= 0 && config_.batchSizes != std::vector<int64_t>{size})
        return invalidArgument("the first size of '" + tensor.name + "' is " + std::to_string(size) +
                               ": the program has batches of this size alone, and max_batch_size must be the same, "
                               "without preferred sizes");
    }
  return {};
}

Status Model::checkProgram(const program::Program &program, const Programs::Shapes &shapes) const {
  if (program.numReplicas != 1 || program.numPartitions != 1)
    return unimplemented("the program is for several devices");
  for (const program::RuntimeCall &call : program.runtimeCalls)
    if (runtime::isTransfer(call))
      return unimplemented("the program has the operation " + call.target + ", for which a request has no other end");
  if (program.arguments.size() != inputs_.size() || program.results.size() != outputs_.size())
    return internalError("the compiled program has other arguments or results than its source");
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (program.arguments[i].shape.dims != shapes[i])
      return internalError("the program was compiled for other shapes of '" + inputs_[i].name + "'");
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const program::Result &result = program.results[i];
    if (!result.sizeResults.empty())
      return unimplemented("the size of output '" + outputs_[i].name + "' depends on the inputs' elements");
    if (isBatched() && (result.shape.dims.empty() || result.shape.dims.front() != shapes.front().front()))
      return invalidArgument("output '" + outputs_[i].name + "' is " + describe(result.shape.type, result.shape.dims) +
                             " in a batch of " + std::to_string(shapes.front().front()) +
                             ": its first size must be that of the batch");
  }
  return {};
}

Status Model::compileAhead() {
  Programs::Shapes shapes;
  for (const TensorInfo &input : inputs_)
    shapes.push_back(input.dims);
  std::vector<int64_t> sizes = isBatched() ? config_.batchSizes : std::vector<int64_t>{0};
  for (int64_t size : sizes) {
    for (auto &dims : shapes)
      if (isBatched())
        dims.front() = size;
    if (std::ranges::all_of(shapes, isStatic))
      TENON_RETURN_IF_ERROR(programs_->get(shapes).status());
  }
  if (isBatched())
    for (auto *list : {&inputs_, &outputs_})
      for (TensorInfo &tensor : *list)
        tensor.dims.front() = -1; // as requests see it
  return {};
}

// --- Requests ---

Status Model::checkInput(const TensorInfo &info, const Tensor &tensor, int64_t &rows) const {
  const program::Shape &shape = tensor.shape;
  if (shape.type != info.type || !fits(info.dims, shape.dims))
    return invalidArgument("input '" + info.name + "' must be " + describe(info.type, info.dims) + ", and is " +
                           describe(shape.type, shape.dims));
  TENON_RETURN_IF_ERROR(checkTensor(tensor));
  if (!isBatched())
    return {};
  int64_t size = shape.dims.front();
  if (size < 1 || size > config_.maxBatchSize)
    return invalidArgument("input '" + info.name + "' has " + std::to_string(size) +
                           " rows, and a request may have 1 to " + std::to_string(config_.maxBatchSize));
  if (rows != 0 && rows != size)
    return invalidArgument("input '" + info.name + "' has " + std::to_string(size) + " rows, and the input before it " +
                           std::to_string(rows));
  rows = size;
  return {};
}

StatusOr<std::shared_ptr<Job>> Model::makeJob(InferRequest &request) const {
  auto job = std::make_shared<Job>();
  int64_t rows = 0;
  for (const TensorInfo &info : inputs_) {
    auto found = std::ranges::find(request.inputs, info.name, &Tensor::name);
    if (found == request.inputs.end())
      return invalidArgument("the request has no input '" + info.name + "', which must be " +
                             describe(info.type, info.dims));
    TENON_RETURN_IF_ERROR(checkInput(info, *found, rows));
    job->shapes.push_back(found->shape.dims);
    if (isBatched())
      job->shapes.back().front() = 0; // which a batch need not have in common
    job->inputs.push_back(std::move(*found));
    request.inputs.erase(found);
  }
  if (!request.inputs.empty())
    return invalidArgument("the model has no input '" + request.inputs.front().name.substr(0, 80) +
                           "', or the request has it twice");
  job->rows = std::max<int64_t>(rows, 1);
  if (request.deadline)
    job->deadline = *request.deadline;
  if (limits_.deadline.count() > 0)
    job->deadline = std::min(job->deadline, Job::Clock::now() + limits_.deadline);
  return job;
}

StatusOr<std::vector<size_t>> Model::chosenOutputs(const InferRequest &request) const {
  std::vector<size_t> chosen;
  for (const RequestedOutput &output : request.outputs) {
    auto found = std::ranges::find(outputs_, output.name, &TensorInfo::name);
    if (found == outputs_.end())
      return invalidArgument("the model has no output '" + output.name.substr(0, 80) + "'");
    auto index = static_cast<size_t>(found - outputs_.begin());
    if (std::ranges::find(chosen, index) != chosen.end())
      return invalidArgument("the request has output '" + output.name + "' twice");
    chosen.push_back(index);
  }
  for (size_t i = 0; request.outputs.empty() && i < outputs_.size(); ++i)
    chosen.push_back(i);
  return chosen;
}

StatusOr<std::vector<Tensor>> Model::await(const std::shared_ptr<Job> &job) {
  auto results = job->results.get_future();
  TENON_RETURN_IF_ERROR(scheduler_->add(job));
  if (job->deadline != Job::Clock::time_point::max() && results.wait_until(job->deadline) != std::future_status::ready)
    return Status(StatusCode::kDeadlineExceeded, "the model has not answered in the request's time");
  return results.get();
}

StatusOr<InferResponse> Model::infer(InferRequest &request) {
  auto start = Job::Clock::now();
  auto answer = [&]() -> StatusOr<InferResponse> {
    TENON_ASSIGN_OR_RETURN(auto chosen, chosenOutputs(request));
    TENON_ASSIGN_OR_RETURN(auto job, makeJob(request));
    TENON_ASSIGN_OR_RETURN(auto results, await(job));
    InferResponse response{name_, std::to_string(version_), request.id, {}};
    for (size_t index : chosen)
      response.outputs.push_back(std::move(results[index]));
    return response;
  }();
  statistics_.countRequest(answer.ok(), Job::Clock::now() - start);
  return answer;
}

} // namespace tenon::kserve
