# Installs the build, builds a program against that copy alone, runs it and the installed podium.
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK}/prefix ${WORK}/build)
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${SOURCE}/program -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE} -DCMAKE_CXX_FLAGS=-Werror)
step(${CMAKE_COMMAND} --build ${WORK}/build)
set(model ${WORK}/prefix/share/podium/models/podium-mini-zh-en)
step(${WORK}/build/consumer ${model})
if(NOT output STREQUAL "1\n0\n")
  message(FATAL_ERROR "the consumer ranked\n${output}and 1, 0 is right")
endif()

# Only public headers are installed, and the installed program finds the installed model.
file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
foreach(header ${headers})
  if(NOT header MATCHES "^podium/[a-z_]+\\.h$")
    message(FATAL_ERROR "installed a header that is not public: ${header}")
  endif()
endforeach()
set(ENV{PODIUM_MODEL} "")
step(${WORK}/prefix/bin/podium rank -q "how do I reset my router" "Choose a channel with less traffic."
     "Hold the reset button for ten seconds." --format json)
if(NOT output MATCHES "\"results\":\\[{\"index\":1")
  message(FATAL_ERROR "the installed podium printed\n${output}")
endif()
