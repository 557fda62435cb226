# Compares the committed reference pages with freshly generated ones.
#
#   cmake -DPAGES= -DGENERATED= -DCOMMITTED= -P Docs.cmake

foreach(page ${PAGES})
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files
    ${GENERATED}/${page} ${COMMITTED}/${page} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(SEND_ERROR
      "docs/reference/${page} is not up to date: run `ninja gc-docs`")
  endif()
endforeach()
