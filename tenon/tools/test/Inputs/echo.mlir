// An item of two arrays comes and goes, one of them of a type that NumPy does not know; and a message to the host.
func.func @main() {
  %t = stablehlo.create_token : !stablehlo.token
  %a:3 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xbf16>, tensor<3xf32>, !stablehlo.token)
  %u = "stablehlo.outfeed"(%a#1, %a#0, %a#2) : (tensor<3xf32>, tensor<2xbf16>, !stablehlo.token) -> !stablehlo.token
  %v = "stablehlo.send"(%a#0, %u) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true} : (tensor<2xbf16>, !stablehlo.token) -> !stablehlo.token
  return
}
