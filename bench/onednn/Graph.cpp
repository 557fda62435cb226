// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

using namespace bench;

int64_t Tensor::span() const {
  int64_t Last = 0;
  for (size_t I = 0; I < Shape.size(); ++I) {
    if (Shape[I] == 0)
      return 0;
    Last += (Shape[I] - 1) * Stride[I];
  }
  return Last + 1;
}

std::vector<size_t> Graph::consumers(int64_t Id) const {
  std::vector<size_t> Found;
  for (size_t I = 0; I < Ops.size(); ++I)
    if (std::count(Ops[I].Inputs.begin(), Ops[I].Inputs.end(), Id))
      Found.push_back(I);
  return Found;
}

double Graph::flops() const {
  double Total = 0;
  for (const Op &O : Ops) {
    double Product = 2.0;
    if (O.Kind == "matmul") {
      Product *= tensor(O.Inputs[0]).Shape.back();
    } else if (O.Kind == "convolution") {
      // Channels are last: all of the weights but the output channels, of which
      // each sees the input channels of its group.
      const std::vector<int64_t> &Weights = tensor(O.Inputs[1]).Shape;
      for (size_t I = 0; I + 1 < Weights.size(); ++I)
        Product *= Weights[I];
    } else {
      continue;
    }
    for (int64_t Size : tensor(O.Outputs[0]).Shape)
      Product *= Size;
    Total += Product;
  }
  return Total;
}

static Tensor parseTensor(const nlohmann::json &J) {
  Tensor T;
  T.Id = J.at("id");
  T.Dtype = J.at("dtype");
  T.Shape = J.at("shape").get<std::vector<int64_t>>();
  T.Constant = J.at("property_type") == "constant";
  if (J.at("layout_type") == "strided") {
    T.Stride = J.at("stride").get<std::vector<int64_t>>();
  } else {
    T.Stride.resize(T.Shape.size());
    int64_t Step = 1;
    for (size_t I = T.Shape.size(); I-- > 0; Step *= T.Shape[I])
      T.Stride[I] = Step;
  }
  if (T.Shape.empty()) // The library has no tensors of rank 0.
    T.Shape = T.Stride = {1};
  if (T.Stride.size() != T.Shape.size())
    throw std::runtime_error("tensor " + std::to_string(T.Id) +
                             ": shape and stride differ in rank");
  return T;
}

static void sortTopologically(Graph &G, const std::set<int64_t> &Produced) {
  std::set<int64_t> Ready;
  std::vector<Op> Sorted;
  std::vector<Op> Waiting = std::move(G.Ops);
  while (!Waiting.empty()) {
    std::vector<Op> Still;
    for (Op &O : Waiting) {
      bool Runs = std::all_of(O.Inputs.begin(), O.Inputs.end(), [&](int64_t I) {
        return !Produced.count(I) || Ready.count(I);
      });
      if (!Runs) {
        Still.push_back(std::move(O));
        continue;
      }
      Ready.insert(O.Outputs.begin(), O.Outputs.end());
      Sorted.push_back(std::move(O));
    }
    if (Still.size() == Waiting.size())
      throw std::runtime_error("the graph has a cycle");
    Waiting = std::move(Still);
  }
  G.Ops = std::move(Sorted);
}

static Graph parseGraph(const nlohmann::json &J) {
  Graph G;
  std::set<int64_t> Produced, Consumed;
  for (const nlohmann::json &Node : J.at("graph")) {
    Op O;
    O.Id = Node.at("id");
    O.Kind = Node.at("kind");
    std::transform(O.Kind.begin(), O.Kind.end(), O.Kind.begin(),
                   [](unsigned char C) { return std::tolower(C); });
    O.Attrs = Node.value("attrs", nlohmann::json::object());
    for (const nlohmann::json &Port : Node.at("inputs")) {
      Tensor T = parseTensor(Port);
      O.Inputs.push_back(T.Id);
      Consumed.insert(T.Id);
      G.Tensors.emplace(T.Id, T);
    }
    for (const nlohmann::json &Port : Node.at("outputs")) {
      Tensor T = parseTensor(Port);
      O.Outputs.push_back(T.Id);
      Produced.insert(T.Id);
      G.Tensors[T.Id] = T; // Where two descriptions differ the producer's wins.
    }
    G.Ops.push_back(std::move(O));
  }
  for (int64_t Id : Consumed)
    if (!Produced.count(Id))
      G.Inputs.push_back(Id);
  for (int64_t Id : Produced)
    if (!Consumed.count(Id))
      G.Outputs.push_back(Id);
  if (G.Outputs.empty())
    throw std::runtime_error("the graph has no output");
  sortTopologically(G, Produced);
  return G;
}

Graph bench::readGraph(const std::string &Path) {
  std::ifstream File(Path);
  if (!File)
    throw std::runtime_error(Path + ": cannot be read");
  try {
    return parseGraph(nlohmann::json::parse(File));
  } catch (const std::exception &E) {
    throw std::runtime_error(Path + ": " + E.what());
  }
}

static uint32_t hashElement(int64_t Id, uint32_t Index) {
  uint32_t X = Index * 0x9E3779B1u + static_cast<uint32_t>(Id) * 0x85EBCA77u;
  X = (X ^ (X >> 16)) * 0x7FEB352Du;
  X = (X ^ (X >> 15)) * 0x846CA68Bu;
  return X ^ (X >> 16);
}

void bench::fillInput(const Tensor &T, void *Data) {
  int64_t Count = T.span();
  if (T.Dtype == "u8" || T.Dtype == "s8") {
    for (int64_t I = 0; I < Count; ++I)
      static_cast<uint8_t *>(Data)[I] = hashElement(T.Id, I);
    return;
  }
  if (T.Dtype == "boolean") {
    for (int64_t I = 0; I < Count; ++I)
      static_cast<uint8_t *>(Data)[I] = hashElement(T.Id, I) & 1;
    return;
  }
  if (T.Dtype != "f32" && T.Dtype != "bf16")
    throw std::runtime_error("no inputs of type " + T.Dtype);

  bool Scalar = Count == 1;
  double Scale = 1.0;
  if (T.Constant && T.Shape.size() >= 2)
    Scale = std::sqrt(3.0 / T.Shape[T.Shape.size() - 2]);
  for (int64_t I = 0; I < Count; ++I) {
    double Unit = (hashElement(T.Id, I) >> 8) * 0x1p-24;
    float Value = Scalar ? 1.0 + Unit : (2.0 * Unit - 1.0) * Scale;
    if (T.Dtype == "f32") {
      static_cast<float *>(Data)[I] = Value;
      continue;
    }
    uint32_t Bits;
    std::memcpy(&Bits, &Value, sizeof(Bits));
    Bits += 0x7FFF + ((Bits >> 16) & 1); // Round to nearest even.
    static_cast<uint16_t *>(Data)[I] = Bits >> 16;
  }
}
