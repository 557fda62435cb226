// ENTRY is an entry of the description.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<"machine" = "zen3-2", ENTRY>>} {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
