// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The language of `gc-translate --npu-to-cce`: C with the intrinsics of the
// NPU, named as the field names them, each a call of the C interface of the
// simulator (Runtime/Npu.h). A program is compiled with the host's C++
// compiler:
//
//   c++ -std=c++17 -O2 -DGC_CCE_MAIN program.cpp -lGCNpuSimulator -lpthread
//   ./a.out [--profile=gm64|gm32|l2] [--mode=values|cycles] tensor.bin...
//
// which runs it on the simulator (see Runtime/NpuCceMain.h). It differs from
// the vendor's language where this machine differs from theirs: transfers of
// any number of bytes, strides between fractals, loads from UB by name. A
// pointer holds an address of the machine, of which the buffer is a part; the
// host cannot follow it, arithmetic works as usual. Pointers' types choose data
// types.
//
// Units: blocks are 32 bytes, fractals 512 (L0C: 1024) bytes, gaps lie between
// the end of one burst and the start of the next. Errors carry the line of the
// text.

#ifndef GC_RUNTIME_NPUCCE_H
#define GC_RUNTIME_NPUCCE_H

#include "Runtime/NpuCce/Core.h"
#include "Runtime/NpuCce/Cube.h"
#include "Runtime/NpuCce/FrontEnd.h"
#include "Runtime/NpuCce/Program.h"
#include "Runtime/NpuCce/Transfers.h"
#include "Runtime/NpuCce/Vector.h"

#ifdef GC_CCE_MAIN
#include "Runtime/NpuCceMain.h"
#endif

#endif // GC_RUNTIME_NPUCCE_H
