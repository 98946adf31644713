// RUN: spyre-opt %s --split-input-file --verify-diagnostics

// One function for each constraint and each way to violate it; docs/Dialects/SpyreOpConstraints.md has the list.

func.func @so1_beta(%x: f16) {
  // expected-error @+1 {{'spyreop.softplus' op has beta 0, which it divides by}}
  spyreop.softplus %x beta 0.0 threshold 0.0 : f16
  return
}

// -----

func.func @so2_other_pair(%x: f16) {
  // expected-error @+1 {{'spyreop.exx2_fused' op has the pair '!spyreop.fp32_fused' and the float 'f16', of which '!spyreop.fp16_fused' is a pair}}
  %0 = spyreop.exx2_fused %x : f16 -> !spyreop.fp32_fused
  return
}

// -----

func.func @so2_other_float(%x: !spyreop.fp16_fused) {
  // expected-error @+1 {{'spyreop.layernormscale_fused' op has the pair '!spyreop.fp16_fused' and the float 'f32', of which '!spyreop.fp32_fused' is a pair}}
  %0 = spyreop.layernormscale_fused %x : !spyreop.fp16_fused -> f32
  return
}

// -----

func.func @so3_pair(%x: f16) {
  // expected-error @+1 {{result #0 must be a pair of f16, df16 or f32, but got 'f16'}}
  %0 = spyreop.exx2_fused %x : f16 -> f16
  return
}

// -----

func.func @so3_no_pair(%x: f16) {
  // expected-error @+1 {{operand #0 must be a pair of f16, df16 or f32, but got 'f16'}}
  %0 = spyreop.layernormscale_fused %x : f16 -> f16
  return
}

// -----

func.func @so3_integer(%x: i32) {
  // expected-error @+1 {{operand #0 must be f16, df16 or f32, but got 'i32'}}
  %0 = spyreop.exp %x : i32
  return
}

// -----

func.func @so3_bf16(%x: bf16) {
  // expected-error @+1 {{operand #0 must be f16, df16 or f32, but got 'bf16'}}
  %0 = spyreop.sqrt %x : bf16
  return
}

// -----

func.func @so3_gelu_of_32_bits(%x: f32) {
  // expected-error @+1 {{operand #0 must be f16 or df16, but got 'f32'}}
  %0 = spyreop.gelu %x : f32
  return
}

// -----

func.func @so3_moments_of_integers(%x: i32) {
  // expected-error @+1 {{operand #0 must be f16, df16 or f32, but got 'i32'}}
  %0, %1 = spyreop.exx2 %x : i32
  return
}

// -----

func.func @so3_64_bits(%x: i64) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{expects different type than prior uses: 'i32' vs 'i64'}}
  %0 = spyreop.addi32toi32 %x, %x
  return
}

// -----

func.func @so4_types(%x: f16, %y: f32) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "spyreop.realdiv"(%x, %y) : (f16, f32) -> f16
  return
}
