// The extension module tenon._tenon: what tenon/__init__.py shows of it is the interface.
#include "tenon/client.h"
#include "tenon/custom_call.h"
#include "tenon/python/module/memory.h"
#include "tenon/signals.h"
#include "tenon/tracing.h"

#include <memory>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tenon::python {

namespace {

using nb::literals::operator""_a;

// As the exception of package/tenon/_errors.py.
void translate(const std::exception_ptr &exception, void *) {
  try {
    std::rethrow_exception(exception);
  } catch (const StatusError &error) {
    try {
      nb::object type = nb::module_::import_("tenon._errors").attr("Error");
      nb::object value = type(static_cast<int>(error.status.code()), error.status.message());
      PyErr_SetObject(type.ptr(), value.ptr());
    } catch (nb::python_error &other) {
      other.restore();
    }
  }
}

// Called by threads that run programs: they take Python's lock.
void setTraceSink(const nb::object &sink) {
  if (sink.is_none()) {
    unlocked([] { xla::SetTraceSink({}); });
    return;
  }
  auto drop = [](nb::object *object) {
    if (!Py_IsInitialized())
      return;
    nb::gil_scoped_acquire lock;
    delete object;
  };
  std::shared_ptr<nb::object> kept(new nb::object(sink), drop);
  auto call = [kept](const std::string &tag, const xla::Literal &value) {
    if (!Py_IsInitialized())
      return;
    nb::gil_scoped_acquire lock;
    try {
      (*kept)(nb::str(tag.c_str(), tag.size()), nb::cast(value.Clone()));
    } catch (nb::python_error &error) {
      error.restore();
      PyErr_WriteUnraisable(kept->ptr());
    }
  };
  unlocked([&] { xla::SetTraceSink(call); });
}

void registerCustomCall(const std::string &targetName, uintptr_t address) {
  if (Tenon_RegisterCustomCall(targetName.c_str(), reinterpret_cast<void *>(address)) != 0)
    throw StatusError(invalidArgument("the function of the custom call '" + targetName + "' is NULL"));
}

} // namespace

} // namespace tenon::python

namespace tenon::python {

// The exception that a computation on this thread has ended for: never one of another thread's.
static thread_local std::unique_ptr<nb::python_error> raised;

bool handlerRaises() {
  nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0)
    return false;
  raised = std::make_unique<nb::python_error>();
  return true;
}

void throwRaised() {
  if (!raised)
    return;
  nb::python_error error(std::move(*raised));
  raised.reset();
  throw error;
}

} // namespace tenon::python

NB_MODULE(_tenon, module) {
  using namespace tenon::python;
  // Objects may live to the end of the process.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  module.attr("version") = TENON_VERSION;
  xla::SetSignalCheck(handlerRaises);
  addShapes(module);
  addLiterals(module);
  addClients(module);
  addBuilders(module);
  addPrograms(module);
  addProfiles(module);
  module.def("platform_names", [] { return xla::ClientLibrary::PlatformNames(); }, "What Client() takes.");
  module.def(
      "load_target", [](const std::string &library) { return check(xla::ClientLibrary::LoadTarget(library)); },
      "library"_a, "Loads a shared library with a target, and makes it a platform, whose name it returns.");
  module.def("_register_custom_call", registerCustomCall, "target_name"_a, "address"_a);
  module.def(
      "set_trace_sink", setTraceSink, "sink"_a = nb::none(),
      nb::sig("def set_trace_sink(sink: typing.Callable[[str, Literal], typing.Any] | None = None) -> None"),
      "Calls sink(tag, value) for each Trace that the service in this process comes to from now on, in the thread "
      "that runs the program; None: a line to standard error.");
}
