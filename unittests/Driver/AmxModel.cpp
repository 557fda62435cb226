// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AmxModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

#include <cstring>

namespace {

struct Tile {
  int rows = 0, bytes = 0;
  uint8_t data[16][64] = {};
};

struct Registers {
  bool inUse = false;
  Tile tiles[8];
  int64_t products = 0;
};
Registers state;

Tile &getTile(int8_t number) {
  static Tile none;
  bool exists = number >= 0 && number < 8;
  EXPECT_TRUE(exists && state.inUse && state.tiles[number].rows > 0)
      << "register " << int(number) << " is not configured";
  return exists ? state.tiles[number] : none;
}

void loadConfig(const uint8_t *table) {
  EXPECT_EQ(table[0], 1) << "palette";
  EXPECT_EQ(table[1], 0) << "first row";
  for (int i : {2, 3, 15, 32, 47, 56, 63})
    EXPECT_EQ(table[i], 0) << "reserved byte " << i;
  state.inUse = true;
  for (int i = 0; i < 8; ++i) {
    Tile &tile = state.tiles[i] = {};
    tile.bytes = table[16 + 2 * i] | table[17 + 2 * i] << 8;
    tile.rows = table[48 + i];
    EXPECT_TRUE(tile.bytes <= 64 && tile.rows <= 16 &&
                (tile.rows == 0) == (tile.bytes == 0))
        << "register " << i << ": " << tile.rows << " rows of " << tile.bytes
        << " bytes";
  }
}

void release() {
  state.inUse = false;
  for (Tile &tile : state.tiles)
    tile = {};
}

void zero(int8_t number) {
  memset(getTile(number).data, 0, sizeof(Tile::data));
}

void load(int8_t number, const char *address, int64_t stride) {
  Tile &tile = getTile(number);
  memset(tile.data, 0, sizeof(tile.data));
  for (int row = 0; row < tile.rows; ++row)
    memcpy(tile.data[row], address + row * stride, tile.bytes);
}

void store(int8_t number, char *address, int64_t stride) {
  Tile &tile = getTile(number);
  for (int row = 0; row < tile.rows; ++row)
    memcpy(address + row * stride, tile.data[row], tile.bytes);
}

/// add(sum, a, b) for each sum and all pairs of groups of four bytes.
template <typename Sum, typename Add>
void multiply(int8_t dst, int8_t src1, int8_t src2, Add add) {
  Tile &c = getTile(dst), &a = getTile(src1), &b = getTile(src2);
  ++state.products;
  EXPECT_TRUE(dst != src1 && dst != src2 && src1 != src2) << "one register";
  EXPECT_EQ(c.rows, a.rows);
  EXPECT_EQ(c.bytes, b.bytes);
  EXPECT_EQ(a.bytes, 4 * b.rows);
  for (int m = 0; m < c.rows; ++m)
    for (int n = 0; n < c.bytes / 4; ++n) {
      Sum sum;
      memcpy(&sum, c.data[m] + 4 * n, sizeof sum);
      for (int k = 0; k < b.rows; ++k)
        add(sum, a.data[m] + 4 * k, b.data[k] + 4 * n);
      memcpy(c.data[m] + 4 * n, &sum, sizeof sum);
    }
}

template <typename A, typename B>
void multiplyBytes(int8_t dst, int8_t src1, int8_t src2) {
  multiply<int32_t>(dst, src1, src2,
                    [](int32_t &sum, const uint8_t *a, const uint8_t *b) {
                      for (int i = 0; i < 4; ++i)
                        sum += int32_t(A(a[i])) * int32_t(B(b[i]));
                    });
}

void multiplyBFloat16(int8_t dst, int8_t src1, int8_t src2) {
  auto widen = [](const uint8_t *from) {
    uint32_t bits = uint32_t(from[0]) << 16 | uint32_t(from[1]) << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  };
  multiply<float>(dst, src1, src2,
                  [&](float &sum, const uint8_t *a, const uint8_t *b) {
                    for (int i : {0, 2})
                      sum += widen(a + i) * widen(b + i);
                  });
}

template <typename Function>
void *getAddress(Function *function) {
  return reinterpret_cast<void *>(function);
}

/// By the names that replaceByModels() gives them.
const gc_symbol kSymbols[] = {
    {"gc_model_ldtilecfg", getAddress(loadConfig)},
    {"gc_model_tilerelease", getAddress(release)},
    {"gc_model_tilezero", getAddress(zero)},
    {"gc_model_tileloadd64", getAddress(load)},
    {"gc_model_tilestored64", getAddress(store)},
    {"gc_model_tdpbssd", getAddress(multiplyBytes<int8_t, int8_t>)},
    {"gc_model_tdpbsud", getAddress(multiplyBytes<int8_t, uint8_t>)},
    {"gc_model_tdpbusd", getAddress(multiplyBytes<uint8_t, int8_t>)},
    {"gc_model_tdpbuud", getAddress(multiplyBytes<uint8_t, uint8_t>)},
    {"gc_model_tdpbf16ps", getAddress(multiplyBFloat16)},
};

/// sum + the dot products of four unsigned with four signed bytes.
std::string makeDotProducts() {
  std::string text =
      "define <16 x i32> @gc_model_avx512_vpdpbusd_512(<16 x i32> "
      "%sum, <64 x i8> %a, <64 x i8> %b) {\n"
      "  %x = zext <64 x i8> %a to <64 x i32>\n"
      "  %y = sext <64 x i8> %b to <64 x i32>\n"
      "  %p = mul <64 x i32> %x, %y\n"
      "  %s0 = add <16 x i32> %sum, zeroinitializer\n";
  for (int byte = 0; byte < 4; ++byte) {
    std::string i = std::to_string(byte), lanes;
    for (int lane = 0; lane < 16; ++lane)
      lanes += (lane ? ", i32 " : "i32 ") + std::to_string(4 * lane + byte);
    text += "  %p" + i + " = shufflevector <64 x i32> %p, <64 x i32> poison, " +
            "<16 x i32> <" + lanes + ">\n  %s" + std::to_string(byte + 1) +
            " = add <16 x i32> %s" + i + ", %p" + i + "\n";
  }
  return text + "  ret <16 x i32> %s4\n}\n";
}

} // namespace

void replaceByModels(llvm::Module &module) {
  constexpr llvm::StringLiteral kPrefix = "llvm.x86.";
  for (llvm::Function &intrinsic : llvm::make_early_inc_range(module)) {
    if (!intrinsic.getName().starts_with(kPrefix))
      continue;
    std::string name =
        "gc_model_" + intrinsic.getName().drop_front(kPrefix.size()).str();
    std::replace(name.begin(), name.end(), '.', '_');
    llvm::FunctionCallee model =
        module.getOrInsertFunction(name, intrinsic.getFunctionType());
    for (llvm::User *user : llvm::make_early_inc_range(intrinsic.users()))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        call->setCalledFunction(model);
    intrinsic.eraseFromParent();
  }
  if (!module.getFunction("gc_model_avx512_vpdpbusd_512"))
    return;
  llvm::SMDiagnostic diagnostic;
  auto models = llvm::parseAssemblyString(makeDotProducts(), diagnostic,
                                          module.getContext());
  ASSERT_TRUE(models) << diagnostic.getMessage().str();
  models->setDataLayout(module.getDataLayout());
  models->setTargetTriple(module.getTargetTriple());
  ASSERT_FALSE(llvm::Linker::linkModules(module, std::move(models)));
}

llvm::ArrayRef<gc_symbol> getModelSymbols() { return kSymbols; }

void resetModel() { state = {}; }

bool isModelInUse() { return state.inUse; }

int64_t getModelProducts() { return state.products; }
