// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Constraints of buffers, flags, barriers, scalars and attributes.

func.func @alloc_shape() {
  // expected-error @below {{'npu.alloc' op (C1) needs a static shape of at least one element}}
  %a = npu.alloc : memref<4x?xf16, #npu.space<ub>>
  return
}

// -----

func.func @alloc_layout() {
  // expected-error @below {{'npu.alloc' op (C1) needs a static shape of at least one element, the identity layout}}
  %a = npu.alloc : memref<4x8xf16, strided<[16, 1]>, #npu.space<ub>>
  return
}

// -----

func.func @alloc_type() {
  // expected-error @below {{'npu.alloc' op (C1)}}
  %a = npu.alloc : memref<4xf64, #npu.space<ub>>
  return
}

// -----

func.func @alloc_empty() {
  // expected-error @below {{'npu.alloc' op (C1)}}
  %a = npu.alloc : memref<0xf16, #npu.space<ub>>
  return
}

// -----

func.func @alloc_global() {
  // expected-error @below {{'npu.alloc' op (C2) needs a memory space of the core}}
  %a = npu.alloc : memref<4xf16, #npu.space<gm>>
  return
}

// -----

func.func @alloc_no_space() {
  // expected-error @below {{'npu.alloc' op (C2) needs a memory space of the core}}
  %a = npu.alloc : memref<4xf16>
  return
}

// -----

func.func @alloc_address() {
  // expected-error @below {{'npu.alloc' op (C3) address 256 is not a multiple of 512}}
  %a = npu.alloc at 256 : memref<512xf16, #npu.space<l0a>>
  return
}

// -----

func.func @alloc_size() {
  // expected-error @below {{'npu.alloc' op (C4) 2 x 131072 bytes at 32 do not fit into the 262144 of ub}}
  %a = npu.alloc slots 2 at 32 : memref<65536xf16, #npu.space<ub>>
  return
}

// -----

// The number of slots alone overflows 64 bits.
func.func @alloc_many() {
  // expected-error @below {{'npu.alloc' op (C4)}}
  %a = npu.alloc slots 4611686018427387904 : memref<65536xf16, #npu.space<ub>>
  return
}

// -----

// So does the number of elements.
func.func @alloc_huge() {
  // expected-error @below {{'npu.alloc' op (C4) has more elements than any memory}}
  %a = npu.alloc : memref<4294967296x4294967296xf16, #npu.space<ub>>
  return
}

// -----

func.func @alloc_slots() {
  // expected-error @below {{'npu.alloc' op (C5) has no slots}}
  %a = npu.alloc slots 0 : memref<16xf16, #npu.space<ub>>
  return
}

// -----

func.func @alloc_slot_use(%x: f32) {
  // expected-error @below {{'npu.alloc' op (C5) of several slots is used by 'npu.fill', not npu.slot}}
  %a = npu.alloc slots 2 : memref<16xf16, #npu.space<ub>>
  npu.fill %x to %a : memref<16xf16, #npu.space<ub>>
  return
}

// -----

func.func @slot_of_argument(%a: memref<16xf16, #npu.space<ub>>, %i: index) {
  // expected-error @below {{'npu.slot' op (C1) the buffer is not the result of npu.alloc}}
  %s = npu.slot %a[%i] : memref<16xf16, #npu.space<ub>> to memref<16xf16, strided<[1], offset: ?>, #npu.space<ub>>
  return
}

// -----

func.func @slot_type(%i: index) {
  %a = npu.alloc slots 2 : memref<16xf16, #npu.space<ub>>
  // expected-error @below {{'npu.slot' op (C2) gives 'memref<16xf16, strided<[1], offset: ?>, #npu.space<ub>>'}}
  %s = npu.slot %a[%i] : memref<16xf16, #npu.space<ub>> to memref<16xf16, #npu.space<ub>>
  return
}

// -----

func.func @flag_pair(%i: index) {
  // expected-error @below {{'npu.set_flag' op (C1) joins a pipe with itself}}
  npu.set_flag v -> v[%i]
  return
}

// -----

func.func @flag_event() {
  %c4 = arith.constant 4 : index
  // expected-error @below {{'npu.wait_flag' op (C2) has event 4; a pair of pipes has flags 0 to 3}}
  npu.wait_flag mte2 -> v[%c4]
  return
}

// -----

func.func @barrier_pipe() {
  // expected-error @below {{'npu.barrier' op (C1) pipe s has no queue to wait for}}
  npu.barrier s
  return
}

// -----

func.func @load_scalar_space(%a: memref<16xf16, #npu.space<gm>>, %i: index) {
  // expected-error @below {{'npu.load_scalar' op (C1) reads from ub}}
  %x = npu.load_scalar %a[%i] : memref<16xf16, #npu.space<gm>> -> f16
  return
}

// -----

func.func @load_scalar_indices(%a: memref<16x2xf16, #npu.space<ub>>, %i: index) {
  // expected-error @below {{'npu.load_scalar' op (C2) has 1 indices}}
  %x = npu.load_scalar %a[%i] : memref<16x2xf16, #npu.space<ub>> -> f16
  return
}

// -----

func.func @load_scalar_type(%a: memref<16xf16, #npu.space<ub>>, %i: index) {
  // expected-error @below {{'npu.load_scalar' op (C3) gives an element}}
  %x = npu.load_scalar %a[%i] : memref<16xf16, #npu.space<ub>> -> f32
  return
}

// -----

// expected-error @below {{'npu.once' is only for calls and takes no value}}
func.func @once() attributes {npu.once} {
  return
}

// -----

// expected-error @below {{'npu.repeated' must be the name of a graph function on a function}}
func.func @repeated() attributes {npu.repeated = 1 : i64} {
  return
}

// -----

// expected-error @below {{'npu.cores' must be an integer of 1 or more on a function}}
func.func @cores() attributes {npu.cores = 0} {
  return
}

// -----

// expected-error @below {{'npu.first_core' must be an integer of 0 or more on a function}}
func.func @first_core() attributes {npu.first_core = -1} {
  return
}

// -----

// expected-error @below {{'npu.beside' must be the name of a kernel on a function}}
func.func @beside() attributes {npu.beside = 3} {
  return
}

// -----

// expected-error @below {{'npu.kernel' is only for functions and takes no value}}
func.func @kernel() attributes {npu.kernel = 1} {
  return
}

// -----

// expected-error @below {{'npu.pipeline' must be an integer of 1 or more on scf.for}}
func.func @pipeline() attributes {npu.pipeline = 2} {
  return
}

// -----

func.func @deep_pipeline() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'npu.pipeline' must be at most 256}}
  scf.for %i = %c0 to %c1 step %c1 {
  } {npu.pipeline = 257}
  return
}

// -----

// expected-error @below {{has an unknown attribute 'npu.speed'}}
func.func @unknown() attributes {npu.speed = 2} {
  return
}

// -----

// A machine that the module describes: 32 KiB of UB only.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"ub_bytes" = 32768 : i64>>} {
  func.func @small() {
    // expected-error @below {{'npu.alloc' op (C4) 1 x 65536 bytes at 0 do not fit into the 32768 of ub}}
    %a = npu.alloc at 0 : memref<32768xf16, #npu.space<ub>>
    return
  }
}

// -----

// expected-error @below {{the device "NPU" has no parameter "wheels"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"wheels" = 4 : i64>>} {
  func.func @wheels() {
    %a = npu.alloc : memref<32xf16, #npu.space<ub>>
    return
  }
}

// -----

// expected-error @below {{parameter "npu.profile" of the device "NPU" cannot be "hbm"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.profile" = "hbm">>} {
  func.func @profile() {
    %a = npu.alloc : memref<32xf16, #npu.space<ub>>
    return
  }
}

// -----

// expected-error @below {{parameter "latency" of the device "NPU" cannot be -5}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"latency" = -5 : i64>>} {
  func.func @latency() {
    %a = npu.alloc : memref<32xf16, #npu.space<ub>>
    return
  }
}

// -----

func.func @slot_index() {
  %minus = arith.constant -1 : index
  %a = npu.alloc slots 2 at 0 : memref<16xf16, #npu.space<ub>>
  // expected-error @below {{'npu.slot' op (C3) has the negative index -1}}
  %s = npu.slot %a[%minus] : memref<16xf16, #npu.space<ub>> to memref<16xf16, strided<[1], offset: ?>, #npu.space<ub>>
  return
}

// -----

// One error, where the name is.
// expected-error @below {{there is no memory 'hbm'; there are gm, l1, ub, l0a, l0b and l0c}}
func.func private @memory(memref<4xf16, #npu.space<hbm>>)
