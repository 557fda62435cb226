// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SyncProgram.h"

using namespace gc::npu::sync;

void Program::addOp(int block, Op op) {
  Node node;
  node.kind = Node::op;
  node.index = static_cast<int>(ops.size());
  places.emplace_back(block, static_cast<int>(blocks[block].nodes.size()));
  ops.push_back(std::move(op));
  blocks[block].nodes.push_back(node);
}

int Program::addBlock(int parent) {
  Block block;
  block.parent = parent;
  block.parentNode = static_cast<int>(blocks[parent].nodes.size());
  block.depth = blocks[parent].depth + 1;
  blocks.push_back(std::move(block));
  return static_cast<int>(blocks.size()) - 1;
}

int Program::addLoop(int block, std::function<int64_t(const Env &)> trips) {
  Node node;
  node.kind = Node::loop;
  node.index = static_cast<int>(loops.size());
  node.body = addBlock(block);
  loops.push_back({std::move(trips), -1, node.body});
  blocks[block].nodes.push_back(node);
  return node.body;
}

int Program::addLoop(int block, int64_t trips) {
  int body = addLoop(block, [trips](const Env &) { return trips; });
  loops.back().constant = trips;
  return body;
}

std::pair<int, int>
Program::addBranch(int block, std::function<bool(const Env &)> condition) {
  Node node;
  node.kind = Node::branch;
  node.index = static_cast<int>(conditions.size());
  node.body = addBlock(block);
  node.other = addBlock(block);
  conditions.push_back(std::move(condition));
  blocks[block].nodes.push_back(node);
  return {node.body, node.other};
}

void Program::finish() {
  pointBlock.clear();
  for (size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].firstPoint = static_cast<int>(pointBlock.size());
    pointBlock.insert(pointBlock.end(), blocks[b].nodes.size() + 1,
                      static_cast<int>(b));
  }
}

int Program::getChild(int ancestor, int block) const {
  while (blocks[block].parent != ancestor)
    block = blocks[block].parent;
  return blocks[block].parentNode;
}

bool Program::isAncestor(int ancestor, int block) const {
  while (block >= 0 && block != ancestor)
    block = blocks[block].parent;
  return block == ancestor;
}

int Program::getCommonBlock(int one, int other) const {
  while (!isAncestor(one, other))
    one = blocks[one].parent;
  return one;
}

std::vector<int> Program::getLoops(int block) const {
  std::vector<int> result;
  for (; blocks[block].parent >= 0; block = blocks[block].parent)
    if (getParentNode(block).kind == Node::loop)
      result.push_back(getParentNode(block).index);
  return result;
}
