// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The language of `gc-translate --npu-to-cce`: C with the intrinsics of the
// NPU, with their usual names, each a call of the C interface of the simulator
// (Simulator/Interface.h). A program is compiled with the host's C++ compiler:
//
//   c++ -std=c++17 -O2 -DGC_CCE_MAIN program.cpp -lGCSimulator
//     -lGCNpuModel -lpthread
//   ./a.out [--profile=gm64|gm32|l2] [--mode=values|cycles] tensor.bin...
//
// which runs it on the simulator (see Simulator/CceMain.h). It differs from
// the vendor's language where this machine differs from theirs: transfers of
// any number of bytes, strides between fractals, loads from UB by name. A
// pointer holds an address of the machine, of which the buffer is a part; the
// host cannot follow it, arithmetic works as usual. Pointers' types choose data
// types.
//
// Units: blocks are 32 bytes, fractals 512 (L0C: 1024) bytes, gaps are between
// the end of one burst and the start of the next. Errors carry the line of the
// text.

#ifndef GC_SIMULATOR_CCE_H
#define GC_SIMULATOR_CCE_H

#include "Simulator/Cce/Core.h"
#include "Simulator/Cce/Cube.h"
#include "Simulator/Cce/FrontEnd.h"
#include "Simulator/Cce/Program.h"
#include "Simulator/Cce/Transfers.h"
#include "Simulator/Cce/Vector.h"

#ifdef GC_CCE_MAIN
#include "Simulator/CceMain.h"
#endif

#endif // GC_SIMULATOR_CCE_H
