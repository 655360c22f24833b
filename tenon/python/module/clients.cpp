// Clients, computations, and the data that services hold.
#include "tenon/python/module/clients.h"
#include "tenon/aot.h"
#include "tenon/dynamic_computation.h"
#include "tenon/python/module/memory.h"
#include "tenon/remote.h"

#include <algorithm>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tenon::python {

using nb::literals::operator""_a;
using xla::Computation;
using xla::DynamicComputation;
using xla::GlobalData;
using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;
using Timeout = std::optional<double>;

ClientObject localClient(const std::optional<std::string> &platform) {
  xla::Client *client =
      check(unlocked([&] { return xla::ClientLibrary::GetOrCreateLocalClient(platform.value_or("")); }));
  // It lives as long as the process.
  return {std::shared_ptr<xla::Client>(client, [](xla::Client *) {}), true};
}

namespace {

std::optional<std::chrono::nanoseconds> nanoseconds(Timeout seconds) {
  if (!seconds)
    return std::nullopt;
  if (!(*seconds >= 0))
    throw StatusError(invalidArgument("a timeout of " + std::to_string(*seconds) + " seconds"));
  // A century is as good as for ever, and is no time that a clock could not reach.
  return *seconds > 2e9 ? std::nullopt : std::optional(std::chrono::nanoseconds(static_cast<int64_t>(*seconds * 1e9)));
}

xla::ExecutionOptions optionsOf(const std::optional<ShapeLike> &resultShape, Timeout timeout,
                                std::optional<uint64_t> seed = std::nullopt) {
  xla::ExecutionOptions options;
  options.seed = seed;
  if (resultShape)
    options.result_shape = shapeOf(*resultShape);
  options.timeout = nanoseconds(timeout);
  return options;
}

std::vector<DataObject> deconstructTuple(const ClientObject &self, const DataObject &tuple);

//===- Data ---------------------------------------------------------------------------------------------------===//

void checkArray(const Shape &shape) {
  if (!ShapeUtil::IsArray(shape))
    throw StatusError(invalidArgument("the data is " + ShapeUtil::HumanString(shape) + ", and not an array"));
}

nb::object memoryOf(nb::pointer_and_handle<DataObject> self, bool writable) {
  checkArray(self.p->shape());
  void *memory = const_cast<void *>(check(self.p->client().ViewInProcess(self.p->data())));
  return bytesOf(memory, ShapeUtil::ByteSizeOf(self.p->shape()), self.h, writable);
}

nb::object dlpack(nb::pointer_and_handle<DataObject> self, const nb::kwargs &arguments) {
  checkArray(self.p->shape());
  return dlpackOf(self.p->shape(), check(self.p->client().ViewInProcess(self.p->data())), self.h, arguments);
}

void addData(nb::module_ &module) {
  nb::class_<DataObject> data(module, "Data",
                              "Data that a service holds: an array or a tuple. Usable by any number of executions.");
  data.def_prop_ro("shape", [](const DataObject &self) { return self.shape(); })
      .def_prop_ro(
          "compute_time", [](const DataObject &self) { return self.computeTime; },
          "Seconds that the execution took which made it, from the moment the service had all arguments.")
      .def_prop_ro(
          "in_process", [](const DataObject &self) { return self.inProcess(); }, "Whether its memory is this process'.")
      .def(
          "literal",
          [](const DataObject &self) {
            return std::move(*check(unlocked([&] { return self.client().Transfer(self.data()); })));
          },
          "A copy, row-major.")
      .def(
          "elements", [](const DataObject &self) { return deconstructTuple(self.clientObject(), self); },
          "Of a tuple; they live on without it.")
      .def("__repr__", [](const DataObject &self) { return "Data(" + ShapeUtil::HumanString(self.shape()) + ")"; });
  addArrayInterface(data, memoryOf, dlpack,
                    "A NumPy array that looks at the data's memory, and can only be read; a copy where the service is "
                    "in another process. Of a tuple a tuple.");
}

//===- Computations -------------------------------------------------------------------------------------------===//

// A program and what errors call it: whatever tenon/_programs.py makes text or bytes of.
struct NamedProgram {
  std::string text, file;
};

NamedProgram programOf(const nb::object &program, const std::optional<std::string> &fileName) {
  nb::object source = nb::module_::import_("tenon._programs").attr("source")(program);
  nb::object name = fileName ? nb::cast(*fileName) : nb::module_::import_("tenon._programs").attr("name")(program);
  // Copied: it is read without Python's lock.
  if (!nb::isinstance<nb::bytes>(source))
    return {utf8Of(source), utf8Of(name)};
  auto bytes = nb::borrow<nb::bytes>(source);
  return {{bytes.c_str(), bytes.size()}, utf8Of(name)};
}

Computation fromStableHlo(const nb::object &program, const std::optional<std::string> &fileName,
                          const std::optional<std::string> &entry) {
  NamedProgram named = programOf(program, fileName);
  return *check(unlocked([&] { return Computation::FromStableHlo(named.text, named.file, entry.value_or("")); }));
}

// Python's from then on.
DynamicComputation *dynamicFromStableHlo(const nb::object &program, const std::optional<std::string> &fileName,
                                         const std::optional<std::string> &entry) {
  NamedProgram named = programOf(program, fileName);
  return check(unlocked([&] { return DynamicComputation::FromStableHlo(named.text, named.file, entry.value_or("")); }))
      .release();
}

std::vector<Shape> shapesOf(const std::optional<std::vector<ShapeLike>> &given) {
  std::vector<Shape> shapes;
  if (given)
    for (const ShapeLike &shape : *given)
      shapes.push_back(shapeOf(shape));
  return shapes;
}

Computation specialize(DynamicComputation &self, const std::vector<ShapeLike> &arguments,
                       const std::vector<std::pair<int64_t, std::vector<int64_t>>> &known) {
  std::vector<Shape> shapes = shapesOf(arguments);
  std::vector<xla::KnownArgument> values;
  for (const auto &[parameter, elements] : known)
    values.push_back({parameter, {elements.begin(), elements.end()}});
  return *check(unlocked([&] { return self.Specialize(shapes, values); }));
}

void addAheadOfTime(nb::module_ &module) {
  using Result = xla::AotCompilationResult;
  nb::class_<Result>(module, "AotCompilationResult", "A computation as an object file and a C header.")
      .def_ro("name", &Result::name)
      .def("__repr__", [](const Result &self) { return "<AotCompilationResult '" + self.name + "'>"; })
      .def_prop_ro("object", [](const Result &self) { return nb::bytes(self.object.data(), self.object.size()); })
      .def_ro("header", &Result::header)
      .def_prop_ro("weights", [](const Result &self) { return nb::bytes(self.weights.data(), self.weights.size()); })
      .def_ro("undefined_symbols", &Result::undefined_symbols)
      .def_ro("lapack_routines", &Result::lapack_routines)
      .def(
          "write_to", [](const Result &self, const std::string &folder) { check(self.WriteTo(folder)); }, "folder"_a,
          "Writes NAME.o, NAME.h and, unless empty, NAME.weights.");
  module.def(
      "compile_ahead_of_time",
      [](const Computation &computation, const std::string &name, const std::string &triple, const std::string &cpu,
         bool externalWeights, const std::optional<std::vector<ShapeLike>> &argumentShapes,
         const std::optional<ShapeLike> &resultShape, int compileThreads) {
        xla::AotCompilationOptions options;
        options.name = name;
        options.triple = triple;
        options.cpu = cpu;
        options.argument_shapes = shapesOf(argumentShapes);
        if (resultShape)
          options.result_shape = shapeOf(*resultShape);
        if (externalWeights)
          options.weights = xla::AotCompilationOptions::Weights::kExternal;
        options.compile_threads = compileThreads;
        return check(unlocked([&] { return xla::CompileAheadOfTime(computation, options); }));
      },
      "computation"_a, nb::kw_only(), "name"_a = "", "triple"_a = "", "cpu"_a = "", "external_weights"_a = false,
      "argument_shapes"_a = nb::none(), "result_shape"_a = nb::none(), "compile_threads"_a = 0,
      "An object file and a C header, which an application links without Tenon. `triple` and `cpu` are as LLVM names "
      "them; empty: those of this machine. The shapes say by their layouts how arrays lie in the application's memory; "
      "without them that is as the parameters' shapes say, and row-major for the result.");
}

void addDynamicComputations(nb::module_ &module) {
  using xla::DynamicParameter;
  nb::class_<DynamicParameter>(module, "DynamicParameter", "A parameter of a program; an open dimension is -1.")
      .def_ro("name", &DynamicParameter::name)
      .def_ro("element_type", &DynamicParameter::element_type)
      .def_ro("dimensions", &DynamicParameter::dimensions)
      .def_ro("decides_sizes", &DynamicParameter::decides_sizes, "Sizes of the program follow from its elements.");
  nb::class_<DynamicComputation>(module, "DynamicComputation",
                                 "A StableHLO program whose sizes are open: a Computation for each set of sizes.")
      .def_static("from_stablehlo", dynamicFromStableHlo, "program"_a.none(), "file_name"_a = nb::none(),
                  "entry"_a = nb::none(), nb::rv_policy::take_ownership,
                  nb::sig("def from_stablehlo(program: typing.Any, file_name: str | None = None, "
                          "entry: str | None = None) -> DynamicComputation"),
                  "As Computation.from_stablehlo. The arrays inside tuples and futures are parameters of their own.")
      .def_prop_ro("is_open", &DynamicComputation::is_open, "Whether a Computation would not do.")
      .def_prop_ro("parameters", &DynamicComputation::parameters)
      .def("specialize", specialize, "arguments"_a, "known"_a = nb::list(),
           "The computation for arguments of these shapes, and of these elements: pairs of a parameter's number and "
           "a list.");
}

void addComputations(nb::module_ &module) {
  nb::class_<Computation>(module, "Computation",
                          "A program: built by a ComputationBuilder, or read from StableHLO. Immutable.")
      .def_static(
          "from_stablehlo", fromStableHlo, "program"_a.none(), "file_name"_a = nb::none(), "entry"_a = nb::none(),
          nb::sig("def from_stablehlo(program: typing.Any, file_name: str | None = None, "
                  "entry: str | None = None) -> Computation"),
          "A StableHLO program in any form that tenon.compile takes, or its function `entry`. Several results are "
          "a tuple.")
      .def_prop_ro("name", [](const Computation &self) { return self.name(); })
      .def_prop_ro("parameter_shapes",
                   [](const Computation &self) {
                     const auto &shapes = self.program_shape().parameters();
                     return std::vector<Shape>(shapes.begin(), shapes.end());
                   })
      .def_prop_ro("parameter_names",
                   [](const Computation &self) {
                     const auto &names = self.program_shape().parameter_names();
                     return std::vector<std::string>(names.begin(), names.end());
                   })
      .def_prop_ro("result_shape", [](const Computation &self) { return self.program_shape().result(); })
      .def_prop_ro("is_null", &Computation::IsNull, "Whether it is what build_and_note_error returns after an error.")
      .def("to_text", &Computation::ToStableHloText, "As StableHLO in MLIR's textual form.")
      .def(
          "to_portable_artifact",
          [](const Computation &self, const std::string &version) {
            if (self.IsNull())
              throw StatusError(invalidArgument("the computation is empty"));
            std::string artifact = check(self.ToPortableArtifact(version));
            return nb::bytes(artifact.data(), artifact.size());
          },
          "version"_a = "", "Of a version of StableHLO (\"1.9.0\"); empty: the newest known.")
      .def("__repr__", [](const Computation &self) { return "<Computation '" + self.name() + "'>"; });
}

//===- Clients ------------------------------------------------------------------------------------------------===//

ClientObject connect(const std::string &address, bool tls, const std::string &caCertificates,
                     const std::string &certificate, const std::string &privateKey, const std::string &serverName,
                     const std::string &token, Timeout connectTimeout, Timeout keepalive) {
  xla::RemoteOptions options;
  options.tls = tls;
  options.ca_certificates = caCertificates;
  options.certificate = certificate;
  options.private_key = privateKey;
  options.server_name = serverName;
  options.token = token;
  if (auto time = nanoseconds(connectTimeout))
    options.connect_timeout = *time;
  if (auto time = nanoseconds(keepalive))
    options.keepalive = *time;
  return {check(unlocked([&] { return xla::ConnectRemote(address, options); })), false};
}

DataObject transferToServer(const ClientObject &self, const LiteralLike &value) {
  nb::object literal = literalObject(value);
  return {check(unlocked([&] { return self.client->TransferToServer(literalIn(literal)); })), self};
}

DataObject transferInProcess(const ClientObject &self, const LiteralLike &value) {
  nb::object object = literalObject(value);
  const Literal &literal = literalIn(object);
  checkArray(literal.shape());
  return {check(self.client->TransferInProcess(literal.shape(), literal.untyped_data())), self, object};
}

// For tenon/_compile.py: None where the array cannot be shared as it is.
std::optional<DataObject> shareNumpy(const ClientObject &self, nb::object array, const Shape &shape) {
  const void *address = addressIfUsable(array, shape);
  if (!address)
    return std::nullopt;
  return DataObject(check(self.client->TransferInProcess(shape, address)), self, std::move(array));
}

Literal transfer(const ClientObject &self, const DataObject &data,
                 const std::optional<std::vector<int64_t>> &minorToMajor) {
  xla::Layout layout = xla::LayoutUtil::MakeLayout(minorToMajor.value_or(std::vector<int64_t>()));
  return std::move(
      *check(unlocked([&] { return self.client->Transfer(data.data(), minorToMajor ? &layout : nullptr); })));
}

std::vector<GlobalData *> pointersTo(const std::vector<DataObject *> &arguments) {
  std::vector<GlobalData *> data;
  for (DataObject *argument : arguments)
    data.push_back(argument ? &argument->data() : nullptr);
  return data;
}

// Calls `run` with options and a profile, without Python's lock.
template <typename Run> DataObject dataOf(const ClientObject &client, const xla::ExecutionOptions &options, Run &&run) {
  xla::ExecutionProfile profile;
  auto result = check(unlocked([&] { return run(&options, &profile); }));
  return {std::move(result), client, {}, std::chrono::duration<double>(profile.compute_time).count()};
}

DataObject execute(const ClientObject &self, const Computation &computation, const std::vector<DataObject *> &arguments,
                   const std::optional<ShapeLike> &resultShape, Timeout timeout, std::optional<uint64_t> seed) {
  auto data = pointersTo(arguments);
  return dataOf(self, optionsOf(resultShape, timeout, seed), [&](auto *options, auto *profile) {
    return self.client->Execute(computation, data, options, profile);
  });
}

Literal executeAndTransfer(const ClientObject &self, const Computation &computation,
                           const std::vector<DataObject *> &arguments, const std::optional<ShapeLike> &resultShape,
                           Timeout timeout, std::optional<uint64_t> seed) {
  auto data = pointersTo(arguments);
  xla::ExecutionOptions options = optionsOf(resultShape, timeout, seed);
  return std::move(*check(unlocked([&] { return self.client->ExecuteAndTransfer(computation, data, &options); })));
}

std::vector<DataObject> executeParallel(const ClientObject &self, int64_t numReplicas, int64_t numPartitions,
                                        const std::vector<std::pair<Computation, std::vector<DataObject *>>> &processes,
                                        Timeout timeout, std::optional<uint64_t> seed) {
  std::vector<xla::ComputationInstance> instances;
  for (const auto &[computation, arguments] : processes)
    instances.push_back({&computation, pointersTo(arguments)});
  xla::ExecutionOptions options = optionsOf(std::nullopt, timeout, seed);
  xla::ExecutionProfile profile;
  auto results = check(unlocked(
      [&] { return self.client->ExecuteParallel(numReplicas, numPartitions, instances, &options, &profile); }));
  std::vector<DataObject> objects;
  for (std::unique_ptr<GlobalData> &result : results)
    objects.push_back({std::move(result), self, {}, std::chrono::duration<double>(profile.compute_time).count()});
  return objects;
}

ExecutableObject compile(const ClientObject &self, const Computation &computation,
                         const std::optional<std::vector<ShapeLike>> &argumentShapes,
                         const std::optional<ShapeLike> &resultShape) {
  std::vector<Shape> shapes = shapesOf(argumentShapes);
  xla::ExecutionOptions options = optionsOf(resultShape, std::nullopt);
  return {check(unlocked([&] { return self.client->Compile(computation, shapes, &options); })), self};
}

std::vector<DataObject> deconstructTuple(const ClientObject &self, const DataObject &tuple) {
  auto elements = check(unlocked([&] { return self.client->DeconstructTuple(tuple.data()); }));
  std::vector<DataObject> result;
  for (std::unique_ptr<GlobalData> &element : elements)
    result.emplace_back(std::move(element), self);
  return result;
}

void transferToInfeed(const ClientObject &self, const LiteralLike &value, int64_t device, Timeout timeout) {
  nb::object literal = literalObject(value);
  auto time = nanoseconds(timeout);
  check(unlocked([&] { return self.client->TransferToInfeed(literalIn(literal), device, time); }));
}

Literal transferFromOutfeed(const ClientObject &self, const ShapeLike &like, int64_t device, Timeout timeout) {
  Shape shape = shapeOf(like);
  auto time = nanoseconds(timeout);
  return std::move(*check(unlocked([&] { return self.client->TransferFromOutfeed(shape, device, time); })));
}

//===- Executables --------------------------------------------------------------------------------------------===//

nb::list kernelsOf(const xla::ExecutableAnalysis &analysis) {
  nb::list kernels;
  for (const auto &kernel : analysis.kernels()) {
    nb::dict entry;
    entry["name"] = textOf(kernel.name());
    entry["kind"] = textOf(kernel.kind());
    entry["ops"] = textOf(kernel.ops());
    entry["location"] = textOf(kernel.location());
    entry["calls"] = kernel.calls();
    entry["flops"] = kernel.flops();
    entry["bytes_accessed"] = kernel.bytes_accessed();
    kernels.append(entry);
  }
  return kernels;
}

nb::list stepsOf(const xla::ExecutableAnalysis &analysis) {
  nb::list steps;
  for (const auto &step : analysis.steps()) {
    nb::dict entry;
    entry["name"] = textOf(step.name());
    entry["op"] = textOf(step.op());
    entry["location"] = textOf(step.location());
    entry["depth"] = step.depth();
    entry["live_bytes"] = step.live_bytes();
    steps.append(entry);
  }
  return steps;
}

nb::dict bufferOf(const xla::ExecutableAnalysis::Buffer &buffer) {
  static constexpr const char *kKinds[] = {"temporary", "workspace", "argument", "result", "constant"};
  nb::dict entry;
  entry["kind"] = kKinds[std::clamp(static_cast<int>(buffer.kind()), 0, 4)];
  entry["name"] = textOf(buffer.name());
  entry["index"] = buffer.index();
  entry["size"] = buffer.size();
  entry["offset"] = buffer.has_offset() ? nb::cast(buffer.offset()) : nb::none();
  nb::list lifetimes, values;
  for (const auto &lifetime : buffer.lifetimes())
    lifetimes.append(nb::make_tuple(lifetime.first_step(), lifetime.last_step()));
  for (const auto &value : buffer.values()) {
    nb::dict about;
    about["op"] = textOf(value.op());
    about["type"] = textOf(value.type());
    about["location"] = textOf(value.location());
    about["note"] = textOf(value.note());
    values.append(about);
  }
  entry["lifetimes"] = lifetimes;
  entry["values"] = values;
  entry["alive_at_peak"] = buffer.alive_at_peak();
  return entry;
}

nb::dict analyze(const ExecutableObject &self) {
  auto analysis = check(unlocked([&] { return self.executable->Analyze(); }));
  nb::dict result;
  result["argument_bytes"] = analysis.argument_bytes();
  result["result_bytes"] = analysis.result_bytes();
  result["constant_bytes"] = analysis.constant_bytes();
  result["code_bytes"] = analysis.code_bytes();
  result["arena_bytes"] = analysis.arena_bytes();
  result["peak_bytes"] = analysis.peak_bytes();
  result["scratch_bytes"] = analysis.scratch_bytes();
  result["flops"] = analysis.flops();
  result["bytes_accessed"] = analysis.bytes_accessed();
  result["transcendentals"] = analysis.transcendentals();
  result["kernels"] = kernelsOf(analysis);
  result["steps"] = stepsOf(analysis);
  nb::list buffers;
  for (const auto &buffer : analysis.buffers())
    buffers.append(bufferOf(buffer));
  result["buffers"] = buffers;
  return result;
}

void addExecutables(nb::module_ &module) {
  nb::class_<ExecutableObject>(module, "Executable",
                               "A computation that a service has compiled, to be run any number of times.")
      .def_prop_ro("name", [](const ExecutableObject &self) { return self.executable->name(); })
      .def(
          "execute",
          [](const ExecutableObject &self, const std::vector<DataObject *> &arguments, Timeout timeout,
             std::optional<uint64_t> seed) {
            auto data = pointersTo(arguments);
            return dataOf(self.client, optionsOf(std::nullopt, timeout, seed), [&](auto *options, auto *profile) {
              return self.executable->Execute(data, options, profile);
            });
          },
          "arguments"_a = nb::list(), nb::kw_only(), "timeout"_a = nb::none(), "seed"_a = nb::none(),
          "Runs, with an argument for each parameter; options as those of Client.execute.")
      .def(
          "execute_and_transfer",
          [](const ExecutableObject &self, const std::vector<DataObject *> &arguments, Timeout timeout,
             std::optional<uint64_t> seed) {
            auto data = pointersTo(arguments);
            xla::ExecutionOptions options = optionsOf(std::nullopt, timeout, seed);
            return std::move(*check(unlocked([&] { return self.executable->ExecuteAndTransfer(data, &options); })));
          },
          "arguments"_a = nb::list(), nb::kw_only(), "timeout"_a = nb::none(), "seed"_a = nb::none(),
          "The same, and copies the result back.")
      .def("analyze", analyze,
           "What the compiler knows: bytes of arguments, results, constants, code and of the arena, flops of a run, "
           "each of the kernels, steps and buffers.")
      .def("__repr__", [](const ExecutableObject &self) { return "<Executable '" + self.executable->name() + "'>"; });
}

//===- Transfers ----------------------------------------------------------------------------------------------===//

void addTransfers(nb::class_<ClientObject> &client) {
  client
      .def("transfer_to_server", transferToServer, "value"_a,
           "Copies a value to the service, in the layout that it has.")
      .def(
          "transfer_in_process", transferInProcess, "array"_a,
          "Data that looks at the array's memory, without a copy but for what Literal says; the memory must not change "
          "while the data lives. FAILED_PRECONDITION where the service is in another process.")
      .def("_share_numpy", shareNumpy, "array"_a, "shape"_a)
      .def("transfer", transfer, "data"_a, "minor_to_major"_a = nb::none(),
           "Copies data back: row-major, or, an array, in the layout given.")
      .def("deconstruct_tuple", deconstructTuple, "data"_a, "The elements, which live on without the tuple.")
      .def("transfer_to_infeed", transferToInfeed, "value"_a, "device"_a = 0, "timeout"_a = nb::none(),
           "Appends an item to the stream that infeed reads; waits while it is full, for so many seconds.")
      .def("transfer_from_outfeed", transferFromOutfeed, "shape"_a, "device"_a = 0, "timeout"_a = nb::none(),
           "Takes an item of that shape from the outfeed; waits for one, for so many seconds.");
}

} // namespace

void addClients(nb::module_ &module) {
  addComputations(module);
  addDynamicComputations(module);
  addAheadOfTime(module);
  addData(module);
  addExecutables(module);
  nb::class_<xla::ServiceStatistics>(module, "Statistics", "Of a service: since it began, and what it holds now.")
      .def_ro("compilations", &xla::ServiceStatistics::compilations)
      .def_ro("executions", &xla::ServiceStatistics::executions)
      .def_ro("executables", &xla::ServiceStatistics::executables)
      .def_ro("allocations", &xla::ServiceStatistics::allocations)
      .def_ro("bytes", &xla::ServiceStatistics::bytes)
      .def("__repr__", [](const xla::ServiceStatistics &self) {
        return "<Statistics: " + std::to_string(self.compilations) + " compilations, " +
               std::to_string(self.executions) + " executions; " + std::to_string(self.executables) +
               " executables and " + std::to_string(self.allocations) + " allocations of " +
               std::to_string(self.bytes) + " bytes are held>";
      });
  nb::class_<ClientObject> client(
      module, "Client",
      "A client of a service that compiles and runs computations. Any number of threads may use it; Python's lock is "
      "not held while it compiles, runs and transfers.\n\nClient(): the service in this process. `platform`: \"cpu\", "
      "one of platform_names(), or None for what TENON_PLATFORM names, else \"cpu\".");
  client
      .def(
          "__init__",
          [](ClientObject *self, const std::optional<std::string> &platform) {
            new (self) ClientObject(localClient(platform));
          },
          "platform"_a = nb::none())
      .def_static("connect", connect, "address"_a, nb::kw_only(), "tls"_a = false, "ca_certificates"_a = "",
                  "certificate"_a = "", "private_key"_a = "", "server_name"_a = "", "token"_a = "",
                  "connect_timeout"_a = nb::none(), "keepalive"_a = nb::none(),
                  "A client of `tenon serve`: \"host:port\", \"[::1]:port\", \"unix:/path\". Certificates and keys are "
                  "PEM's text, and times are seconds.")
      .def_prop_ro("platform_name", [](const ClientObject &self) { return self.client->platform_name(); })
      .def("__repr__", [](const ClientObject &self) { return "<Client of '" + self.client->platform_name() + "'>"; })
      .def_prop_ro("device_count", [](const ClientObject &self) { return self.client->service()->device_count(); })
      .def_ro("in_process", &ClientObject::inProcess, "Whether the service is in this process, and shares its memory.")
      .def("execute", execute, "computation"_a, "arguments"_a = nb::list(), nb::kw_only(),
           "result_shape"_a = nb::none(), "timeout"_a = nb::none(), "seed"_a = nb::none(),
           "Compiles where that has not been done for arguments of these layouts, and runs. `result_shape` is the "
           "result's with the layouts that it shall have; `timeout` is in seconds; `seed` is that of the random "
           "numbers, "
           "which differ by execution without it.")
      .def("execute_and_transfer", executeAndTransfer, "computation"_a, "arguments"_a = nb::list(), nb::kw_only(),
           "result_shape"_a = nb::none(), "timeout"_a = nb::none(), "seed"_a = nb::none(),
           "The same, and copies the result back.")
      .def("execute_parallel", executeParallel, "num_replicas"_a, "num_partitions"_a, "processes"_a, nb::kw_only(),
           "timeout"_a = nb::none(), "seed"_a = nb::none(),
           "Runs a grid of processes at the same time, which meet in collectives, send and recv. `processes` are pairs "
           "of a computation and its arguments, of which (replica, partition) is number replica * num_partitions + "
           "partition. Gives each one's result.")
      .def("compile", compile, "computation"_a, "argument_shapes"_a = nb::none(), nb::kw_only(),
           "result_shape"_a = nb::none(),
           "Compiles for row-major arguments, or those of the layouts given. Executing the computation uses the same "
           "code.")
      .def("statistics",
           [](const ClientObject &self) { return check(unlocked([&] { return self.client->GetStatistics(); })); });
  addTransfers(client);
}

} // namespace tenon::python
