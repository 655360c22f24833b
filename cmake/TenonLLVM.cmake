# LLVM and MLIR as static archives.
#
# Debian's CMake targets make every MLIR archive depend on the shared libLLVM; a library that mixes the two hangs at
# load. So the archives are named here directly, and the linker takes from them what it needs.

find_program(LLVM_CONFIG llvm-config-22 REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE TENON_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE TENON_LLVM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
message(STATUS "LLVM ${TENON_LLVM_VERSION} in ${CMAKE_SYSROOT}${TENON_LLVM_PREFIX}")
find_program(MLIR_TBLGEN mlir-tblgen HINTS ${TENON_LLVM_PREFIX}/bin NO_DEFAULT_PATH REQUIRED)
find_program(TENON_LLVM_TBLGEN llvm-tblgen HINTS ${TENON_LLVM_PREFIX}/bin NO_DEFAULT_PATH REQUIRED)
# Programs of LLVM are this machine's, headers and archives those of the machine that is compiled for: its Debian has the
# same version in the same place.
string(PREPEND TENON_LLVM_PREFIX "${CMAKE_SYSROOT}")

function(tenon_archives out)
  set(found)
  foreach(pattern ${ARGN})
    file(GLOB archives ${TENON_LLVM_PREFIX}/lib/${pattern})
    list(APPEND found ${archives})
  endforeach()
  list(FILTER found EXCLUDE REGEX "libMLIRCAPI|Test")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

set(tenon_llvm_system z zstd dl m pthread)

add_library(tenon_llvm INTERFACE)
target_include_directories(tenon_llvm SYSTEM INTERFACE ${TENON_LLVM_PREFIX}/include)
tenon_archives(llvm_archives libLLVM*.a)
target_link_libraries(tenon_llvm INTERFACE -Wl,--start-group ${llvm_archives} -Wl,--end-group ${tenon_llvm_system})

add_library(tenon_mlir INTERFACE)
tenon_archives(mlir_archives libMLIR*.a)
target_link_libraries(tenon_mlir INTERFACE -Wl,--start-group ${mlir_archives} -Wl,--end-group tenon_llvm)

# Generates from a TableGen file: tenon_tablegen(ops.td ops.h.inc -gen-op-decls ...); sets nothing, the outputs are
# known by name in the binary directory.
function(tenon_tablegen input output)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
    COMMAND ${MLIR_TBLGEN} ${ARGN} --write-if-changed -I ${TENON_LLVM_PREFIX}/include -I ${CMAKE_SOURCE_DIR}
            ${CMAKE_CURRENT_SOURCE_DIR}/${input} -o ${CMAKE_CURRENT_BINARY_DIR}/${output}
            -d ${CMAKE_CURRENT_BINARY_DIR}/${output}.d
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${output}.d
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${input} ${MLIR_TBLGEN}
    COMMENT "TableGen ${output}")
endfunction()
