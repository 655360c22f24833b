# What `cmake --install` puts where: the shared library with its headers, the command, and what find_package and
# pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# libtenon.so: the C++ interface and the C interface. Everything else in it, LLVM above all, is hidden.
set(tenon_exports ${CMAKE_SOURCE_DIR}/cmake/tenon.map)
add_library(tenon_shared SHARED
  $<TARGET_OBJECTS:tenon_api> $<TARGET_OBJECTS:tenon_capi> $<TARGET_OBJECTS:tenon_frontend_builder> $<TARGET_OBJECTS:tenon_literal>
  $<TARGET_OBJECTS:tenon_xla_proto> $<TARGET_OBJECTS:tenon_profile> $<TARGET_OBJECTS:tenon_remote> $<TARGET_OBJECTS:tenon_service_proto>
  $<TARGET_OBJECTS:tenon_support>)
set_target_properties(tenon_shared PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME tenon EXPORT_NAME Tenon VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${tenon_exports})
target_link_libraries(tenon_shared PRIVATE tenon_api tenon_profile tenon_remote PUBLIC protobuf::libprotobuf)
tenon_order_functions(tenon_shared)
# What nothing in it refers to would be left out.
target_link_options(tenon_shared PRIVATE -Wl,--undefined=Tenon_RegisterCustomCall)
target_link_options(tenon_shared PRIVATE -Wl,--version-script=${tenon_exports} -Wl,-Bsymbolic -Wl,--build-id=sha1)
if(NOT TENON_SANITIZE)
  target_link_options(tenon_shared PRIVATE -Wl,-z,defs)
endif()
target_include_directories(tenon_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(tenon_shared INTERFACE cxx_std_17)

# Tenon::C and Tenon::Target are made by the package's own file: what is exported here refers to protobuf.
install(TARGETS tenon_shared EXPORT TenonTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# What programs of several OS processes open, and the command when it serves.
install(TARGETS tenon_processes tenon_serve LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Users compile it for their MPI.
install(FILES ${CMAKE_SOURCE_DIR}/tenon/runtime/control/tenon_mpi.c DESTINATION ${CMAKE_INSTALL_DATADIR}/tenon)
# For programs compiled ahead of time.
install(TARGETS tenon_threads tenon_lapack tenon_cuda ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/tenon/aot/threads/tenon_threads.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tenon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/tenon.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/include/tenon/xla.pb.h ${CMAKE_BINARY_DIR}/include/tenon/ops.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon)
install(FILES ${CMAKE_BINARY_DIR}/include/tenon/c/ops.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon/c)

# Ours, and those of what is linked in.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/NOTICES
  COMMAND ${TENON_PYTHON} ${CMAKE_SOURCE_DIR}/scripts/notices.py --output ${CMAKE_BINARY_DIR}/NOTICES
  DEPENDS ${CMAKE_SOURCE_DIR}/scripts/notices.py)
add_custom_target(tenon_notices ALL DEPENDS ${CMAKE_BINARY_DIR}/NOTICES)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_BINARY_DIR}/NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(tenon_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${tenon_cmake_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/TenonConfig.cmake.in ${CMAKE_BINARY_DIR}/TenonConfig.cmake
  INSTALL_DESTINATION ${tenon_cmake_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TenonConfig.cmake ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
  ${CMAKE_SOURCE_DIR}/cmake/TenonAot.cmake
  DESTINATION ${tenon_cmake_dir})

# Found from where the files themselves lie, so that `cmake --install --prefix` and moved folders work.
file(RELATIVE_PATH tenon_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" tenon_up "${tenon_up}")
# Programs in C want nothing of protobuf's.
foreach(package tenon tenon-c)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
