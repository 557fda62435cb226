// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The classes of onnx.proto, as the packaged library was built.

#ifndef GC_LIB_TARGET_ONNX_ONNXPROTO_H
#define GC_LIB_TARGET_ONNX_ONNXPROTO_H

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <onnx/onnx_pb.h>

#endif // GC_LIB_TARGET_ONNX_ONNXPROTO_H
