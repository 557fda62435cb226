// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dump.h"
#include "Names.h"
#include "Status.h"
#include "Target/OneDNNGraph/GraphFile.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace gc;
using namespace gc::dnnlgraph;
using llvm::json::OStream;

static void writeTensor(OStream &json, const LT &lt) {
  static const char *const layouts[] = {"undef", "any", "strided", "opaque"};
  static const char *const properties[] = {"undef", "variable", "constant",
                                           "host_scalar"};
  auto writeList = [&](const char *name, const int64_t *values) {
    json.attributeArray(name, [&] {
      for (int i = 0; i < lt.ndims; ++i)
        json.value(values[i]);
    });
  };
  json.object([&] {
    json.attribute("id", static_cast<uint64_t>(lt.id));
    json.attribute("dtype", dnnl_dt2str(lt.data_type));
    if (lt.ndims >= 0)
      writeList("shape", lt.dims);
    if (lt.layout_type == dnnl_graph_layout_type_strided)
      writeList("stride", lt.layout.strides);
    json.attribute("layout_type", layouts[lt.layout_type]);
    json.attribute("property_type", properties[lt.property]);
  });
}

static void writeAttr(OStream &json, const AttrName &name,
                      const AttrValue &value) {
  json.attributeObject(name.name, [&] {
    json.attribute("type", graph::stringify(name.type));
    if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
      return json.attributeArray("value", [&] {
        for (int64_t element : *list)
          json.value(element);
      });
    if (const auto *list = std::get_if<std::vector<float>>(&value))
      return json.attributeArray("value", [&] {
        for (float element : *list)
          json.rawValue(onednn::printNumber(element));
      });
    if (const auto *flag = std::get_if<bool>(&value))
      return json.attribute("value", *flag);
    if (const auto *number = std::get_if<int64_t>(&value))
      return json.attribute("value", *number);
    if (const auto *number = std::get_if<float>(&value)) {
      json.attributeBegin("value");
      json.rawValue(onednn::printNumber(*number));
      return json.attributeEnd();
    }
    json.attribute("value", llvm::json::fixUTF8(std::get<std::string>(value)));
  });
}

static void writeGraph(OStream &json, const OpList &ops,
                       llvm::function_ref<const LT &(const LT &)> describe) {
  const dnnl_version_t *version = dnnl_version();
  json.object([&] {
    json.attribute("version", llvm::formatv("{0}.{1}.{2}", version->major,
                                            version->minor, version->patch)
                                  .str());
    json.attribute("engine_kind", "cpu");
    json.attributeArray("graph", [&] {
      for (const auto &op : ops)
        json.object([&] {
          json.attribute("id", static_cast<uint64_t>(op->id));
          json.attribute("name", llvm::json::fixUTF8(op->name));
          json.attribute("kind", getKindName(op->kind));
          json.attributeObject("attrs", [&] {
            for (const auto &[attr, value] : op->attrs)
              if (const AttrName *name = findAttr(attr))
                writeAttr(json, *name, value);
          });
          json.attributeArray("inputs", [&] {
            for (const LT &lt : op->inputs)
              writeTensor(json, describe(lt));
          });
          json.attributeArray("outputs", [&] {
            for (const LT &lt : op->outputs)
              writeTensor(json, describe(lt));
          });
        });
    });
  });
}

template <typename Write>
static void writeFile(const std::string &path, Write write) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    OStream json(os, /*IndentSize=*/2);
    write(json);
    os << "\n";
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (error)
    fail(dnnl_runtime_error, path + ": " + error.message());
}

void dnnlgraph::dumpGraph(
    const OpList &ops,
    llvm::ArrayRef<std::shared_ptr<const PartitionData>> partitions) {
  if (partitions.empty())
    return;
  std::string stem = "graph-" + std::to_string(partitions.front()->id);
  writeFile(stem + ".json", [&](OStream &json) {
    writeGraph(json, ops, [](const LT &lt) -> const LT & { return lt; });
  });
  writeFile(stem + "-partitioning.json", [&](OStream &json) {
    json.object([&] {
      json.attributeArray("partitions", [&] {
        for (const auto &partition : partitions)
          json.object([&] {
            json.attribute("id", static_cast<uint64_t>(partition->id));
            json.attribute("is_supported", partition->isSupported);
            json.attributeArray("ops", [&] {
              for (const auto &op : partition->ops)
                json.value(static_cast<uint64_t>(op->id));
            });
          });
      });
    });
  });
}

void dnnlgraph::dumpCompiled(const PartitionData &partition,
                             const std::map<size_t, LT> &tensors, size_t hash) {
  std::string path =
      llvm::formatv("graph-{0}-{1:x-}.json", partition.id, hash).str();
  writeFile(path, [&](OStream &json) {
    writeGraph(json, partition.ops, [&](const LT &lt) -> const LT & {
      auto entry = tensors.find(lt.id);
      return entry == tensors.end() ? lt : entry->second;
    });
  });
}
