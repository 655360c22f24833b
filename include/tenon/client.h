// Clients of a service that compiles and runs computations (xla-preview-2017, "Getting started").
//
//   Client *client = ClientLibrary::ClientLibraryOrDie();
//   auto x = client->TransferToServer(literal).ConsumeValueOrDie();
//   auto result = client->ExecuteAndTransfer(computation, {x.get()}).ConsumeValueOrDie();
#pragma once

#include "tenon/computation.h"
#include "tenon/service_interface.h"
#include "tenon/xla_namespace.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::xla_2017 {

namespace internal {
struct CompiledExecutable;
} // namespace internal

// Data that a service holds: an array or a tuple. Usable by any number of executions; freed with the handle.
class TENON_API GlobalData {
public:
  // Takes a handle of the service over, of data of that shape: what transfers and executions do. Programs get their
  // data from a Client.
  GlobalData(std::shared_ptr<ServiceInterface> service, int64 handle, Shape shape);
  // Lets the service free the data, unless a tuple or an element of one shares it, or an execution still reads it.
  ~GlobalData();
  GlobalData(const GlobalData &) = delete;
  GlobalData &operator=(const GlobalData &) = delete;

  // The shape, with the layout that the data has. (xla-preview-2017, "Shapes and Layout")
  const Shape &shape() const { return shape_; }
  // The service's number for the data; positive, and never used again by the service.
  int64 handle() const { return handle_; }
  // The service that holds the data. It lives at least as long.
  const ServiceInterface *service() const { return service_.get(); }

private:
  std::shared_ptr<ServiceInterface> service_;
  int64 handle_;
  Shape shape_;
};

// How to run, where it differs from the ordinary.
struct ExecutionOptions {
  // The shape of the result, with the layouts that it is to have. Absent: row-major.
  std::optional<Shape> result_shape;
  // From the call on. An execution that takes longer is kDeadlineExceeded, wherever it waits or computes; one call of
  // LAPACK, of Fft or of a custom call comes to its end before. Zero and less: it is over already.
  std::optional<std::chrono::nanoseconds> timeout;
  // The seed of the random numbers: the same gives the same ones. Absent: others at each execution.
  std::optional<uint64> seed;
};

// One process of a grid: what it runs, and on what.
struct ComputationInstance {
  // Different processes may have different ones.
  const Computation *computation = nullptr;
  std::vector<GlobalData *> arguments;
};

// A computation that a service has compiled, for arguments of given layouts: to be run any number of times. It keeps
// its service and the code alive, with or without client and computation. All members may be called from any thread,
// many at a time. (Not in the documents, where a Computation is what was compiled.)
class TENON_API Executable {
public:
  // Frees the code, unless the computation, which keeps it for Client::Execute, is still there.
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  // The computation's name.
  const std::string &name() const { return name_; }
  // The parameters' shapes and names and the result's shape, with the layouts that it was compiled for.
  const ProgramShape &program_shape() const { return shape_; }

  // Runs. There must be an argument for each parameter, of its shape, and of this service; one in another layout is
  // copied first. ExecutionOptions::result_shape must be absent, or the one that it was compiled for. kInvalidArgument
  // otherwise; the others are those of Client::Execute.
  StatusOr<std::unique_ptr<GlobalData>> Execute(gtl::ArraySlice<GlobalData *> arguments,
                                                const ExecutionOptions *options = nullptr,
                                                ExecutionProfile *profile = nullptr) const;
  // The same, with the same errors, and copies the result back, in its layout.
  StatusOr<std::unique_ptr<Literal>> ExecuteAndTransfer(gtl::ArraySlice<GlobalData *> arguments,
                                                        const ExecutionOptions *options = nullptr,
                                                        ExecutionProfile *profile = nullptr) const;

  // Memory, buffer by buffer with the steps in which each is needed, and what a run costs. Where the platform does not
  // compile to code of Tenon's ("reference", targets from outside), only the arguments and results. kUnimplemented
  // where the service does not say, as an older server.
  StatusOr<ExecutableAnalysis> Analyze() const;

private:
  friend class Client;
  Executable(std::shared_ptr<const internal::CompiledExecutable> compiled, std::string name, ProgramShape shape);

  std::shared_ptr<const internal::CompiledExecutable> compiled_;
  std::string name_;
  ProgramShape shape_;
};

// All members may be called from any thread, many at a time.
class TENON_API Client {
public:
  // A client of a service of any kind (service_interface.h), which it keeps alive. ClientLibrary and ConnectRemote make
  // others.
  explicit Client(std::shared_ptr<ServiceInterface> service);
  // Data that came of the client live on.
  ~Client();

  // The service, for what it can do beyond this class.
  const std::shared_ptr<ServiceInterface> &service() const { return service_; }
  // What computations run on: "cpu", "reference", or a name that was registered.
  std::string platform_name() const { return service_->platform_name(); }
  // Which of the OS processes this is, where the environment names a job (TENON_COORDINATOR or TENON_MPI_SHIM); else 0.
  int64 process_index() const { return service_->process_index(); }
  // How many OS processes the job has; 1 where there is none.
  int64 process_count() const { return service_->process_count(); }

  // Copies a literal to the service, in the layout that it has. kResourceExhausted where there is no memory, or the
  // service grants no more; kUnavailable where it can't be reached, as of all members. (xla-preview-2017, "Getting
  // started")
  StatusOr<std::unique_ptr<GlobalData>> TransferToServer(const Literal &literal);
  // Copies data back; in row-major order, or that of `layout`. kInvalidArgument for data of another service, for a
  // layout that is not one of the array's, and for one where the data is a tuple. (xla-preview-2017, "Getting started")
  StatusOr<std::unique_ptr<Literal>> Transfer(const GlobalData &data, const Layout *layout = nullptr);

  // Between memory of the caller's and a service in the same process, without literals (xla-preview-2017, "Moving data
  // into and out of XLA"). An array of that shape, aligned to its elements, with bytes that the type has (bool: 0 or
  // 1); it is not copied, so the memory must stay as it is while the data lives. kInvalidArgument for memory that is
  // not aligned, and for tuples. Out of the data: copied to memory of at least the shape's bytes. kFailedPrecondition
  // where the service is elsewhere.
  StatusOr<std::unique_ptr<GlobalData>> TransferInProcess(const Shape &shape, const void *data);
  // Copies an array, as it lies, to memory of at least ShapeUtil::ByteSizeOf(data.shape()) bytes. kInvalidArgument for
  // a tuple and for data of another service, kFailedPrecondition where the service is elsewhere. (xla-preview-2017,
  // "Moving data into and out of XLA")
  Status TransferInProcess(const GlobalData &data, void *destination);
  // The data's own memory, laid out as its shape says, for as long as it lives. kInvalidArgument for a tuple and for
  // data of another service, kFailedPrecondition where the service is elsewhere. (xla-preview-2017, "Moving data into
  // and out of XLA")
  StatusOr<const void *> ViewInProcess(const GlobalData &data);

  // Compiles where the computation has not been compiled yet for arguments of these layouts, and runs. There must be
  // an argument for each parameter, of its shape but for layouts, and of this client's service: kInvalidArgument
  // otherwise. kUnimplemented for what the platform has no code for, kNotFound for custom calls that nobody has
  // registered, kDeadlineExceeded as the options say, kResourceExhausted where memory does not suffice, and what the
  // program finds wrong itself, with the place in the source. (xla-preview-2017, "Getting started")
  StatusOr<std::unique_ptr<GlobalData>> Execute(const Computation &computation, gtl::ArraySlice<GlobalData *> arguments,
                                                const ExecutionOptions *options = nullptr,
                                                ExecutionProfile *profile = nullptr);
  // The same, with the same errors, and copies the result back: in row-major order, or in the layouts of
  // ExecutionOptions::result_shape.
  // (xla-preview-2017, "Getting started")
  StatusOr<std::unique_ptr<Literal>> ExecuteAndTransfer(const Computation &computation,
                                                        gtl::ArraySlice<GlobalData *> arguments,
                                                        const ExecutionOptions *options = nullptr,
                                                        ExecutionProfile *profile = nullptr);
  // Runs a grid of num_replicas x num_partitions processes at the same time: process (replica, partition) is
  // processes[replica * num_partitions + partition] (StableHLO specification, "Parallel execution"). Computations with
  // collectives come from Computation::FromStableHlo; what they exchange, they exchange with the processes of this
  // call. Compiles where it has not been done for a grid of this size. Gives each process's result. Infeed and outfeed
  // of process i are those of device i.
  //
  // In a job of several OS processes, each gives and gets an equal block of the grid's processes, in order, and all
  // call this for the same grids in the same order.
  //
  // The first error, which names its process; all processes are ended then. kInvalidArgument for collectives that do
  // not fit the grid, kFailedPrecondition where a process waits for one that has ended, or all for each other.
  StatusOr<std::vector<std::unique_ptr<GlobalData>>> ExecuteParallel(int64 num_replicas, int64 num_partitions,
                                                                     gtl::ArraySlice<ComputationInstance> processes,
                                                                     const ExecutionOptions *options = nullptr,
                                                                     ExecutionProfile *profile = nullptr);
  // Compiles, for arguments in row-major order or the layouts of `argument_shapes` (one for each parameter), and for
  // the result's layout in `options`. As long as the computation lives, Execute uses the same code. kInvalidArgument
  // for shapes that are not the computation's; otherwise as Execute. (xla-preview-2017, "Compiling TensorFlow")
  StatusOr<std::unique_ptr<Executable>> Compile(const Computation &computation,
                                                gtl::ArraySlice<Shape> argument_shapes = {},
                                                const ExecutionOptions *options = nullptr);

  // The elements of a tuple. They live on without it. kInvalidArgument for an array, and for data of another service.
  // (xla-operation-semantics, Tuple)
  StatusOr<std::vector<std::unique_ptr<GlobalData>>> DeconstructTuple(const GlobalData &tuple);

  // Appends an item to the stream that Infeed reads; waits while it is full. kInvalidArgument for a device that there
  // is not and for tuples within a tuple, kDeadlineExceeded after `timeout`. (xla-preview-2017,
  // "Infeed")
  Status TransferToInfeed(const Literal &literal, int64 device = 0,
                          std::optional<std::chrono::nanoseconds> timeout = std::nullopt);
  // Takes an item of that shape from the device's outfeed; waits for one. kInvalidArgument where the next item is of
  // another shape, which is gone then; otherwise as TransferToInfeed.
  StatusOr<std::unique_ptr<Literal>>
  TransferFromOutfeed(const Shape &shape, int64 device = 0,
                      std::optional<std::chrono::nanoseconds> timeout = std::nullopt);

  // What the service has done, and holds, by now; a server's for this client alone.
  StatusOr<ServiceStatistics> GetStatistics() { return service_->GetStatistics(); }

private:
  // The grid is 1 x 1 for a computation that runs alone.
  StatusOr<std::shared_ptr<const internal::CompiledExecutable>> CompiledFor(const Computation &computation,
                                                                            const ProgramShape &shape,
                                                                            int64 num_replicas = 1,
                                                                            int64 num_partitions = 1);

  std::shared_ptr<ServiceInterface> service_;
};

// Where clients come from.
class TENON_API ClientLibrary {
public:
  // The client of the service in this process, the same one each time. The platform is what TENON_PLATFORM names, or
  // "cpu". Dies where there is none of that name.
  static Client *ClientLibraryOrDie();
  // The same of the platform named (empty: what TENON_PLATFORM names, or "cpu"), as an error where there is none of
  // that name: kNotFound, which lists those that there are.
  static StatusOr<Client *> GetOrCreateLocalClient(const std::string &platform = "");

  // Makes a platform known by a name; `create` is called once, when it is first asked for. kAlreadyExists for a name
  // that is taken.
  static Status RegisterPlatform(const std::string &name, StatusOr<std::shared_ptr<ServiceInterface>> (*create)());
  // Loads a shared library with a target (tenon/target.h), and makes it a platform under the name that the library
  // says, which is returned. TENON_TARGETS, a list of such libraries separated by ':', does the same for any program.
  // kNotFound where the library cannot be loaded, kFailedPrecondition for one of another version, kAlreadyExists for a
  // name that is taken.
  static StatusOr<std::string> LoadTarget(const std::string &library);
  // "cpu", "reference" (the interpreter, which the others are compared with), and what has been registered or loaded.
  static std::vector<std::string> PlatformNames();
};

} // namespace tenon::xla_2017
