#include "tenon/pjrt/python_bridge.h"

#include "tenon/runtime/core/signals.h"

#include <atomic>
#include <dlfcn.h>
#include <string>

namespace tenon::pjrt {
namespace {

const char kFfiSource[] =
#include "tenon/pjrt/python_bridge_ffi.inc"
    ;
const char kLoweringSource[] =
#include "tenon/pjrt/python_bridge_lowering.inc"
    ;

std::atomic<bool> bridged{false};

template <typename Function> Function *lookUp(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

std::string hexDigits(const char *text) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (; *text; ++text) {
    hex += digits[static_cast<unsigned char>(*text) >> 4];
    hex += digits[static_cast<unsigned char>(*text) & 15];
  }
  return hex;
}

// The exception that a Python signal handler has raised while a program ran. Python's lock guards it.
struct {
  void *type, *value, *traceback;
} raised;

int raiseAgain(void * /*unused*/) {
  lookUp<void(void *, void *, void *)>("PyErr_Restore")(raised.type, raised.value, raised.traceback);
  raised = {};
  return -1;
}

// The exception waits until the call that runs the program has returned to Python: jaxlib would put another in its
// place.
bool pythonRaises() {
  static auto *ensure = lookUp<int()>("PyGILState_Ensure");
  static auto *release = lookUp<void(int)>("PyGILState_Release");
  static auto *checkSignals = lookUp<int()>("PyErr_CheckSignals");
  static auto *fetch = lookUp<void(void **, void **, void **)>("PyErr_Fetch");
  static auto *addPendingCall = lookUp<int(int (*)(void *), void *)>("Py_AddPendingCall");
  int state = ensure();
  bool raises = checkSignals() != 0;
  if (raises) {
    fetch(&raised.type, &raised.value, &raised.traceback);
    addPendingCall(raiseAgain, nullptr);
  }
  release(state);
  return raises;
}

} // namespace

void bridgeSignals() {
  for (const char *name : {"PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "PyErr_Fetch",
                           "PyErr_Restore", "Py_AddPendingCall", "Py_IsInitialized"})
    if (!dlsym(RTLD_DEFAULT, name))
      return;
  if (lookUp<int()>("Py_IsInitialized")())
    runtime::setSignalCheck(pythonRaises);
}

void markPythonBridged() { bridged = true; }

void bridgePython(const PJRT_Api *api) {
  auto *isInitialized = lookUp<int()>("Py_IsInitialized");
  auto *ensure = lookUp<int()>("PyGILState_Ensure"); // returns an enum
  auto *release = lookUp<void(int)>("PyGILState_Release");
  auto *run = lookUp<int(const char *)>("PyRun_SimpleString");
  if (!isInitialized || !ensure || !release || !run || !isInitialized() || bridged.exchange(true))
    return;
  // The source is passed in hexadecimal, so that it needs no quoting. A failure prints its traceback and leaves JAX
  // without callbacks.
  std::string code = "def _tenon_bridge():\n"
                     "    import sys\n"
                     "    if 'jaxlib' not in sys.modules:\n"
                     "        return\n"
                     "    def load(name, source):\n"
                     "        module = {'__name__': 'jax_plugins.tenon.' + name}\n"
                     "        source = bytes.fromhex(source).decode()\n"
                     "        exec(compile(source, 'jax_plugins/tenon/' + name + '.py', 'exec'), module)\n"
                     "        return module\n"
                     "    ffi = load('_ffi', '" +
                     hexDigits(kFfiSource) +
                     "')\n"
                     "    ffi['install'](ffi['Plugin'](" +
                     std::to_string(reinterpret_cast<uintptr_t>(api)) +
                     "))\n"
                     "    ffi['provide_cpu']()\n"
                     "    load('_lowering', '" +
                     hexDigits(kLoweringSource) +
                     "')['install']()\n"
                     "_tenon_bridge()\n"
                     "del _tenon_bridge\n";
  int state = ensure();
  run(code.c_str());
  release(state);
}

} // namespace tenon::pjrt
