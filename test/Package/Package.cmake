# Installs the build into a folder of its own, builds examples/out-of-tree
# against it with nothing but the prefix, and checks what comes out. Also: graphs
# compiled ahead of time with the standalone runtimes, and the C interface, in C
# programs without MLIR, the Python package, and the installed tools and plugin.
#
#   cmake -DSOURCE_DIR= -DBUILD_DIR= -DWORK_DIR= -DFILECHECK= -DMLIR_OPT= \
#     -DC_COMPILER= -DCXX_COMPILER= -DPYTHON= -P Package.cmake

function(run)
  cmake_parse_arguments(ARG "" "OUTPUT;ERROR" "COMMAND" ${ARGN})
  execute_process(COMMAND ${ARG_COMMAND} RESULT_VARIABLE status
    OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARG_COMMAND " " text)
    message(FATAL_ERROR "${text}\nfailed (${status}):\n${out}${err}")
  endif()
  if(ARG_OUTPUT)
    file(WRITE ${ARG_OUTPUT} "${out}")
  endif()
  if(ARG_ERROR)
    file(WRITE ${ARG_ERROR} "${err}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
# The package has to work wherever it is moved to.
file(RENAME ${WORK_DIR}/first ${WORK_DIR}/prefix)
set(prefix ${WORK_DIR}/prefix)

foreach(example out-of-tree c ahead-of-time runtime-only)
  set(source ${SOURCE_DIR}/examples/${example})
  if(NOT EXISTS ${source})
    set(source ${SOURCE_DIR}/test/Package/Inputs/${example})
  endif()
  run(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${WORK_DIR}/${example} -G Ninja
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
  run(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/${example})
endforeach()

# Our pipeline and their pass in their tool.
set(input ${SOURCE_DIR}/examples/out-of-tree/mlp.mlir)
run(COMMAND ${WORK_DIR}/out-of-tree/my-opt ${input} --report-flops
  "--gc-cpu-pipeline=threads=2 kernel=libxsmm"
  OUTPUT ${WORK_DIR}/mlp.out ERROR ${WORK_DIR}/mlp.err)
run(COMMAND ${FILECHECK} ${input} --input-file=${WORK_DIR}/mlp.out)
run(COMMAND ${FILECHECK} ${input} --input-file=${WORK_DIR}/mlp.err
  --check-prefix=FLOPS)

# Graphs compiled ahead of time, on every kind of runtime.
foreach(program archive library gc_runtime gc_runtime_vector packaged
    packaged_shared)
  run(COMMAND ${WORK_DIR}/runtime-only/with-${program})
endforeach()
# What a product ships stays small.
find_program(strip strip)
foreach(limit gc_runtime:700000 gc_runtime_vector:150000)
  string(REPLACE ":" ";" limit ${limit})
  list(GET limit 0 library)
  list(GET limit 1 most)
  file(GLOB_RECURSE file ${prefix}/*/lib${library}.so)
  if(NOT strip OR NOT file)
    continue()
  endif()
  run(COMMAND ${strip} -o ${WORK_DIR}/stripped.so ${file})
  file(SIZE ${WORK_DIR}/stripped.so size)
  if(size GREATER most)
    message(FATAL_ERROR "${library} has ${size} bytes, more than ${most}")
  endif()
endforeach()
run(COMMAND ${WORK_DIR}/ahead-of-time/layer-of-perceptron
  OUTPUT ${WORK_DIR}/ahead-of-time.out)
file(READ ${WORK_DIR}/ahead-of-time.out output)
if(NOT output MATCHES "^7 0\n16 0\n$")
  message(FATAL_ERROR "layer-of-perceptron printed:\n${output}")
endif()

# A C program, and the Python package where there is one.
run(COMMAND ${WORK_DIR}/c/layer OUTPUT ${WORK_DIR}/layer.out)
file(READ ${WORK_DIR}/layer.out output)
if(NOT output MATCHES "16 0\n$")
  message(FATAL_ERROR "layer printed:\n${output}")
endif()
file(GLOB_RECURSE package ${prefix}/*/gc_compiler/__init__.py)
if(package)
  get_filename_component(package ${package} DIRECTORY)
  get_filename_component(package ${package} DIRECTORY)
  run(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${package}
    PYTHONDONTWRITEBYTECODE=1 ${PYTHON} -c "import gc_compiler as g
assert g.__file__.startswith('${package}')
assert g.compile('${input}')")
endif()

# The installed tools find what they need.
run(COMMAND ${prefix}/bin/gc-opt ${input} --machine=zen4-2
  OUTPUT ${WORK_DIR}/gc-opt.out)
file(GLOB_RECURSE plugin ${prefix}/*/GCPlugin.so)
if(plugin AND MLIR_OPT)
  run(COMMAND ${MLIR_OPT} ${input} --load-dialect-plugin=${plugin})
endif()

# Nothing in the package points back to the build or the source tree.
file(GLOB_RECURSE files ${prefix}/*.cmake)
foreach(file ${files})
  file(READ ${file} text)
  foreach(directory ${BUILD_DIR} ${SOURCE_DIR})
    string(FIND "${text}" "${directory}/" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} mentions ${directory}")
    endif()
  endforeach()
endforeach()
message(STATUS "The package works")
