// sizes: S=32 S=96 S=128
// A softmax of any number of rows. The kernel has an argument with the number, and loops over tiles of 32 rows.
!t = tensor<?x256xf16>
!c = tensor<?x1xf16>
func.func @dynamic_rows(%x: !t {spyre.dims = ["S", "E"]}) -> !t
    attributes {spyre.dim_sizes = {E = 256, S = #spyre.dynamic<granularity = 32, max = 128>}} {
  %m = spyre.max %x dims [1] keepdim tile [0: "S" by 32] : (!t) -> !c
  %d = spyre.sub %x, %m tile [0: "S" by 32] : (!t, !c) -> !t
  %e = spyre.exp %d tile [0: "S" by 32] : !t
  %s = spyre.sum %e dims [1] keepdim tile [0: "S" by 32] : (!t) -> !c
  %y = spyre.realdiv %e, %s tile [0: "S" by 32] : (!t, !c) -> !t
  return %y : !t
}
