// What JAX's custom calls, host callbacks and special functions need on Python's side, for processes that load the
// library alone.
//
// The package jax_plugins.tenon routes JAX's registrations to the plugin and keeps special functions whole
// (tenon/python/jax_plugins/tenon/_ffi.py, _lowering.py). With PJRT_NAMES_AND_LIBRARY_PATHS, or
// xla_bridge.register_plugin, there is no package; so the library carries copies of those modules and runs them when a
// client is made in a process where Python runs jaxlib. It does not link with Python: the few functions are looked up,
// and without them nothing happens.
#pragma once

#include "xla/pjrt/c/pjrt_c_api.h"

namespace tenon::pjrt {

// Has Ctrl-C end programs that run on Python's first thread, if there is Python: KeyboardInterrupt, or what the
// program's own handler raises, is raised as soon as Python goes on.
void bridgeSignals();
// The package has done the work.
void markPythonBridged();
// Does it, once, unless it has been done or there is no Python. Must not be called under a lock.
void bridgePython(const PJRT_Api *api);

} // namespace tenon::pjrt
