#include "tenon/tools/host_io.h"

#include "tenon/codegen/common/interface/program_shape.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/runtime/core/transfer.h"
#include "tenon/tools/npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <thread>

namespace tenon::tools {
namespace {

using Shapes = std::vector<program::Shape>;

// What the program's infeeds read, one list for each.
std::vector<Shapes> infeedTypes(ProgramFile &file) {
  std::vector<Shapes> all;
  auto add = [&](Shapes shapes) {
    std::erase_if(shapes, [](const program::Shape &shape) { return shape.type == program::ElementType::kToken; });
    all.push_back(std::move(shapes));
  };
  if (file.compiled) {
    for (const program::RuntimeCall &runtimeCall : file.compiled->runtimeCalls)
      if (runtime::isTransfer(runtimeCall) && runtimeCall.target == "infeed")
        add(runtimeCall.results);
    return all;
  }
  file.module().walk([&](stablehlo::InfeedOp op) {
    Shapes shapes;
    for (mlir::Type type : op->getResultTypes())
      shapes.push_back(codegen::programShape(type));
    add(std::move(shapes));
  });
  return all;
}

StatusOr<Literal> readArray(const std::string &path, size_t position, size_t count, const std::vector<Shapes> &types) {
  TENON_ASSIGN_OR_RETURN(program::Shape shape, readNpyShape(path));
  for (const Shapes &infeed : types) {
    if (infeed.size() != count)
      continue;
    StatusOr<Literal> array = readNpy(path, {"--infeed", {infeed[position].type, shape.dims}});
    if (array.ok())
      return array;
  }
  if (shape.type == program::ElementType::kInvalid)
    return invalidArgument("--infeed: " + path + " has a type that no infeed of the program reads");
  return readNpy(path, {"--infeed", shape});
}

StatusOr<runtime::StreamItem> toItem(const std::vector<Literal> &arrays) {
  runtime::StreamItem item;
  for (const Literal &array : arrays) {
    TENON_ASSIGN_OR_RETURN(auto copy, runtime::StreamArray::copyOf({shapeOf(array), {}}, dataOf(array)));
    item.arrays.push_back(std::move(copy));
  }
  return item;
}

// Shows what comes out of the program, and counts it.
class Display {
public:
  Display(std::string folder, bool show) : folder_(std::move(folder)), show_(show) {}

  Status show(const std::string &source, const runtime::StreamItem &item) {
    if (!show_)
      return {};
    std::lock_guard lock(mutex_);
    std::string name = source + "_" + std::to_string(counts_[source]++);
    for (size_t i = 0; i < item.arrays.size(); ++i) {
      const runtime::StreamArray &from = item.arrays[i];
      TENON_ASSIGN_OR_RETURN(Literal array, makeArray(from.type.shape, from.data.data()));
      std::string part = item.arrays.size() == 1 ? name : name + "_" + std::to_string(i);
      if (folder_.empty())
        llvm::outs() << part << ": " << from.type.shape.toString() << "\n" << formatArray(array) << "\n";
      else if (Status status = xla::LiteralUtil::WriteNpy(array, folder_ + "/" + part + ".npy"); !status.ok())
        return status;
    }
    return {};
  }

private:
  std::string folder_;
  bool show_;
  std::mutex mutex_;
  std::map<std::string, int> counts_;
};

class HostChannels : public runtime::HostTransfers {
public:
  explicit HostChannels(Display &display) : display_(display) {}

  Status send(int64_t channel, runtime::StreamItem item, const runtime::Wait &) override {
    return display_.show("channel_" + std::to_string(channel), item);
  }
  StatusOr<runtime::StreamItem> receive(int64_t channel, std::span<const runtime::StreamType>,
                                        const runtime::Wait &) override {
    return failedPrecondition("waits for a message from the host on channel " + std::to_string(channel) +
                              ", which the command line cannot send");
  }

private:
  Display &display_;
};

} // namespace

StatusOr<std::vector<std::vector<Literal>>> readInfeed(const std::vector<std::string> &texts, ProgramFile &file) {
  std::vector<std::vector<Literal>> items;
  if (texts.empty())
    return items;
  std::vector<Shapes> types = infeedTypes(file);
  for (const std::string &text : texts) {
    llvm::SmallVector<llvm::StringRef> paths;
    llvm::StringRef(text).split(paths, ',');
    std::vector<Literal> &item = items.emplace_back();
    for (size_t i = 0; i < paths.size(); ++i) {
      TENON_ASSIGN_OR_RETURN(Literal array, readArray(paths[i].str(), i, paths.size(), types));
      item.push_back(std::move(array));
    }
  }
  return items;
}

Status HostIo::run(bool show, const std::function<Status(const runtime::RunOptions &)> &run) {
  if (!options_.outfeedFolder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(options_.outfeedFolder))
      return {StatusCode::kUnknown, options_.outfeedFolder + ": " + error.message()};
  Display display(options_.outfeedFolder, show);
  HostChannels hostChannels(display);
  runtime::DeviceStreams streams(0);
  runtime::Channels channels(/*alone=*/true);
  runtime::RunOptions options;
  options.streams = &streams;
  options.channels = &channels;
  options.hostTransfers = &hostChannels;
  if (options_.timeout)
    options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                                   std::chrono::duration<double>(*options_.timeout));
  std::thread feeder([&] {
    for (const std::vector<Literal> &arrays : options_.infeed) {
      auto item = toItem(arrays);
      if (!item.ok())
        return streams.infeed.close(item.status());
      if (!streams.infeed.push(*std::move(item)).ok())
        return; // the run is over
    }
    streams.infeed.finish();
  });
  Status shown;
  std::thread drain([&] {
    for (auto item = streams.outfeed.pop(); item.ok(); item = streams.outfeed.pop())
      if (shown = display.show("outfeed", *item); !shown.ok()) {
        streams.outfeed.close(shown);
        return;
      }
  });
  Status status = run(options);
  streams.infeed.close({StatusCode::kCancelled, "the run is over"});
  streams.outfeed.finish();
  feeder.join();
  drain.join();
  return status.ok() ? shown : status;
}

} // namespace tenon::tools
