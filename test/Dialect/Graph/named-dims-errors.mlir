// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What functions declare of sizes that vary.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'graph.dims' of argument 0 needs 'graph.dim_bounds' of a function}}
func.func private @no_bounds(tensor<?xf32> {graph.dims = ["batch"]})

// -----

// expected-error @below {{'graph.dim_bounds' must be a dictionary of [min, max]}}
func.func private @no_dictionary(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = [1, 2]}

// -----

// expected-error @below {{'graph.dim_bounds': 'a b' is not a name}}
func.func private @no_name(tensor<?xf32> {graph.dims = ["a b"]})
    attributes {graph.dim_bounds = {"a b" = [1, 2]}}

// -----

// expected-error @below {{'graph.dim_bounds': 'batch' needs bounds [min, max]}}
func.func private @one_bound(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1]}}

// -----

// expected-error @below {{'graph.dim_bounds': 'batch' needs bounds [min, max]}}
func.func private @type_of_bound(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1 : i32, 2 : i32]}}

// -----

// expected-error @below {{'graph.dim_bounds': bounds [0, 2] of 'batch' are not 1 <= min <= max <= 2147483648}}
func.func private @zero(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [0, 2]}}

// -----

// expected-error @below {{'graph.dim_bounds': bounds [3, 2] of 'batch' are not 1 <= min <= max}}
func.func private @empty(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [3, 2]}}

// -----

// expected-error @below {{'graph.dim_bounds': bounds [1, 2147483649] of 'batch' are not 1 <= min <= max}}
func.func private @huge(tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1, 2147483649]}}

// -----

// expected-error @below {{'graph.dims' of argument 0 must be an array of strings}}
func.func private @numbers(tensor<?xf32> {graph.dims = [1]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of argument 1 has 1 names for the type 'tensor<?x3xf32>'}}
func.func private @rank(tensor<?xf32> {graph.dims = ["batch"]},
                        tensor<?x3xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of argument 0 has 1 names for the type 'i32'}}
func.func private @no_tensor(i32 {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{dimension 1 of argument 0 is dynamic and has no name in 'graph.dims'}}
func.func private @unnamed(tensor<?x?xf32> {graph.dims = ["batch", ""]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{dimension 1 of argument 0 is static and has a name in 'graph.dims'}}
func.func private @static(tensor<?x3xf32> {graph.dims = ["batch", "batch"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of argument 0: 'batch - 1' is not a name, or a sum of products of names and numbers}}
func.func private @difference(tensor<?xf32> {graph.dims = ["batch - 1"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of argument 0: '2 * 3' is not a name}}
func.func private @number(tensor<?xf32> {graph.dims = ["2 * 3"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'time' of argument 0 has no bounds in 'graph.dim_bounds'}}
func.func private @undeclared(tensor<?x?xf32> {graph.dims = ["batch", "batch + time"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'time' in 'graph.dim_bounds' does not follow from any argument's shape}}
func.func private @unused(tensor<?x?xf32> {graph.dims = ["batch", "batch * time"]})
    attributes {graph.dim_bounds = {batch = [1, 2], time = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of result 0 is not supported: sizes of results follow from the arguments}}
func.func private @result(tensor<?xf32> {graph.dims = ["batch"]}) -> (tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1, 2]}}

// -----

// expected-error @below {{'graph.dims' of result 1 is not supported}}
func.func private @no_arguments() -> (f32, tensor<?xf32> {graph.dims = ["batch"]})

// -----

// expected-error @below {{'graph.name' of result 0 must be a string}}
func.func private @name_of_result() -> (tensor<4xf32> {graph.name = 1})

// -----

// expected-error @below {{result 0 has an unknown attribute 'graph.const_arg'}}
func.func private @constant_result() -> (tensor<4xf32> {graph.const_arg})

// -----

func.func @undeclared_in_op(%x: tensor<?x4xf32> {graph.dims = ["batch", ""]}) -> tensor<?x?xf32>
    attributes {graph.dim_bounds = {batch = [1, 2]}} {
  // expected-error @below {{'graph.static_reshape' op 'time' in 'dims' has no bounds in 'graph.dim_bounds' of the function}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1>, dims = ["batch", "4 * time"]} : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// expected-error @below {{'graph.dim_bounds' is only for functions}}
module attributes {graph.dim_bounds = {batch = [1, 2]}} {}
