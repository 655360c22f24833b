#include "tenon/capi/execution.h"
#include "tenon/remote.h"
#include "tenon/tracing.h"

using namespace tenon::capi;
using tenon::invalidArgument;
using tenon::Status;
using tenon::StatusOr;
using xla::Client;
using xla::GlobalData;
using xla::Literal;
using xla::Shape;

namespace {

void give(std::shared_ptr<Client> client, tenon_client **out) {
  std::string platform = client->platform_name();
  *out = new tenon_client{std::move(client), std::move(platform)};
}

StatusOr<xla::RemoteOptions> remoteOptionsOf(const tenon_remote_options &given) {
  auto text = [](const char *value) { return std::string(value ? value : ""); };
  xla::RemoteOptions options;
  options.tls = given.tls;
  options.ca_certificates = text(given.ca_certificates);
  options.certificate = text(given.certificate);
  options.private_key = text(given.private_key);
  options.server_name = text(given.server_name);
  options.token = text(given.token);
  auto connect = timeoutOf(given.connect_timeout_ns), keepalive = timeoutOf(given.keepalive_ns);
  for (const auto &timeout : {connect, keepalive})
    if (!timeout.ok())
      return timeout.status();
  options.connect_timeout = connect->value_or(options.connect_timeout);
  options.keepalive = keepalive->value_or(options.keepalive);
  return options;
}

} // namespace

tenon_status *tenon_client_create_local(const char *platform, tenon_client **client) {
  return guard({{client, "client"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto local, xla::ClientLibrary::GetOrCreateLocalClient(platform ? platform : ""));
    // It lives as long as the process.
    give(std::shared_ptr<Client>(local, [](Client *) {}), client);
    return {};
  });
}

tenon_status *tenon_load_target(const char *library, char **platform) {
  return guard({{library, "library"}, {platform, "platform"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto name, xla::ClientLibrary::LoadTarget(library));
    *platform = newText(name);
    return *platform ? Status() : Status(tenon::StatusCode::kResourceExhausted, "no memory for the platform's name");
  });
}

tenon_status *tenon_client_connect(const char *address, const tenon_remote_options *options, tenon_client **client) {
  return guard({{address, "address"}, {client, "client"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto given, structOf(options, "options"));
    TENON_ASSIGN_OR_RETURN(auto remoteOptions, remoteOptionsOf(given));
    TENON_ASSIGN_OR_RETURN(auto remote, xla::ConnectRemote(address, remoteOptions));
    give(std::shared_ptr<Client>(std::move(remote)), client);
    return {};
  });
}

void tenon_client_destroy(tenon_client *client) { delete client; }

const char *tenon_client_platform_name(const tenon_client *client) { return client ? client->platform.c_str() : ""; }

int64_t tenon_client_device_count(const tenon_client *client) {
  return client ? client->value->service()->device_count() : 0;
}

tenon_status *tenon_client_transfer_to_server(tenon_client *client, const tenon_literal *literal, tenon_data **data) {
  return guard({{client, "client"}, {literal, "literal"}, {data, "data"}},
               [&] { return give(client->value->TransferToServer(literalOf(literal)), data); });
}

tenon_status *tenon_client_transfer(tenon_client *client, const tenon_data *data, const tenon_shape *shape,
                                    tenon_literal **literal) {
  return guard({{client, "client"}, {data, "data"}, {literal, "literal"}}, [&]() -> Status {
    if (!shape)
      return give(client->value->Transfer(*data->value), literal);
    if (!xla::ShapeUtil::Compatible(data->value->shape(), shapeOf(shape)))
      return invalidArgument("the data is " + xla::ShapeUtil::HumanString(data->value->shape()) + ", and not " +
                             xla::ShapeUtil::HumanString(shapeOf(shape)));
    xla::Layout layout = xla::LayoutUtil::LayoutOf(shapeOf(shape));
    return give(client->value->Transfer(*data->value, &layout), literal);
  });
}

tenon_status *tenon_client_share(tenon_client *client, const tenon_shape *shape, const void *memory,
                                 void (*release)(const void *memory, void *context), void *context, tenon_data **data) {
  return guard({{client, "client"}, {shape, "shape"}, {memory, "memory"}, {data, "data"}}, [&] {
    Status status = give(client->value->TransferInProcess(shapeOf(shape), memory), data);
    if (status.ok()) {
      (*data)->release = release;
      (*data)->memory = memory;
      (*data)->context = context;
    }
    return status;
  });
}

tenon_status *tenon_client_view(tenon_client *client, const tenon_data *data, const void **memory) {
  return guard({{client, "client"}, {data, "data"}, {memory, "memory"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(*memory, client->value->ViewInProcess(*data->value));
    return {};
  });
}

tenon_status *tenon_client_deconstruct_tuple(tenon_client *client, const tenon_data *tuple, tenon_data **elements,
                                             size_t count) {
  return guard({{client, "client"}, {tuple, "tuple"}, array(elements, count, "elements")}, [&]() -> Status {
    const Shape &shape = tuple->value->shape();
    if (xla::ShapeUtil::IsTuple(shape) && static_cast<size_t>(shape.tuple_shapes_size()) != count)
      return invalidArgument("there is room for " + std::to_string(count) + " elements of " +
                             xla::ShapeUtil::HumanString(shape));
    TENON_ASSIGN_OR_RETURN(auto parts, client->value->DeconstructTuple(*tuple->value));
    std::vector<std::unique_ptr<tenon_data>> made;
    for (std::unique_ptr<GlobalData> &part : parts)
      made.push_back(std::make_unique<tenon_data>(std::move(part)));
    for (size_t i = 0; i < count; ++i)
      elements[i] = made[i].release();
    return {};
  });
}

const tenon_shape *tenon_data_shape(const tenon_data *data) { return data ? handleOf(data->value->shape()) : nullptr; }

void tenon_data_destroy(tenon_data *data) { delete data; }

tenon_status *tenon_client_execute(tenon_client *client, const tenon_computation *computation,
                                   const tenon_data *const *arguments, size_t count,
                                   const tenon_execute_options *options, tenon_data **result) {
  return guard(
      {{client, "client"}, {computation, "computation"}, array(arguments, count, "arguments"), {result, "result"}},
      [&] {
        return runAndGive(options, result, [&](auto *execution, auto *profile) {
          return client->value->Execute(computation->value, dataOf(arguments, count), execution, profile);
        });
      });
}

tenon_status *tenon_client_execute_and_transfer(tenon_client *client, const tenon_computation *computation,
                                                const tenon_data *const *arguments, size_t count,
                                                const tenon_execute_options *options, tenon_literal **result) {
  return guard(
      {{client, "client"}, {computation, "computation"}, array(arguments, count, "arguments"), {result, "result"}},
      [&] {
        return runAndGive(options, result, [&](auto *execution, auto *profile) {
          return client->value->ExecuteAndTransfer(computation->value, dataOf(arguments, count), execution, profile);
        });
      });
}

tenon_status *tenon_client_execute_parallel(tenon_client *client, int64_t num_replicas, int64_t num_partitions,
                                            const tenon_process *processes, size_t count,
                                            const tenon_execute_options *options, tenon_data **results) {
  return guard(
      {{client, "client"}, array(processes, count, "processes"), array(results, count, "results")}, [&]() -> Status {
        std::vector<xla::ComputationInstance> instances;
        for (size_t i = 0; i < count; ++i) {
          const tenon_process &process = processes[i];
          if (process.argument_count && !process.arguments)
            return invalidArgument("process " + std::to_string(i) + ": arguments is null");
          instances.push_back({process.computation ? &process.computation->value : nullptr,
                               dataOf(process.arguments, process.argument_count)});
        }
        TENON_ASSIGN_OR_RETURN(auto execution, executionOf(options));
        xla::ExecutionProfile profile;
        TENON_ASSIGN_OR_RETURN(auto data, client->value->ExecuteParallel(num_replicas, num_partitions, instances,
                                                                         &execution.options, &profile));
        std::vector<std::unique_ptr<tenon_data>> made;
        for (std::unique_ptr<GlobalData> &result : data)
          made.push_back(std::make_unique<tenon_data>(std::move(result)));
        for (size_t i = 0; i < count; ++i)
          results[i] = made[i].release();
        if (execution.computeTime)
          *execution.computeTime = profile.compute_time.count();
        return {};
      });
}

tenon_status *tenon_client_compile(tenon_client *client, const tenon_computation *computation,
                                   const tenon_shape *const *argument_shapes, size_t count,
                                   const tenon_execute_options *options) {
  return guard({{client, "client"}, {computation, "computation"}}, [&]() -> Status {
    return compile(*client->value, computation->value, argument_shapes, count, options).status();
  });
}

tenon_status *tenon_client_transfer_to_infeed(tenon_client *client, const tenon_literal *literal, int64_t device,
                                              int64_t timeout_ns) {
  return guard({{client, "client"}, {literal, "literal"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto timeout, timeoutOf(timeout_ns));
    return client->value->TransferToInfeed(literalOf(literal), device, timeout);
  });
}

tenon_status *tenon_client_transfer_from_outfeed(tenon_client *client, const tenon_shape *shape, int64_t device,
                                                 int64_t timeout_ns, tenon_literal **literal) {
  return guard({{client, "client"}, {shape, "shape"}, {literal, "literal"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto timeout, timeoutOf(timeout_ns));
    return give(client->value->TransferFromOutfeed(shapeOf(shape), device, timeout), literal);
  });
}

tenon_status *tenon_client_statistics(tenon_client *client, tenon_statistics *statistics) {
  return guard({{client, "client"}, {statistics, "statistics"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto now, client->value->GetStatistics());
    tenon_statistics filled{0, now.compilations, now.executions, now.executables, now.allocations, now.bytes};
    return fill(filled, statistics, "statistics");
  });
}

void tenon_set_trace_sink(void (*sink)(void *context, const char *tag, const tenon_literal *value), void *context) {
  xla::TraceSink called;
  if (sink)
    called = [sink, context](const std::string &tag, const Literal &value) {
      sink(context, tag.c_str(), handleOf(value));
    };
  xla::SetTraceSink(std::move(called));
}
