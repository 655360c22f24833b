# Libraries and programs for systems whose C library is older than this machine's, without a C++ library or libraries of
# other projects beside them: what wheels for many systems hold (scripts/build_wheel.py --portable). They are linked of what the others
# are, in a folder of their own: portable/.
set(tenon_portable_folder ${CMAKE_BINARY_DIR}/portable)
set(tenon_portable_script ${CMAKE_SOURCE_DIR}/cmake/portable/libraries.py)

add_library(tenon_newer_functions STATIC EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/cmake/portable/newer_functions.c ${CMAKE_SOURCE_DIR}/cmake/portable/older_start.c)
set(tenon_portable_compiler ${CMAKE_C_COMPILER})
if(CMAKE_CROSSCOMPILING)
  list(APPEND tenon_portable_compiler --target=${CMAKE_C_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
endif()
add_custom_command(
  OUTPUT ${tenon_portable_folder}/link/libc.so
  COMMAND ${TENON_PYTHON} ${tenon_portable_script} --shims $<TARGET_FILE:tenon_newer_functions>
          --output ${tenon_portable_folder}/link --compiler ${tenon_portable_compiler}
  DEPENDS ${tenon_portable_script} tenon_newer_functions
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

# tenon_portable(<library>): <library>_portable is the same of the same objects, linked so.
function(tenon_portable library)
  add_library(${library}_portable SHARED $<TARGET_OBJECTS:${library}>)
  target_link_libraries(${library}_portable PRIVATE $<TARGET_PROPERTY:${library},LINK_LIBRARIES>)
  tenon_link_portably(${library} ${library}_portable)
endfunction()

# tenon_portable_program(<program> <source> ... LIBS ...): <program>_portable, of the same objects and these sources, with
# these libraries in the place of the program's own.
function(tenon_portable_program program)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_executable(${program}_portable $<TARGET_OBJECTS:${program}> ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${program}_portable PRIVATE ${ARG_LIBS})
  # cmake/portable/older_start.c. The libgcc_s of this machine needs what the older C library does not have: systems have
  # their own.
  target_link_options(${program}_portable PRIVATE -Wl,--wrap=__libc_start_main -Wl,--allow-shlib-undefined)
  tenon_link_portably(${program} ${program}_portable)
endfunction()
