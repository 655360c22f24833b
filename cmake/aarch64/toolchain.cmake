# Clang for Linux on AArch64, on any machine: libraries come from TENON_SYSROOT (scripts/aarch64.py makes it of Debian's
# packages), and what the build runs of its own is run by QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TENON_SYSROOT)
if(NOT TENON_SYSROOT)
  message(FATAL_ERROR "TENON_SYSROOT is not set: use scripts/aarch64.py")
endif()
set(CMAKE_SYSROOT ${TENON_SYSROOT})
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld) # GNU's linker is for one architecture
endforeach()
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${TENON_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(Python_INCLUDE_DIR ${TENON_SYSROOT}/usr/include/python3.11) # CMake would ask the Python that runs here
# pkg-config looks into the sysroot alone.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TENON_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${TENON_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${TENON_SYSROOT}/usr/share/pkgconfig)
