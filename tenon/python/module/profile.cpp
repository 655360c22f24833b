// Profiles, as text: package/tenon/_profile.py makes Python's objects of them.
#include "tenon/profile.h"

#include "tenon/python/module/convert.h"

#include <nanobind/stl/unique_ptr.h>

namespace tenon::python {

void addProfiles(nb::module_ &module) {
  nb::class_<xla::Profile>(module, "_Profile")
      .def("to_text", [](const xla::Profile &self) { return textOf(self.ToText()); })
      .def("to_json", [](const xla::Profile &self) { return textOf(self.ToJson()); })
      .def("to_html", [](const xla::Profile &self) { return textOf(self.ToHtml()); })
      .def("to_trace", [](const xla::Profile &self) { return textOf(self.ToTrace()); });
  nb::class_<xla::Profiler>(module, "_Profiler")
      .def_static("start", [] { return check(xla::Profiler::Start()); })
      .def("stop", [](xla::Profiler &self) { return unlocked([&] { return self.Stop(); }); });
}

} // namespace tenon::python
