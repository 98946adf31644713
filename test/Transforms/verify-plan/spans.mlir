// RUN: spyre-opt %s --spyre-work-division --spyre-scratchpad-planning --spyre-verify-plan -o /dev/null

// Rows over 16 cores would reach too far; the division that planning chooses does not.

#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x512xf16, #rows>
module attributes {spyre.target = #spyre.target<cores = 8, span_limit_bytes = 16384>} {
func.func @spans(%a: !t) -> !t {
  %0 = spyre.exp %a : !t
  return %0 : !t
}
}
