# tenon_add_aot_library(<target> MODEL <file>... [NAME <identifier>] [CPU <processor>] [TRIPLE <system>]
#                       [SHAPES <shapes>...] [ENTRIES <function>...]
#                       [WEIGHTS EMBEDDED|EXTERNAL|<file.safetensors>] [THREADS] [LAPACK] [DEPENDS <file or target>...])
#
# A library of a StableHLO program compiled ahead of time, to link to: `#include "<NAME>.h"` works in what links to it.
# NAME is the prefix of the model's C names (default: the file's name). Of several files, functions or sets of shapes each
# is a model with a name of its own, NAME_FILE_FUNCTION_SHAPES, of which parts are left out that all have in common.
# THREADS brings libtenon_threads.a and tenon_threads.h along, LAPACK libtenon_lapack.a, which a program that calls
# LAPACK's routines wants. With WEIGHTS EXTERNAL or a file of safetensors, the target property TENON_WEIGHTS is the file
# that the program loads.
# While cross-compiling, TRIPLE and CPU say what for; otherwise the processor of this machine is the default.
#
# TENON_COMMAND is the compiler: the `tenon` beside this package, or of the PATH.
#
#   find_package(Tenon REQUIRED COMPONENTS Aot) # or include() this file, and set TENON_COMMAND
#   tenon_add_aot_library(digits MODEL digits.mlirbc CPU x86-64-v3)
#   target_link_libraries(app PRIVATE digits)

# Where find_package found the package: <prefix>, and <library folder>/cmake/Tenon.
find_program(TENON_COMMAND tenon HINTS "${PACKAGE_PREFIX_DIR}/bin" DOC "The tenon compiler")
find_library(TENON_THREADS_LIBRARY tenon_threads HINTS "${CMAKE_CURRENT_LIST_DIR}/../..")
find_library(TENON_LAPACK_LIBRARY tenon_lapack HINTS "${CMAKE_CURRENT_LIST_DIR}/../..")
find_path(TENON_THREADS_INCLUDE tenon_threads.h HINTS "${PACKAGE_PREFIX_DIR}/include")

function(tenon_add_aot_library target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "THREADS;LAPACK" "NAME;CPU;TRIPLE;WEIGHTS" "MODEL;SHAPES;ENTRIES;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_aot_library: what is '${ARG_UNPARSED_ARGUMENTS}'?")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "tenon_add_aot_library: MODEL is missing")
  endif()
  if(NOT TENON_COMMAND)
    message(FATAL_ERROR "tenon_add_aot_library: no tenon command; set TENON_COMMAND")
  endif()
  set(models)
  foreach(model IN LISTS ARG_MODEL)
    get_filename_component(model "${model}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND models "${model}")
  endforeach()
  if(NOT ARG_NAME)
    list(GET models 0 model)
    get_filename_component(ARG_NAME "${model}" NAME_WLE)
    string(MAKE_C_IDENTIFIER "${ARG_NAME}" ARG_NAME)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_aot")
  set(object "${folder}/${ARG_NAME}.o")
  set(outputs "${object}" "${folder}/${ARG_NAME}.h")
  set(options --aot "${folder}" --name "${ARG_NAME}")
  string(JOIN "$<SEMICOLON>" ARG_SHAPES ${ARG_SHAPES})
  foreach(entry IN LISTS ARG_ENTRIES)
    list(APPEND options --entry "${entry}")
  endforeach()
  foreach(pair "CPU;--cpu" "TRIPLE;--target-triple" "SHAPES;--shapes")
    list(GET pair 0 argument)
    list(GET pair 1 option)
    if(ARG_${argument})
      list(APPEND options ${option} "${ARG_${argument}}")
    endif()
  endforeach()
  set(weights_file "${folder}/${ARG_NAME}.weights")
  if(ARG_WEIGHTS MATCHES "\\.safetensors$")
    get_filename_component(weights_file "${ARG_WEIGHTS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --weights "${weights_file}")
    list(APPEND ARG_DEPENDS "${weights_file}")
  elseif(ARG_WEIGHTS)
    string(TOLOWER "${ARG_WEIGHTS}" weights)
    list(APPEND options --weights ${weights})
    if(weights STREQUAL "external")
      list(APPEND outputs "${weights_file}")
    endif()
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "${TENON_COMMAND}" compile ${models} ${options}
    DEPENDS ${models} "${TENON_COMMAND}" ${ARG_DEPENDS}
    COMMENT "Compiling ${ARG_NAME} ahead of time" VERBATIM)
  add_library(${target} STATIC ${outputs})
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    set(language C)
  else()
    set(language CXX)
  endif()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language}
                        TENON_WEIGHTS "${weights_file}")
  target_include_directories(${target} INTERFACE "${folder}")
  target_link_libraries(${target} INTERFACE m)
  if(ARG_LAPACK)
    if(NOT TENON_LAPACK_LIBRARY)
      message(FATAL_ERROR "tenon_add_aot_library: no tenon_lapack; set TENON_LAPACK_LIBRARY")
    endif()
    find_package(Threads REQUIRED)
    target_link_libraries(${target} INTERFACE "${TENON_LAPACK_LIBRARY}" stdc++ ${CMAKE_DL_LIBS} Threads::Threads)
  endif()
  if(ARG_THREADS)
    if(NOT TENON_THREADS_LIBRARY OR NOT TENON_THREADS_INCLUDE)
      message(FATAL_ERROR "tenon_add_aot_library: no tenon_threads; set TENON_THREADS_LIBRARY and TENON_THREADS_INCLUDE")
    endif()
    find_package(Threads REQUIRED)
    target_include_directories(${target} INTERFACE "${TENON_THREADS_INCLUDE}")
    target_link_libraries(${target} INTERFACE "${TENON_THREADS_LIBRARY}" Threads::Threads)
  endif()
endfunction()
