// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module gc_compiler._core: graphs and compiled graphs for Python. The
// package around it (gc_compiler/__init__.py) is what users import.

#include "Compiled.h"

#include <pybind11/stl.h>

using namespace gc::python;

namespace {

/// A string that C can read to its end.
const std::string &checkText(const std::string &text, const char *what) {
  if (text.find('\0') != std::string::npos)
    throw py::value_error(std::string(what) + " has a null character");
  return text;
}

struct Options {
  std::string pipeline, entry, cpu, features, machine;
  int64_t threads = 0;

  gc_compile_options get() const {
    gc_compile_options options = GC_COMPILE_OPTIONS_INIT;
    options.pipeline = pipeline.c_str();
    options.entry = entry.c_str();
    options.cpu = cpu.c_str();
    options.features = features.c_str();
    options.machine = machine.c_str();
    options.threads = threads;
    return options;
  }
};

class Graph {
public:
  static Graph readFile(const std::string &path) {
    checkText(path, "path");
    gc_graph *graph = nullptr;
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error = gc_graph_read_file(path.c_str(), &graph);
    }
    check(error);
    return Graph(GraphHandle(graph));
  }

  static Graph readOnnx(const std::string &path,
                        const std::vector<std::string> &settings) {
    checkText(path, "path");
    std::vector<const char *> texts;
    for (const std::string &setting : settings) {
      checkText(setting, "a dimension, shape or value");
      texts.push_back(setting.c_str());
    }
    gc_graph *graph = nullptr;
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error =
          gc_graph_read_onnx(path.c_str(), texts.data(), texts.size(), &graph);
    }
    check(error);
    return Graph(GraphHandle(graph));
  }

  static Graph readText(const py::bytes &text, int format,
                        const std::string &name) {
    checkText(name, "name");
    char *data = nullptr;
    py::ssize_t size = 0;
    if (PyBytes_AsStringAndSize(text.ptr(), &data, &size))
      throw py::error_already_set();
    gc_graph *graph = nullptr;
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error =
          gc_graph_read_text(data, size, static_cast<gc_graph_format>(format),
                             name.c_str(), &graph);
    }
    check(error);
    return Graph(GraphHandle(graph));
  }

  std::unique_ptr<Compiled> compile(const Options &options) {
    gc_compile_options given = options.get();
    gc_compiled *compiled = nullptr;
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error = gc_graph_compile(handle.get(), &given, &compiled);
    }
    check(error);
    return std::make_unique<Compiled>(CompiledHandle(compiled));
  }

  py::bytes emit(const Options &options, int kind) {
    gc_compile_options given = options.get();
    gc_buffer *buffer = nullptr;
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error = gc_graph_emit(handle.get(), &given,
                            static_cast<gc_emit_kind>(kind), &buffer);
    }
    check(error);
    BufferHandle owner(buffer);
    return py::bytes(gc_buffer_data(buffer), gc_buffer_size(buffer));
  }

  void
  writePackage(const Options &options, const std::string &folder,
               const std::string &name, bool shared, const std::string &linker,
               bool weightsInFile, bool prepack,
               const std::vector<std::pair<std::string, std::string>> &values) {
    gc_compile_options given = options.get();
    gc_package_options package = GC_PACKAGE_OPTIONS_INIT;
    package.name = checkText(name, "name").c_str();
    package.shared = shared;
    package.linker = checkText(linker, "linker").c_str();
    package.weights_in_file = weightsInFile;
    package.prepack = prepack;
    std::vector<const char *> names, files;
    for (const auto &[valueName, file] : values) {
      names.push_back(checkText(valueName, "the name of a value").c_str());
      files.push_back(checkText(file, "the file of a value").c_str());
    }
    package.num_values = values.size();
    package.value_names = names.data();
    package.value_files = files.data();
    checkText(folder, "folder");
    gc_error *error = nullptr;
    {
      py::gil_scoped_release release;
      error = gc_graph_write_package(handle.get(), &given, &package,
                                     folder.c_str());
    }
    check(error);
  }

private:
  explicit Graph(GraphHandle handle) : handle(std::move(handle)) {}

  GraphHandle handle;
};

const char *getStatusName(gc_status status) {
  switch (status) {
  case GC_OK:
    return "ok";
  case GC_INVALID_ARGUMENT:
    return "invalid argument";
  case GC_OUT_OF_MEMORY:
    return "out of memory";
  case GC_UNSUPPORTED:
    return "unsupported";
  case GC_RUNTIME_ERROR:
    return "runtime error";
  }
  return "";
}

/// The class gc_compiler.Error; lives as long as the process.
PyObject *errorClass = nullptr;

void translate(std::exception_ptr pointer) {
  try {
    if (pointer)
      std::rethrow_exception(pointer);
  } catch (const Failure &failure) {
    // Messages quote the input, which need not be UTF-8.
    auto message = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
        failure.message.data(), failure.message.size(), "replace"));
    if (!message)
      return;
    auto instance = py::reinterpret_steal<py::object>(
        PyObject_CallOneArg(errorClass, message.ptr()));
    if (!instance)
      return;
    py::str status(getStatusName(failure.status));
    if (PyObject_SetAttrString(instance.ptr(), "status", status.ptr()))
      return;
    PyErr_SetObject(errorClass, instance.ptr());
  }
}

/// None where a size varies.
py::tuple toTuple(const std::vector<py::ssize_t> &values) {
  py::tuple tuple(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] == GC_SIZE_VARIES)
      tuple[i] = py::none();
    else
      tuple[i] = values[i];
  return tuple;
}

void bindTensorInfo(py::module_ &module) {
  py::class_<TensorInfo>(
      module, "TensorInfo",
      "An input or output of a compiled graph; strides are in elements. Sizes "
      "that vary, and strides that follow from them, are None.")
      .def_readonly("name", &TensorInfo::name)
      .def_readonly("dtype", &TensorInfo::dtype,
                    "The numpy dtype; uint16 holds the bits of bfloat16, uint8 "
                    "those of f8.")
      .def_readonly(
          "dtype_name", &TensorInfo::dtypeName,
          "f32, bf16, f16, f8_e5m2, f8_e4m3, s8, u8, s32, u64 or boolean.")
      .def_property_readonly(
          "shape", [](const TensorInfo &info) { return toTuple(info.shape); })
      .def_property_readonly(
          "strides",
          [](const TensorInfo &info) { return toTuple(info.strides); })
      .def_readonly("constant", &TensorInfo::isConstant,
                    "The same in every call, and folded once.")
      .def_readonly("nbytes", &TensorInfo::bytes,
                    "From the first to the last element, gaps included.")
      .def("empty", &TensorInfo::makeEmpty,
           "A new, uninitialised array in the layout of the tensor.")
      .def("__repr__", [](const TensorInfo &info) {
        std::string text = "<" + info.what + ": " + info.dtypeName + " " +
                           std::string(py::repr(toTuple(info.shape))) +
                           ", strides " +
                           std::string(py::repr(toTuple(info.strides)));
        return text + (info.isConstant ? ", constant>" : ">");
      });
}

void bindRemark(py::module_ &module) {
  py::class_<Remark>(module, "Remark",
                     "A decision of the compiler that a user may want to know, "
                     "or a warning.")
      .def_readonly("kind", &Remark::kind,
                    "passed, missed, failed, analysis, remark or warning.")
      .def_readonly("category", &Remark::category, "The pass.")
      .def_readonly("name", &Remark::name)
      .def_readonly("function", &Remark::function)
      .def_readonly("message", &Remark::message)
      .def_readonly("reason", &Remark::reason)
      .def_readonly("suggestion", &Remark::suggestion)
      .def_readonly("location", &Remark::location, "file:line:column.")
      .def("__str__", &Remark::str)
      .def("__repr__",
           [](const Remark &remark) { return "<" + remark.str() + ">"; });
}

} // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C interface of GC for the package gc_compiler.";
  errorClass = PyErr_NewExceptionWithDoc(
      "gc_compiler.Error",
      "What the compiler or the runtime reports. `status` is one of 'invalid "
      "argument', 'out of memory', 'unsupported', 'runtime error'.",
      PyExc_RuntimeError, nullptr);
  if (!errorClass)
    throw py::error_already_set();
  module.attr("Error") = py::handle(errorClass);
  py::register_exception_translator(translate);

  module.def("version", [] { return std::string(gc_version_string()); });
  module.def("capi_version", [] { return gc_capi_version(); });
  module.def("peak_gflops", [](int dtype, double seconds) {
    py::gil_scoped_release release;
    return gc_peak_gflops(dtype, seconds);
  });

  py::class_<Options>(module, "Options")
      .def(py::init([](std::string pipeline, std::string entry, int64_t threads,
                       std::string cpu, std::string features,
                       std::string machine) {
        checkText(pipeline, "options");
        checkText(entry, "entry");
        checkText(cpu, "cpu");
        checkText(features, "features");
        checkText(machine, "machine");
        return Options{std::move(pipeline), std::move(entry),   std::move(cpu),
                       std::move(features), std::move(machine), threads};
      }));

  bindTensorInfo(module);
  bindRemark(module);
  py::class_<Compiled>(module, "Compiled")
      .def_property_readonly("inputs", &Compiled::getInputs)
      .def_property_readonly("outputs", &Compiled::getOutputs)
      .def_property_readonly("dims",
                             [](const Compiled &compiled) {
                               py::dict dims;
                               for (const Dim &dim : compiled.getDims())
                                 dims[py::str(dim.name)] =
                                     py::make_tuple(dim.min, dim.max);
                               return dims;
                             })
      .def("prepare", &Compiled::prepare)
      .def("set_size_capacity", &Compiled::setSizeCapacity)
      .def("execute", &Compiled::execute)
      .def("invalidate", &Compiled::invalidate)
      .def("set_capacity", &Compiled::setCapacity)
      .def("report", &Compiled::report)
      .def("remarks", &Compiled::getRemarks);

  py::class_<Graph>(module, "Graph")
      .def_static("read_file", &Graph::readFile)
      .def_static("read_onnx", &Graph::readOnnx)
      .def_static("read_text", &Graph::readText)
      .def("compile", &Graph::compile)
      .def("emit", &Graph::emit)
      .def("write_package", &Graph::writePackage);
}
