# Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks the model that the argument names and prints its graph."""

import sys

import onnx

model = onnx.load(sys.argv[1])
onnx.checker.check_model(model, full_check=True)
print("opset", model.opset_import[0].version)
print(onnx.helper.printable_graph(model.graph))
