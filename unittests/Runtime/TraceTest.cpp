// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestModule.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using nlohmann::json;

struct TraceTest : testing::Test {
  TraceTest()
      : Pool(gc_thread_pool_create(2)), Trace(gc_trace_create(2, 100)),
        Path(testing::TempDir() + "gc-trace-test-" + std::to_string(getpid()) +
             ".json") {}
  ~TraceTest() override {
    gc_trace_destroy(Trace);
    gc_thread_pool_destroy(Pool);
    std::remove(Path.c_str());
  }

  json write() {
    EXPECT_EQ(gc_trace_write(Trace, &TestModule::Module, Path.c_str()), GC_OK)
        << gc_last_error();
    std::ifstream In(Path);
    return json::parse(In);
  }

  /// The duration events of a parsed trace.
  static std::vector<json> durations(const json &Parsed) {
    std::vector<json> All;
    for (const json &E : Parsed.at("traceEvents"))
      if (E.at("ph") == "X")
        All.push_back(E);
    return All;
  }

  gc_executor *Pool;
  gc_trace *Trace;
  std::string Path;
  TestModule M;
};

TEST_F(TraceTest, RegionsOfFoldAndExecutions) {
  M.executeAndCheck(Pool, 2, nullptr, Trace);
  M.executeAndCheck(Pool, 2, nullptr, Trace);
  json Parsed = write();

  std::map<std::string, int> Count;
  std::set<int64_t> Tracks;
  for (const json &E : durations(Parsed)) {
    std::string Category = E.at("cat"), Name = E.at("name");
    ++Count[Category + "/" + Name];
    Tracks.insert(E.at("tid").get<int64_t>());
    EXPECT_GE(E.at("ts").get<double>(), 0);
    EXPECT_GE(E.at("dur").get<double>(), 0);
  }
  // Two threads; one fold; two executions.
  std::map<std::string, int> Expected = {
      {"fold/fold", 1},          {"fold/pack \"w\"", 2},
      {"compute/execute #0", 1}, {"compute/execute #1", 1},
      {"compute/matmul", 4},     {"compute/add", 4}};
  EXPECT_EQ(Count, Expected);
  EXPECT_EQ(Tracks.size(), 2u);

  std::set<std::string> Names;
  for (const json &E : Parsed.at("traceEvents"))
    if (E.at("ph") == "M" && E.at("name") == "thread_name")
      Names.insert(E.at("args").at("name").get<std::string>());
  EXPECT_EQ(Names, (std::set<std::string>{"thread 0", "thread 1"}));
  EXPECT_EQ(Parsed.at("otherData").at("lost_events"), "0");
}

TEST_F(TraceTest, RegionsLieInsideTheirExecution) {
  for (int I = 0; I < 3; ++I)
    M.executeAndCheck(Pool, 2, nullptr, Trace);
  std::map<int64_t, std::pair<double, double>> Runs;
  std::vector<json> All = durations(write());
  for (const json &E : All)
    if (E.at("cat") == "compute" && !E.at("args").contains("region"))
      Runs[E.at("args").at("run")] = {E.at("ts"),
                                      double(E.at("ts")) + double(E.at("dur"))};
  ASSERT_EQ(Runs.size(), 3u);
  for (const json &E : All)
    if (E.at("cat") == "compute") {
      auto [Begin, End] = Runs.at(E.at("args").at("run"));
      EXPECT_GE(double(E.at("ts")), Begin);
      // Times are printed with a resolution of a nanosecond.
      EXPECT_LE(double(E.at("ts")) + double(E.at("dur")), End + 1e-3);
    }
}

TEST_F(TraceTest, RingKeepsTheNewest) {
  gc_trace_destroy(Trace);
  Trace = gc_trace_create(2, 3);
  for (int I = 0; I < 5; ++I)
    M.executeAndCheck(Pool, 1, nullptr, Trace);
  json Parsed = write();
  std::vector<json> All = durations(Parsed);
  // 5 executions of 2 regions and themselves, and a fold of 2 events: 17.
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(Parsed.at("otherData").at("lost_events"), "14");
  for (const json &E : All)
    EXPECT_EQ(E.at("args").at("run"), 4);
}

TEST_F(TraceTest, ThreadsBeyondTheTraceAreDropped) {
  gc_trace_destroy(Trace);
  Trace = gc_trace_create(1, 100);
  M.executeAndCheck(Pool, 2, nullptr, Trace);
  json Parsed = write();
  for (const json &E : durations(Parsed))
    EXPECT_EQ(E.at("args").at("thread"), 0);
  EXPECT_EQ(Parsed.at("otherData").at("lost_events"), "3");
}

TEST_F(TraceTest, HostThreadsShareATrace) {
  gc_trace_destroy(Trace);
  Trace = gc_trace_create(2, 10000);
  M.executeAndCheck(Pool, 2);
  auto Host = [&] {
    for (int I = 0; I < 100; ++I)
      M.executeAndCheck(Pool, 2, nullptr, Trace);
  };
  std::thread Other(Host);
  Host();
  Other.join();
  // On one track, events either nest or follow each other.
  std::map<int64_t, std::vector<std::pair<double, double>>> Open;
  std::set<std::string> Executions;
  for (const json &E : durations(write())) {
    auto &Stack = Open[E.at("tid")];
    double Begin = E.at("ts"), End = Begin + double(E.at("dur"));
    while (!Stack.empty() && Stack.back().second <= Begin)
      Stack.pop_back();
    if (!Stack.empty()) {
      EXPECT_LE(End, Stack.back().second + 1e-3);
    }
    Stack.push_back({Begin, End});
    if (!E.at("args").contains("region"))
      Executions.insert(E.at("name").get<std::string>());
  }
  EXPECT_EQ(Executions.size(), 200u);
}

TEST_F(TraceTest, NestingAndStrayEndsAreHarmless) {
  gc_module Deep = TestModule::Module;
  Deep.num_fold_inputs = Deep.num_folded = 0;
  Deep.compute = [](void *const *, void *, const gc_team *Team) -> int32_t {
    gc_trace_end(Team, 0);
    for (int I = 0; I < 20; ++I)
      gc_trace_begin(Team, 1);
    for (int I = 0; I < 20; ++I)
      gc_trace_end(Team, 1);
    gc_trace_begin(Team, 7); // a region without a name
    gc_trace_end(Team, 7);
    return GC_OK;
  };
  gc_instance *Instance = nullptr;
  ASSERT_EQ(gc_instance_create(&Deep, &Instance), GC_OK);
  void *Pointers[] = {nullptr, nullptr};
  ASSERT_EQ(gc_execute(Instance, Pool, 1, Pointers, Pointers, nullptr, Trace),
            GC_OK);
  gc_instance_destroy(Instance);
  std::map<std::string, int> Count;
  for (const json &E : durations(write()))
    ++Count[E.at("name").get<std::string>()];
  EXPECT_EQ(Count["matmul"], 16);
  EXPECT_EQ(Count["region 7"], 1);
}

TEST_F(TraceTest, AppearsWholeOrNotAtAll) {
  EXPECT_EQ(gc_trace_write(Trace, nullptr, "/no/such/folder/trace.json"),
            GC_RUNTIME_ERROR);
  EXPECT_NE(std::strstr(gc_last_error(), "/no/such/folder/trace.json"),
            nullptr);
  // A path that cannot be replaced leaves no temporary file behind.
  std::string Folder =
      testing::TempDir() + "gc-trace-folder-" + std::to_string(getpid());
  std::string Inside = Folder + "/full";
  ASSERT_EQ(mkdir(Folder.c_str(), 0700), 0);
  ASSERT_EQ(mkdir(Inside.c_str(), 0700), 0);
  EXPECT_EQ(gc_trace_write(Trace, nullptr, Inside.c_str()), GC_RUNTIME_ERROR);
  EXPECT_EQ(rmdir(Inside.c_str()), 0);
  EXPECT_EQ(rmdir(Folder.c_str()), 0) << "a file was left behind";
  EXPECT_EQ(gc_trace_write(nullptr, nullptr, Path.c_str()),
            GC_INVALID_ARGUMENT);
  // An empty trace is a valid file.
  EXPECT_TRUE(durations(write()).empty());
}

TEST_F(TraceTest, RefusesEmptyRings) {
  EXPECT_EQ(gc_trace_create(0, 10), nullptr);
  EXPECT_EQ(gc_trace_create(10, 0), nullptr);
  gc_trace_destroy(nullptr);
}

} // namespace
