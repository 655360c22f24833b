# Libraries and programs for systems whose C library is older than this machine's, without a C++ library or libraries of
# other projects beside them: what wheels for many systems hold (scripts/build_wheel.py --portable). They are linked of what the others
# are, in a folder of their own: portable/.
set(tenon_portable_folder ${CMAKE_BINARY_DIR}/portable)
set(tenon_portable_script ${CMAKE_SOURCE_DIR}/cmake/portable/libraries.py)

add_library(tenon_newer_functions STATIC EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/cmake/portable/newer_functions.c ${CMAKE_SOURCE_DIR}/cmake/portable/newer_spawn.c
  ${CMAKE_SOURCE_DIR}/cmake/portable/older_start.c)
add_executable(tenon_newer_spawn_test
  ${CMAKE_SOURCE_DIR}/cmake/portable/newer_spawn_test.c ${CMAKE_SOURCE_DIR}/cmake/portable/newer_spawn.c)
target_compile_definitions(tenon_newer_spawn_test PRIVATE dlsym=olderSystem)
add_test(NAME tenon_newer_spawn_test COMMAND tenon_newer_spawn_test)
set(tenon_portable_compiler ${CMAKE_C_COMPILER})
if(CMAKE_CROSSCOMPILING)
  list(APPEND tenon_portable_compiler --target=${CMAKE_C_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
endif()
# What gRPC needs that Debian's archives have no code of for shared libraries, and libraries of the server that have no
# archives (scripts/fetch_portable_sources.py).
set(TENON_PORTABLE_SOURCES ${CMAKE_SOURCE_DIR}/.setup/portable CACHE PATH "Directory that holds sources of other projects")
file(GLOB_RECURSE tenon_portable_sources CONFIGURE_DEPENDS ${TENON_PORTABLE_SOURCES}/*.cc ${TENON_PORTABLE_SOURCES}/*.cpp)
set(tenon_makes_portable FALSE)
if(TENON_SANITIZE)
  return()
endif()
if(NOT EXISTS ${TENON_PORTABLE_SOURCES}) # with `setup.sh demo`
  message(STATUS "No sources for portable libraries: what is portable is left out")
  return()
endif()
set(fetched ${TENON_PORTABLE_SOURCES}/fetch_portable_sources.py)
file(GLOB configured_by ${CMAKE_SOURCE_DIR}/scripts/fetch_portable_sources.py ${fetched}) # those that there are
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${configured_by})
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${CMAKE_SOURCE_DIR}/scripts/fetch_portable_sources.py ${fetched}
                RESULT_VARIABLE are_others ERROR_QUIET)
if(are_others)
  message(WARNING "The sources in ${TENON_PORTABLE_SOURCES} are not what scripts/fetch_portable_sources.py fetches: what is portable is left out. Run scripts/setup.sh.")
  return()
endif()
set(tenon_makes_portable TRUE)
add_library(tenon_portable_replacements STATIC EXCLUDE_FROM_ALL ${tenon_portable_sources})
set_target_properties(tenon_portable_replacements PROPERTIES CXX_STANDARD 17) # as Debian compiles Abseil
target_include_directories(tenon_portable_replacements SYSTEM PRIVATE ${TENON_PORTABLE_SOURCES}/protobuf/src ${TENON_PORTABLE_SOURCES}/re2)
# The archives are GCC 12's, which names some templates as Clang did up to 17.
target_compile_options(tenon_portable_replacements PRIVATE -w -fclang-abi-compat=17)
target_compile_definitions(tenon_portable_replacements PRIVATE CPPHTTPLIB_USE_POLL) # as Debian compiles cpp-httplib

add_custom_command(
  OUTPUT ${tenon_portable_folder}/link/libc.so
  COMMAND ${TENON_PYTHON} ${tenon_portable_script} --shims $<TARGET_FILE:tenon_newer_functions>
          --replacements $<TARGET_FILE:tenon_portable_replacements>
          --output ${tenon_portable_folder}/link --compiler ${tenon_portable_compiler}
  DEPENDS ${tenon_portable_script} tenon_newer_functions tenon_portable_replacements
  COMMENT "Names of an older C library"
  VERBATIM)
add_custom_target(tenon_portable_link DEPENDS ${tenon_portable_folder}/link/libc.so)

function(tenon_link_portably original target)
  add_dependencies(${target} tenon_portable_link)
  # Older systems do not read relocations in RELR form.
  target_link_options(${target} PRIVATE $<TARGET_PROPERTY:${original},LINK_OPTIONS> -L${tenon_portable_folder}/link
                                        -static-libstdc++ -Wl,-z,nopack-relative-relocs)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX
    OUTPUT_NAME ${original}
    LINK_DEPENDS "$<TARGET_PROPERTY:${original},LINK_DEPENDS>;${tenon_portable_folder}/link/libc.so"
    LIBRARY_OUTPUT_DIRECTORY ${tenon_portable_folder}/lib
    RUNTIME_OUTPUT_DIRECTORY ${tenon_portable_folder}/bin)
endfunction()

# tenon_portable(<library> [<object> ...] [LIBS ...]): <library>_portable is the same of the same objects, linked so. `objects`
# are those that the library is made of besides its own. LIBS stand in the place of the library's own.
function(tenon_portable library)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  if(NOT ARG_LIBS)
    set(ARG_LIBS $<TARGET_PROPERTY:${library},LINK_LIBRARIES>)
  endif()
  add_library(${library}_portable SHARED $<TARGET_OBJECTS:${library}> ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${library}_portable PRIVATE ${ARG_LIBS})
  tenon_link_portably(${library} ${library}_portable)
endfunction()

# tenon_portable_program(<program> [<object> ...] [LIBS ...]): <program>_portable, of the same objects, and of those of what
# <program> opens, with their LIBS.
function(tenon_portable_program program)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${program}_portable $<TARGET_OBJECTS:${program}> ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${program}_portable PRIVATE $<TARGET_PROPERTY:${program},LINK_LIBRARIES> ${ARG_LIBS})
  # cmake/portable/older_start.c. The libgcc_s of this machine needs what the older C library does not have: systems have
  # their own.
  target_link_options(${program}_portable PRIVATE -Wl,--wrap=__libc_start_main -Wl,--allow-shlib-undefined)
  tenon_link_portably(${program} ${program}_portable)
endfunction()
