# topolaunch_module(NAME HEADERS ... SOURCES ... [USES ...] [LINK ...])
#   a static library topolaunch::NAME from the files of the current folder, warning-free, with the
#   repository as include root. USES names other modules; LINK is handed to target_link_libraries.
# topolaunch_test(NAME SOURCES ... [LINK ...] [LABEL ...])
#   a GoogleTest program; every test in it becomes a ctest entry with the label of its folder.
# topolaunch_command_test(NAME COMMAND ... [LABEL ...] [TIMEOUT ...])
#   any program as one ctest entry, with the same label and environment; exit status 77 = skipped.
# Tests with the label `long` run in ./bootstrap test --all only.
include(GNUInstallDirs)

function(topolaunch_warnings target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TOPOLAUNCH_WERROR}>>:-Werror>
    # GCC 12's optimizer sees overlapping copies in std::string at -O2 (GCC bug 105651) and strings
    # that were never made at -O3 (105562) where there are none.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-Wno-restrict;-Wno-maybe-uninitialized>)
endfunction()

function(topolaunch_module name)
  cmake_parse_arguments(M "" "" "HEADERS;SOURCES;USES;LINK" ${ARGN})
  add_library(topolaunch_${name} STATIC ${M_SOURCES})
  add_library(topolaunch::${name} ALIAS topolaunch_${name})
  topolaunch_warnings(topolaunch_${name})
  set_target_properties(topolaunch_${name} PROPERTIES EXPORT_NAME ${name})
  target_sources(topolaunch_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
    FILES ${M_HEADERS})
  foreach(used IN LISTS M_USES)
    target_link_libraries(topolaunch_${name} PUBLIC topolaunch_${used})
  endforeach()
  target_link_libraries(topolaunch_${name} ${M_LINK})
  set_property(GLOBAL APPEND PROPERTY TOPOLAUNCH_MODULES topolaunch_${name})
endfunction()

# What every test gets told.
set(TOPOLAUNCH_TEST_ENVIRONMENT
  "TOPOLAUNCH_SHARED=${CMAKE_SOURCE_DIR}/../shared"
  "TOPOLAUNCH_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
  "TOPOLAUNCH_BINARY_DIR=${CMAKE_BINARY_DIR}")

# The label of the current folder, and the prefix of its tests' names: "unit" and "topo.source.".
macro(topolaunch_test_place)
  if(NOT T_LABEL)
    get_filename_component(T_LABEL ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    if(NOT T_LABEL MATCHES "^(contract|machine|transcript|fuzz|testbed|package|law)$")
      set(T_LABEL unit)
    endif()
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  if(TOPOLAUNCH_SANITIZE)
    math(EXPR T_TIMEOUT "${T_TIMEOUT} * 5")  # as much slower, or more
  endif()
  file(RELATIVE_PATH T_PREFIX ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "." T_PREFIX "${T_PREFIX}")
endmacro()

function(topolaunch_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT TOPOLAUNCH_BUILD_TESTS)
    return()
  endif()
  topolaunch_test_place()
  add_executable(${name} ${T_SOURCES})
  topolaunch_warnings(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${T_LINK} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} TEST_PREFIX "${T_PREFIX}." DISCOVERY_TIMEOUT 60
    TEST_LIST ${name}_discovered PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT})
  # A property that is a list loses all but its first element on the way through
  # gtest_discover_tests (CMake 3.25), so the environment is set when ctest reads the tests.
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}_environment.cmake)
  file(WRITE ${script} "if(${name}_discovered)
  set_tests_properties(\${${name}_discovered} PROPERTIES ENVIRONMENT \"${TOPOLAUNCH_TEST_ENVIRONMENT}\")
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

function(topolaunch_command_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT TOPOLAUNCH_BUILD_TESTS)
    return()
  endif()
  topolaunch_test_place()
  add_test(NAME ${T_PREFIX}.${name} COMMAND ${T_COMMAND})
  set_tests_properties(${T_PREFIX}.${name} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${TOPOLAUNCH_TEST_ENVIRONMENT}")
endfunction()
