# Install, export and packages. The libraries of the pure stages are exported for find_package():
#   find_package(topolaunch) ... target_link_libraries(mine topolaunch::topo topolaunch::mapping)
# Headers lie in include/topolaunch, which is the include directory: #include "topo/topology.h".
# Three components, three Debian packages: topolaunch, topobench, topolaunch-dev.
include(CMakePackageConfigHelpers)

foreach(program topolaunch topobench)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${program})
  endif()
endforeach()

# Man pages: written as Markdown in docs/man, converted when built.
if(Python3_EXECUTABLE)
  foreach(program topolaunch topobench)
    set(source ${PROJECT_SOURCE_DIR}/docs/man/${program}.1.md)
    set(page ${PROJECT_BINARY_DIR}/docs/man/${program}.1)
    if(EXISTS ${source} AND TARGET ${program})
      add_custom_command(OUTPUT ${page}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/man_page.py ${source} ${page}
          --version ${PROJECT_VERSION}
        DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/man_page.py VERBATIM)
      add_custom_target(man_${program} ALL DEPENDS ${page})
      install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${program})
    endif()
  endforeach()
endif()

set(include_dir ${CMAKE_INSTALL_INCLUDEDIR}/topolaunch)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/topolaunch)
foreach(module base topo mapping quota)
  if(TARGET topolaunch_${module})
    target_include_directories(topolaunch_${module} PUBLIC $<INSTALL_INTERFACE:${include_dir}>)
    install(TARGETS topolaunch_${module} EXPORT topolaunchTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
      FILE_SET HEADERS DESTINATION ${include_dir} COMPONENT dev)
  endif()
endforeach()
install(EXPORT topolaunchTargets NAMESPACE topolaunch:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/topolaunchConfig.cmake.in
  ${PROJECT_BINARY_DIR}/topolaunchConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/topolaunchConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/topolaunchConfig.cmake
  ${PROJECT_BINARY_DIR}/topolaunchConfigVersion.cmake DESTINATION ${package_dir} COMPONENT dev)
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/topolaunch/schema COMPONENT topolaunch)
foreach(package topolaunch topobench topolaunch-dev)
  string(REPLACE "topolaunch-" "" component ${package})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright COMPONENT ${component}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "topolaunch")
set(CPACK_PACKAGE_CONTACT "The topolaunch authors <topolaunch@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL topolaunch dev)
if(TARGET topobench)
  list(APPEND CPACK_COMPONENTS_ALL topobench)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOPOLAUNCH_PACKAGE_NAME topolaunch)
# OpenSSL is opened at run time, so no linker names it.
set(CPACK_DEBIAN_TOPOLAUNCH_PACKAGE_DEPENDS libssl3)
set(CPACK_DEBIAN_TOPOLAUNCH_PACKAGE_RECOMMENDS topobench)
set(CPACK_DEBIAN_TOPOBENCH_PACKAGE_NAME topobench)
set(CPACK_DEBIAN_TOPOBENCH_PACKAGE_DEPENDS "topolaunch (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME topolaunch-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
string(CONCAT CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libexpected-dev, libfmt-dev, libhwloc-dev, libpugixml-dev, libsqlite3-dev, "
  "libtomlplusplus-dev, libyaml-cpp-dev, nlohmann-json3-dev")
set(CPACK_COMPONENT_TOPOLAUNCH_DESCRIPTION
  "Starts every rank of a GPU job on the right GPU, proves it, and runs the job.")
set(CPACK_COMPONENT_TOPOBENCH_DESCRIPTION
  "The interconnect microbenchmark that topolaunch starts: allreduce over NCCL or MPI.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Libraries and headers of topolaunch's pure stages.")
include(CPack)
