# Finds the classes of ONNX models and what they need of protobuf:
# OnnxProto::OnnxProto.

find_path(OnnxProto_INCLUDE_DIR onnx/onnx_pb.h)
find_path(OnnxProto_PROTOBUF_INCLUDE_DIR google/protobuf/message.h)
find_library(OnnxProto_LIBRARY onnx_proto)
find_library(OnnxProto_PROTOBUF_LIBRARY protobuf)
mark_as_advanced(OnnxProto_INCLUDE_DIR OnnxProto_PROTOBUF_INCLUDE_DIR
  OnnxProto_LIBRARY OnnxProto_PROTOBUF_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OnnxProto REQUIRED_VARS
  OnnxProto_LIBRARY OnnxProto_PROTOBUF_LIBRARY OnnxProto_INCLUDE_DIR
  OnnxProto_PROTOBUF_INCLUDE_DIR)

if(OnnxProto_FOUND AND NOT TARGET OnnxProto::OnnxProto)
  add_library(OnnxProto::OnnxProto INTERFACE IMPORTED GLOBAL)
  set_target_properties(OnnxProto::OnnxProto PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES
    "${OnnxProto_INCLUDE_DIR};${OnnxProto_PROTOBUF_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
    "${OnnxProto_LIBRARY};${OnnxProto_PROTOBUF_LIBRARY}")
endif()
