// An LSTM cell: 64 sequences, input 200, hidden size 200, which are no whole number of sticks. Weights are stored by
// outputs, as PyTorch has them, the four gates one after the other.

!x = tensor<64x200xf16>        // sequences, features
!w = tensor<800x200xf16>       // gates, features
!wt = tensor<200x800xf16>
!b = tensor<800xf16>
!gates = tensor<64x800xf16>

func.func @lstm_cell(%x: !x, %h: !x, %c: !x, %wx: !w, %wh: !w, %bx: !b, %bh: !b) -> (!x, !x) {
  %wxt = spyre.permute %wx [1, 0] : !w to !wt
  %wht = spyre.permute %wh [1, 0] : !w to !wt
  %gx0 = spyre.batchmatmul %x, %wxt : (!x, !wt) -> !gates
  %gx = spyre.add %gx0, %bx : (!gates, !b) -> !gates
  %gh0 = spyre.batchmatmul %h, %wht : (!x, !wt) -> !gates
  %gh = spyre.add %gh0, %bh : (!gates, !b) -> !gates
  %g = spyre.add %gx, %gh : !gates
  %i0 = tensor.extract_slice %g[0, 0] [64, 200] [1, 1] : !gates to !x
  %f0 = tensor.extract_slice %g[0, 200] [64, 200] [1, 1] : !gates to !x
  %g0 = tensor.extract_slice %g[0, 400] [64, 200] [1, 1] : !gates to !x
  %o0 = tensor.extract_slice %g[0, 600] [64, 200] [1, 1] : !gates to !x
  %i = spyre.sigmoid %i0 : !x
  %f = spyre.sigmoid %f0 : !x
  %n = spyre.tanh %g0 : !x
  %o = spyre.sigmoid %o0 : !x
  %kept = spyre.mul %f, %c : !x
  %new = spyre.mul %i, %n : !x
  %c1 = spyre.add %kept, %new : !x
  %t = spyre.tanh %c1 : !x
  %h1 = spyre.mul %o, %t : !x
  return %h1, %c1 : !x, !x
}
