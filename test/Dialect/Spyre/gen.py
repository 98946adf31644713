# (comment, definitions, body lines, header args) -> one module each
S='#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>\n'
C='#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>\n'
P='#sparse = #spyre.layout<(d0, d1) -> (d1, d0, 0)>\n'
def bar(t): return '//===----------------------------------------------------------------------===//\n// %s\n//===----------------------------------------------------------------------===//\n' % t
cases=[]
def case(comment, name, args, body, errs, defs='', note=None, section=None, generic=None, ret=None):
    t=''
    if section: t+=bar(section)+'\n'
    t+=''.join('// %s\n'%c for c in comment.split('\n'))
    t+=defs
    if note: t+='// expected-note @+1 {{%s}}\n'%note if isinstance(note,str) else ''.join('// expected-note @+%d {{%s}}\n'%(len(note)-i,n) for i,n in enumerate(note))
    t+='func.func @%s(%s) {\n'%(name,args)
    errs=[errs] if isinstance(errs,str) else errs
    for i,e in enumerate(errs): t+='  // expected-error @+%d {{%s}}\n'%(len(errs)-i,e)
    t+='  '+body+'\n  return\n}\n'
    cases.append(t)
def raw(t, section=None):
    cases.append((bar(section)+'\n' if section else '')+t)

T='tensor<8x64xf16>'
# --- S1
case('S1: an operand has no more dimensions than the result.','s1_rank','%a: tensor<8x64xf16>, %b: tensor<1x8x64xf16>',
 '%0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<1x8x64xf16>) -> tensor<8x64xf16>',
 "operand #1 has rank 3, above the result's rank 2",note="operand #1 of type 'tensor<1x8x64xf16>' comes from here",section='Pointwise operations')
case('S1: an extent is that of the result or 1.','s1_extent','%a: tensor<8x64xf16>, %b: tensor<8x32xf16>',
 '%0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8x32xf16>) -> tensor<8x64xf16>',
 "operand #1 has extent 32 in dimension 1, which does not broadcast to the result's extent 64",note="operand #1 of type 'tensor<8x32xf16>' comes from here")
case('S1: dimensions are aligned at the last one.','s1_alignment','%a: tensor<8x64xf16>, %b: tensor<8xf16>',
 '%0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8xf16>) -> tensor<8x64xf16>',
 "operand #1 has extent 8 in dimension 0, which does not broadcast to the result's extent 64",note="operand #1 of type 'tensor<8xf16>' comes from here")
case('S1: the result has no extent that no operand has.','s1_result','%a: tensor<1x64xf16>, %b: tensor<64xf16>',
 '%0 = spyre.add %a, %b : (tensor<1x64xf16>, tensor<64xf16>) -> tensor<8x64xf16>',
 r"result has shape [8, 64], but the operands broadcast to [1, 64]")
case('S1: comparisons.','s1_compare','%a: tensor<8x64xf16>, %b: tensor<7x64xf16>',
 '%0 = spyre.lesserthan %a, %b : (tensor<8x64xf16>, tensor<7x64xf16>) -> tensor<8x64xi1>',
 "operand #1 has extent 7 in dimension 0, which does not broadcast to the result's extent 8",note="operand #1 of type 'tensor<7x64xf16>' comes from here")
case('S1: three operands.','s1_where3','%c: tensor<9x64xi1>, %a: tensor<8x64xf16>',
 '%0 = spyre.where3 %c, %a, %a : (tensor<9x64xi1>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>',
 "operand #0 has extent 9 in dimension 0, which does not broadcast to the result's extent 8",note="operand #0 of type 'tensor<9x64xi1>' comes from here")
case('S1: one operand.','s1_unary','%a: tensor<8x64xf16>',
 '%0 = spyre.exp %a : (tensor<8x64xf16>) -> tensor<4x64xf16>',
 "operand #0 has extent 8 in dimension 0, which does not broadcast to the result's extent 4",note="operand #0 of type 'tensor<8x64xf16>' comes from here")
# --- S2
case('S2: functions of real numbers need floats.','s2_unary','%a: tensor<8x64xi32>','%0 = spyre.exp %a : tensor<8x64xi32>',
 "operand #0 must be ranked tensor of",section='Element types')
case('S2: f64 has no device format.','s2_f64','%a: tensor<8x64xf64>','%0 = spyre.add %a, %a : tensor<8x64xf64>',"operand #0 must be ranked tensor of")
case('S2: arithmetic on bools.','s2_bool','%a: tensor<8x64xi1>','%0 = spyre.add %a, %a : tensor<8x64xi1>',"operand #0 must be ranked tensor of")
case('S2: operands of two types.','s2_binary','%a: tensor<8x64xf16>, %b: tensor<8x64xf32>',
 '%0 = spyre.add %a, %b : (tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf16>',"failed to verify that all of {lhs, rhs, result} have same element type")
case('S2: a result of another type is a cast.','s2_result','%a: tensor<8x64xf16>','%0 = spyre.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf32>',
 "failed to verify that all of {input, result} have same element type")
case('S2: a comparison gives bools.','s2_compare','%a: tensor<8x64xf16>','%0 = spyre.equal %a, %a : tensor<8x64xf16>',"result #0 must be ranked tensor of 1-bit signless integer values")
case('S2: operands of a comparison.','s2_compare_operands','%a: tensor<8x64xf16>, %b: tensor<8x64xf32>',
 '%0 = spyre.equal %a, %b : (tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xi1>',"failed to verify that all of {lhs, rhs} have same element type")
case('S2: a condition is a bool.','s2_condition','%a: tensor<8x64xf16>','%0 = spyre.where3 %a, %a, %a : tensor<8x64xf16>',"operand #0 must be ranked tensor of 1-bit signless integer values")
case('S2: both sides of a choice.','s2_choice','%c: tensor<8x64xi1>, %a: tensor<8x64xf16>, %b: tensor<8x64xf32>',
 '%0 = spyre.where3 %c, %a, %b : (tensor<8x64xi1>, tensor<8x64xf16>, tensor<8x64xf32>) -> tensor<8x64xf16>',"failed to verify that all of {on_true, on_false, result} have same element type")
case('S2: layer norm is in one type.','s2_layernormnorm','%a: tensor<8x64xf16>, %m: tensor<8x1xf32>',
 '%0 = spyre.layernormnorm %a, %m, %m, %a, %a : (tensor<8x64xf16>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>',
 "failed to verify that all of {input, mean, scale, weight, bias, result} have same element type")
for op,src,dst,which in [('dl16tofp32','f32','f32','operand #0 must be ranked tensor of 16-bit float or bfloat16 type values'),
                   ('fp32todl16','f32','f32','result #0 must be ranked tensor of 16-bit float or bfloat16 type values'),
                   ('fp8todl16','i8','f16','operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values'),
                   ('qfp8ch','f32','f8E4M3FN','operand #0 must be ranked tensor of 16-bit float or bfloat16 type values'),
                   ('qfp8wt','f16','i8','result #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values')]:
    case('S2: casts have fixed sides.','s2_'+op,'%%a: tensor<8x64x%s>'%src,'%%0 = spyre.%s %%a : (tensor<8x64x%s>) -> tensor<8x64x%s>'%(op,src,dst),which)
case('S2: reductions.','s2_reduction','%a: tensor<8x64xi32>','%0 = spyre.sum %a dims [0] : (tensor<8x64xi32>) -> tensor<64xi32>',"operand #0 must be ranked tensor of")
case('S2: a reduction does not cast.','s2_reduction_result','%a: tensor<8x64xf16>','%0 = spyre.sum %a dims [0] : (tensor<8x64xf16>) -> tensor<64xf32>',"failed to verify that all of {input, result} have same element type")
case('S2: positions are integers.','s2_topkindex','%a: tensor<8x64xf16>','%0 = spyre.topkindex %a dim 0 k 1 : (tensor<8x64xf16>) -> tensor<1x64xf16>',"result #0 must be ranked tensor of 32-bit signless integer or 64-bit signless integer values")
case('S2: factors of one type.','s2_matmul','%a: tensor<8x8xf16>, %b: tensor<8x8xf32>','%0 = spyre.batchmatmul %a, %b : (tensor<8x8xf16>, tensor<8x8xf32>) -> tensor<8x8xf16>',"failed to verify that all of {lhs, rhs} have same element type")
case('S2: 8-bit factors.','s2_matmulfp8','%a: tensor<8x8xf16>','%0 = spyre.batchmatmulfp8 %a, %a : tensor<8x8xf16>',"operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values")
case('S2: a move does not cast.','s2_restickify','%a: tensor<64x64xf16, #stick>','%0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xbf16, #stick>',"failed to verify that all of {input, result} have same element type",defs=S)
case('S2: tensors are ranked.','s2_unranked','%a: tensor<*xf16>','%0 = spyre.abs %a : tensor<*xf16>',"invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf16>'")
case('S2: in generic form.','s2_unranked_generic','%a: tensor<*xf16>','%0 = "spyre.abs"(%a) : (tensor<*xf16>) -> tensor<*xf16>',"operand #0 must be ranked tensor of")
case('S2: no scalars.','s2_scalar','%a: f16','%0 = "spyre.abs"(%a) : (f16) -> f16',"operand #0 must be ranked tensor of")
# --- S3 S4
case('S3: two operands with two sticks.','s3_operands','%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #cols>',
 '%0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x128xf16, #cols>) -> tensor<64x128xf16, #stick>',
 "operand #1 has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree",defs=S+C,note=["operand #0 of type","operand #1 of type"],section='Sticks')
case('S3: the result sticks as the operands do.','s3_result','%a: tensor<64x128xf16, #stick>',
 '%0 = spyre.exp %a : (tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #cols>',
 "result has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree",defs=S+C,note="operand #0 of type")
case('S3: a broadcast operand sticks on what it has.','s3_broadcast','%a: tensor<64x128xf16, #stick>, %b: tensor<64x1xf16, #cols>',
 '%0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x1xf16, #cols>) -> tensor<64x128xf16, #stick>',
 "operand #1 has iteration dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree",defs=S+C,note=["operand #0 of type","operand #1 of type"])
case('S3: a reduction over the stick has no stick left.','s3_reduction','%a: tensor<64x128xf16, #stick>',
 '%0 = spyre.sum %a dims [1] keepdim : (tensor<64x128xf16, #stick>) -> tensor<64x1xf16, #cols>',
 "result has iteration dimension 0 on its stick, but operand #0 has dimension 2; a spyre.restickify makes them agree",defs=S+C,note="operand #0 of type")
case('S3: a dynamic extent is not 1.','s3_dynamic','%a: tensor<?x?xf16, #stick>',
 '%0 = spyre.exp %a : (tensor<?x?xf16, #stick>) -> tensor<?x?xf16, #cols>',
 "result has iteration dimension 0 on its stick, but operand #0 has dimension 1",defs=S+C,note="operand #0 of type")
case('S4: a sparse operand indexed by the stick of another.','s4_operand','%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #sparse>',
 '%0 = spyre.add %a, %b : (tensor<64x128xf16, #stick>, tensor<64x128xf16, #sparse>) -> tensor<64x128xf16, #stick>',
 "operand #1 is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick",defs=S+P,note="operand #1 of type")
case('S4: a sparse operand before the one that has the stick.','s4_first','%a: tensor<64x128xf16, #stick>, %b: tensor<64x128xf16, #sparse>',
 '%0 = spyre.add %b, %a : (tensor<64x128xf16, #sparse>, tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #stick>',
 "operand #0 is indexed by iteration dimension 1, the stick of operand #1, but has one element of it in each stick",defs=S+P,note="operand #0 of type")
case('S4: a sparse result.','s4_result','%a: tensor<64x128xf16, #stick>',
 '%0 = spyre.exp %a : (tensor<64x128xf16, #stick>) -> tensor<64x128xf16, #sparse>',
 "result is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick",defs=S+P)
case('S4: a reduction that keeps the stick dimension keeps the stick.','s4_reduction','%a: tensor<64x128xf16, #stick>',
 '%0 = spyre.sum %a dims [0] keepdim : (tensor<64x128xf16, #stick>) -> tensor<1x128xf16, #sparse>',
 "result is indexed by iteration dimension 1, the stick of operand #0, but has one element of it in each stick",defs=S+P)
# --- S5
case('S5: one entry per iteration dimension.','s5_rank','%a: tensor<8x64xf16>','%0 = spyre.exp %a split [8] : tensor<8x64xf16>',
 "split has 1 entries, but the iteration space [8, 64] has 2 dimensions",section='Plan')
case('S5: the iteration space of a reduction has the reduced dimensions at its end.','s5_reduction_rank','%a: tensor<8x64xf16>','%0 = spyre.sum %a dims [0] split [8] : (tensor<8x64xf16>) -> tensor<64xf16>',
 "split has 1 entries, but the iteration space [64, 8] has 2 dimensions")
case('S5: entries are positive.','s5_zero','%a: tensor<8x64xf16>','%0 = spyre.exp %a split [8, 0] : tensor<8x64xf16>',"split must be positive, got 0 for dimension 1")
case('S5','s5_negative','%a: tensor<8x64xf16>','%0 = spyre.exp %a split [-9223372036854775808, 1] : tensor<8x64xf16>',"split must be positive, got -9223372036854775808 for dimension 0")
case('S5: also for a dynamic extent.','s5_dynamic','%a: tensor<?x64xf16>','%0 = spyre.exp %a split [0, 1] : tensor<?x64xf16>',"split must be positive, got 0 for dimension 0")
case('S5: entries divide the extent.','s5_division','%a: tensor<8x64xf16>','%0 = spyre.exp %a split [3, 1] : tensor<8x64xf16>',"splits dimension 0 of extent 8 over 3 cores, which does not divide it")
case('S5','s5_too_many','%a: tensor<8x64xf16>','%0 = spyre.exp %a split [16, 1] : tensor<8x64xf16>',"splits dimension 0 of extent 8 over 16 cores, which does not divide it")
case('S5: a stick is not cut.','s5_stick','%a: tensor<8x128xf16, #stick>','%0 = spyre.exp %a split [8, 4] : tensor<8x128xf16, #stick>',"splits dimension 1 of extent 128, 2 sticks, over 4 cores, which does not divide it",defs=S)
case('S5: a padded stick counts as one.','s5_one_stick','%a: tensor<8x60xf16, #stick>','%0 = spyre.exp %a split [8, 2] : tensor<8x60xf16, #stick>',"splits dimension 1 of extent 60, 1 stick, over 2 cores, which does not divide it",defs=S)
case('S5: K is on the stick of lhs only, which is enough.','s5_matmul','%a: tensor<64x128xf16, #stick>, %b: tensor<128x64xf16, #stick>',
 '%0 = spyre.batchmatmul %a, %b split [64, 1, 4] : (tensor<64x128xf16, #stick>, tensor<128x64xf16, #stick>) -> tensor<64x64xf16, #stick>',"splits dimension 2 of extent 128, 2 sticks, over 4 cores, which does not divide it",defs=S)
case('S5: sticks of different formats, the one with more elements counts.','s5_cast','%a: tensor<8x128xf16, #stick>',
 '%0 = spyre.dl16tofp32 %a split [8, 4] : (tensor<8x128xf16, #stick>) -> tensor<8x128xf32, #stick32>',"splits dimension 1 of extent 128, 2 sticks, over 4 cores, which does not divide it",
 defs=S+'#stick32 = #spyre.layout<(d0, d1) -> (d1 floordiv 32, d0, d1 mod 32)>\n')
# --- S6
case('S6: scopes ascend.','s6_descending','%a: tensor<8x64xf16>','%0 = spyre.exp %a tile [1: "A" in 2, 0: "B" in 2] : tensor<8x64xf16>',"hint scopes must ascend from the outermost, got 0 after 1")
case('S6: two hints are in two scopes.','s6_equal','%a: tensor<8x64xf16>','%0 = spyre.exp %a tile [3: "A" in 2, 3: "B" in 2] : tensor<8x64xf16>',"hint scopes must ascend from the outermost, got 3 after 3")
# --- S10 S11
case('S10: at least one dimension.','s10_none','%a: tensor<8x64xf16>','%0 = spyre.sum %a dims [] : tensor<8x64xf16>',"dims [] must be ascending dimensions of the input of rank 2, at least one",section='Reductions')
case('S10: dimensions of the input.','s10_above','%a: tensor<8x64xf16>','%0 = spyre.max %a dims [2] : (tensor<8x64xf16>) -> tensor<8xf16>',"dims [2] must be ascending dimensions of the input of rank 2, at least one")
case('S10: no counting from the end.','s10_negative','%a: tensor<8x64xf16>','%0 = spyre.min %a dims [-1] : (tensor<8x64xf16>) -> tensor<8xf16>',"dims [-1] must be ascending dimensions of the input of rank 2, at least one")
case('S10: ascending.','s10_order','%a: tensor<8x64xf16>','%0 = spyre.prod %a dims [1, 0] : (tensor<8x64xf16>) -> tensor<f16>',"dims [1, 0] must be ascending dimensions of the input of rank 2, at least one")
case('S10: each once.','s10_twice','%a: tensor<8x64xf16>','%0 = spyre.mean %a dims [1, 1] : (tensor<8x64xf16>) -> tensor<8xf16>',"dims [1, 1] must be ascending dimensions of the input of rank 2, at least one")
case('S10: rank 0 has nothing to reduce.','s10_scalar','%a: tensor<f16>','%0 = spyre.sum %a dims [0] : tensor<f16>',"dims [0] must be ascending dimensions of the input of rank 0, at least one")
case('S10: is checked before the sticks, which need it.','s10_before_sticks','%a: tensor<8x64xf16, #stick>',
 '%0 = spyre.exx2 %a dims [7, 9223372036854775807] split [1] : (tensor<8x64xf16, #stick>) -> tensor<8x64xf16, #cols>',"dims [7, 9223372036854775807] must be ascending dimensions of the input of rank 2, at least one",defs=S+C)
case('S11: without the dimensions.','s11_shape','%a: tensor<8x64xf16>','%0 = spyre.sum %a dims [1] : (tensor<8x64xf16>) -> tensor<64xf16>',"result has shape [64], but reducing dims [1] of [8, 64] gives [8]",note="operand #0 of type 'tensor<8x64xf16>' comes from here")
case('S11: with extent 1.','s11_keepdim','%a: tensor<8x64xf16>','%0 = spyre.sum %a dims [1] keepdim : (tensor<8x64xf16>) -> tensor<8xf16>',"result has shape [8], but reducing dims [1] of [8, 64] gives [8, 1]",note="operand #0 of type 'tensor<8x64xf16>' comes from here")
case('S11: with a dynamic extent.','s11_dynamic','%a: tensor<?x64xf16>','%0 = spyre.sum %a dims [1] keepdim : (tensor<?x64xf16>) -> tensor<8x2xf16>',"result has shape [8, 2], but reducing dims [1] of [?, 64] gives [?, 1]",note="operand #0 of type")
# topk
case('S9: one dimension on the stick of both.','s9_sticks','%a: tensor<64x256xf16, #stick>','%0 = spyre.topkvalue %a dim 1 k 4 : (tensor<64x256xf16, #stick>) -> tensor<64x4xf16, #cols>',
 "result has dimension 0 on its stick, but operand #0 has dimension 1; a spyre.restickify makes them agree",defs=S+C,note="operand #0 of type")
case('S9: a sparse result.','s9_sparse','%a: tensor<64x256xf16, #stick>','%0 = spyre.topkindex %a dim 0 k 4 : (tensor<64x256xf16, #stick>) -> tensor<4x256xi64, #sparse>',
 "result is indexed by dimension 1, the stick of operand #0, but has one element of it in each stick",defs=S+P)
case('S16: a dimension of the input.','s16_dim','%a: tensor<8x64xf16>','%0 = spyre.topkvalue %a dim 2 k 4 : tensor<8x64xf16>',"dim 2 is not a dimension of the input of rank 2")
case('S16','s16_negative_dim','%a: tensor<8x64xf16>','%0 = spyre.topkvalue %a dim -1 k 4 : tensor<8x64xf16>',"dim -1 is not a dimension of the input of rank 2")
case('S16: k is positive.','s16_zero','%a: tensor<8x64xf16>','%0 = spyre.topkvalue %a dim 1 k 0 : (tensor<8x64xf16>) -> tensor<8x0xf16>',"k must be positive, got 0")
case('S16','s16_negative','%a: tensor<8x?xf16>','%0 = spyre.topkvalue %a dim 1 k -9223372036854775808 : tensor<8x?xf16>',"k must be positive, got -9223372036854775808")
case('S16: k is at most the extent.','s16_above','%a: tensor<8x64xf16>','%0 = spyre.topkindex %a dim 1 k 65 : (tensor<8x64xf16>) -> tensor<8x65xi32>',"k is 65, above the extent 64 of dimension 1")
case('S16: the shape of the result.','s16_shape','%a: tensor<8x64xf16>','%0 = spyre.topkvalue %a dim 1 k 4 : (tensor<8x64xf16>) -> tensor<4x64xf16>',"result has shape [4, 64], expected [8, 4]",note="operand #0 of type")
# matmul
case('S7: at least two dimensions.','s7_vector','%a: tensor<64xf16>, %b: tensor<64x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<64xf16>, tensor<64x8xf16>) -> tensor<8xf16>',"operands need at least 2 dimensions, got ranks 1 and 2",section='Matrix multiplication')
case('S7: rank 0.','s7_scalar','%a: tensor<f16>','%0 = spyre.batchmatmul %a, %a : tensor<f16>',"operands need at least 2 dimensions, got ranks 0 and 0")
case('S7: K agrees.','s7_k','%a: tensor<8x64xf16>, %b: tensor<32x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<8x64xf16>, tensor<32x8xf16>) -> tensor<8x8xf16>',"lhs has K = 64, but rhs has K = 32",note=["operand #0 of type","operand #1 of type"])
case('S7: batch dimensions broadcast.','s7_batch','%a: tensor<2x8x64xf16>, %b: tensor<3x64x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<2x8x64xf16>, tensor<3x64x8xf16>) -> tensor<3x8x8xf16>',"batch dimension 0 has extent 2 in lhs, but 3 in rhs",note=["operand #0 of type","operand #1 of type"])
case('S7: the result is M x N.','s7_result','%a: tensor<16x64xf16>, %b: tensor<64x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<16x64xf16>, tensor<64x8xf16>) -> tensor<8x16xf16>',"result has shape [8, 16], but the product of [16, 64] and [64, 8] has shape [16, 8]",note=["operand #0 of type","operand #1 of type"])
case('S7: the result has the batch dimensions.','s7_result_rank','%a: tensor<2x16x64xf16>, %b: tensor<64x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<2x16x64xf16>, tensor<64x8xf16>) -> tensor<16x8xf16>',"result has shape [16, 8], but the product of [2, 16, 64] and [64, 8] has shape [2, 16, 8]",note=["operand #0 of type","operand #1 of type"])
case('S7: a static batch extent counts more than a dynamic one.','s7_dynamic','%a: tensor<4x8x64xf16>, %b: tensor<?x64x8xf16>','%0 = spyre.batchmatmul %a, %b : (tensor<4x8x64xf16>, tensor<?x64x8xf16>) -> tensor<7x8x8xf16>',"result has shape [7, 8, 8], but the product of [4, 8, 64] and [?, 64, 8] has shape [4, 8, 8]",note=["operand #0 of type","operand #1 of type"])
case('S8: lhs sticks on K.','s8_lhs','%a: tensor<64x64xf16, #cols>, %b: tensor<64x64xf16, #stick>','%0 = spyre.batchmatmul %a, %b : (tensor<64x64xf16, #cols>, tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #stick>',"operand #0 must have K, its dimension 1, on the stick; a spyre.restickify moves it there",defs=S+C,note="operand #0 of type")
case('S8: rhs sticks on N.','s8_rhs','%a: tensor<64x64xf16, #stick>, %b: tensor<64x64xf16, #cols>','%0 = spyre.batchmatmul %a, %b : (tensor<64x64xf16, #stick>, tensor<64x64xf16, #cols>) -> tensor<64x64xf16, #stick>',"operand #1 must have N, its dimension 1, on the stick; a spyre.restickify moves it there",defs=S+C,note="operand #1 of type")
case('S8: the result sticks on N.','s8_result','%a: tensor<64x64xf16, #stick>','%0 = spyre.batchmatmul %a, %a : (tensor<64x64xf16, #stick>, tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #cols>',"result must have N, its dimension 1, on the stick; a spyre.restickify moves it there",defs=S+C)
case('S8: a dynamic extent is not 1.','s8_dynamic','%a: tensor<?x?xf16, #cols>, %b: tensor<?x?xf16, #stick>','%0 = spyre.batchmatmul %a, %b : (tensor<?x?xf16, #cols>, tensor<?x?xf16, #stick>) -> tensor<?x?xf16, #stick>',"operand #0 must have K, its dimension 1, on the stick",defs=S+C,note="operand #0 of type")
case('S8: in 8 bits.','s8_fp8','%a: tensor<128x128xf8E4M3FN, #sparse8>','%0 = spyre.batchmatmulfp8 %a, %a : (tensor<128x128xf8E4M3FN, #sparse8>, tensor<128x128xf8E4M3FN, #sparse8>) -> tensor<128x128xf16>',"operand #0 must have K, its dimension 1, on the stick",defs='#sparse8 = #spyre.layout<(d0, d1) -> (d1, d0, 0)>\n',note="operand #0 of type")
# single ops
case('S12: min is not above max.','s12_order','%a: tensor<8x64xf16>','%0 = spyre.clip %a min 1.0 max -1.0 : tensor<8x64xf16>',r"min 1.000000e+00 is above max -1.000000e+00",section='Single operations')
case('S12: they are numbers.','s12_nan','%a: tensor<8x64xf16>','%0 = spyre.clip %a min 0x7FF8000000000000 max 1.0 : tensor<8x64xf16>',"min and max must be numbers, got nan and 1.000000e+00")
case('S13: one shape.','s13_shape','%a: tensor<1x64xf16>','%0 = spyre.copy %a : (tensor<1x64xf16>) -> tensor<8x64xf16>',"result has shape [8, 64], but the operands broadcast to [1, 64]")
case('S13: no broadcast.','s13_rank','%a: tensor<64xf16>','%0 = spyre.copy %a : (tensor<64xf16>) -> tensor<1x64xf16>',"copies shape [64] to [1, 64]",note="operand #0 of type 'tensor<64xf16>' comes from here")
case('S13: one layout map.','s13_map','%a: tensor<64x64xf16, #stick>','%0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #cols>',"cannot change the layout map from affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)> to affine_map<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>; spyre.restickify does",defs=S+C)
case('S13: one format.','s13_format','%a: tensor<64x64xf16, #stick>','%0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #ieee>',"cannot change the device format or the arrangement, from",defs=S+'#ieee = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = IEEE_FP16>\n')
case('S13: one arrangement.','s13_arrangement','%a: tensor<64x64xf16, #stick>','%0 = spyre.copy %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #exx2>',"cannot change the device format or the arrangement, from",defs=S+'#exx2 = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), arrangement = exx2>\n')
case('S14: layouts on both sides.','s14_layout','%a: tensor<64x64xf16, #stick>','%0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16>',"needs a layout on both sides, got 'tensor<64x64xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>' and 'tensor<64x64xf16>'",defs=S)
case('S14: one format.','s14_format','%a: tensor<64x64xf16, #stick>','%0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x64xf16, #ieee>',"cannot change the device format from SEN169_FP16 to IEEE_FP16",defs=S+'#ieee = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), format = IEEE_FP16>\n')
case('S14: one shape.','s14_shape','%a: tensor<64x64xf16, #stick>','%0 = spyre.restickify %a : (tensor<64x64xf16, #stick>) -> tensor<64x128xf16, #stick>',"failed to verify that all of {input, result} have same shape",defs=S)
case('S15: a splat.','s15_splat','','%0 = spyre.fill dense<[1.0, 2.0]> : tensor<2xf16>',"value must be a splat")
case('S15: in generic form, a number is no tensor.','s15_scalar','','%0 = "spyre.fill"() <{value = 1.0 : f16}> : () -> tensor<2xf16>',"failed to verify that all of {value, result} have same type")
case('S17: a static shape.','s17_dynamic','','%0 = spyre.empty : tensor<?x64xf16>',"needs a static shape, got [?, 64]")
for v,t in [('0.0','0.000000e+00'),('-1.0','-1.000000e+00'),('0x7FF0000000000000','inf'),('0x7FF8000000000000','nan')]:
    case('S18: a division by beta must make sense.','s18_beta_'+{'0.0':'zero','-1.0':'negative'}.get(v,t),'%a: tensor<8x64xf16>','%%0 = spyre.softplus %%a beta %s threshold 20.0 : tensor<8x64xf16>'%v,"beta must be positive and finite, got "+(t.upper() if 0 else t))
case('S18: the threshold is a number.','s18_threshold','%a: tensor<8x64xf16>','%0 = spyre.softplus %a beta 1.0 threshold 0x7FF8000000000000 : tensor<8x64xf16>',"threshold must be a number")
for v,t in [('-1.0e-5','-1.000000e-05'),('0x7FF0000000000000','inf'),('0x7FF8000000000000','nan')]:
    case('S19: eps keeps the variance positive.','s19_eps_'+{'-1.0e-5':'negative'}.get(v,t),'%a: tensor<8x64xf16>','%%0 = spyre.layernormscale %%a eps %s : tensor<8x64xf16>'%v,"eps must be finite and not negative, got "+t)
# generic
g='Malformed generic form'
case('Too few operands.','generic_operands','%a: tensor<8x64xf16>','%0 = "spyre.add"(%a) : (tensor<8x64xf16>) -> tensor<8x64xf16>',"expected 2 operands, but found 1",section=g)
case('No operands.','generic_no_operands','','%0 = "spyre.batchmatmul"() : () -> tensor<8x64xf16>',"expected 2 operands, but found 0")
case('No result.','generic_no_result','%a: tensor<8x64xf16>','"spyre.abs"(%a) : (tensor<8x64xf16>) -> ()',"requires one result")
case('Missing attributes.','generic_no_dims','%a: tensor<8x64xf16>','%0 = "spyre.sum"(%a) : (tensor<8x64xf16>) -> tensor<8x64xf16>',"requires attribute 'dims'")
case('','generic_no_k','%a: tensor<8x64xf16>','%0 = "spyre.topkvalue"(%a) <{dim = 1 : i64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"requires attribute 'k'")
case('','generic_no_max','%a: tensor<8x64xf16>','%0 = "spyre.clip"(%a) <{min = 1.0 : f64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"requires attribute 'max'")
case('','generic_no_value','','%0 = "spyre.fill"() : () -> tensor<8x64xf16>',"requires attribute 'value'")
case('Attributes of another kind.','generic_dims','%a: tensor<8x64xf16>','%0 = "spyre.sum"(%a) <{dims = [0]}> : (tensor<8x64xf16>) -> tensor<64xf16>',["attribute 'dims' failed to satisfy constraint: i64 dense array attribute"])
case('','generic_tile','%a: tensor<8x64xf16>','%0 = "spyre.abs"(%a) <{tile = [1, 2]}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"attribute 'tile' failed to satisfy constraint: hints of the tiling scopes around the operation, outermost first")
case('','generic_split','%a: tensor<8x64xf16>','%0 = "spyre.abs"(%a) <{split = array<i32: 1, 1>}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"attribute 'split' failed to satisfy constraint: i64 dense array attribute")
case('','generic_place','%a: tensor<8x64xf16>','%0 = "spyre.abs"(%a) <{place = "lx"}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"attribute 'place' failed to satisfy constraint: where a tensor lives")
case('','generic_min','%a: tensor<8x64xf16>','%0 = "spyre.clip"(%a) <{min = 1.0 : f32, max = 2.0 : f64}> : (tensor<8x64xf16>) -> tensor<8x64xf16>',"attribute 'min' failed to satisfy constraint: 64-bit float attribute")
case('','generic_k','%a: tensor<8x64xf16>','%0 = "spyre.topkvalue"(%a) <{dim = 1 : i64, k = 4 : i32}> : (tensor<8x64xf16>) -> tensor<8x4xf16>',"attribute 'k' failed to satisfy constraint: 64-bit signless integer attribute")
# syntax
case('An unknown place.','syntax_place','%a: tensor<8x64xf16>','%0 = spyre.abs %a place hbm 0 : tensor<8x64xf16>',"unknown place 'hbm' (known: arg, pool, lx, window)",section='Syntax')
case('A place without its address.','syntax_address','%a: tensor<8x64xf16>','%0 = spyre.abs %a place lx : tensor<8x64xf16>',"expected integer value")
case('The constraints of places hold here too: SP2.','syntax_place_constraint','%a: tensor<8x64xf16>','%0 = spyre.abs %a place lx 64 : tensor<8x64xf16>',"'lx' address 64 is not a multiple of the stick, 128 bytes")
case('And those of hints: SH1.','syntax_hint_constraint','%a: tensor<8x64xf16>','%0 = spyre.abs %a tile [0: "A" in 0] : tensor<8x64xf16>',"tile count must be positive, got 0")
case('A hint without a name.','syntax_hint','%a: tensor<8x64xf16>','%0 = spyre.abs %a tile [0: 1 in 2] : tensor<8x64xf16>',"invalid kind of attribute specified")
case('Too few types.','syntax_types','%a: tensor<8x64xf16>','%0 = spyre.add %a, %a : (tensor<8x64xf16>) -> tensor<8x64xf16>',"expected 2 operand types and 1 result type, got 1 and 1")
case('Too many results.','syntax_results','%a: tensor<8x64xf16>','%0 = spyre.exp %a : (tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<8x64xf16>)',"expected 1 operand types and 1 result type, got 1 and 2")
case('A whole number where a fraction may be.','syntax_number','%a: tensor<8x64xf16>','%0 = spyre.clip %a min 1 max 2 : tensor<8x64xf16>',["unexpected decimal integer literal for a floating point value"])
# op_spec
A='#spyre.tensor_arg<%s arg 0 SEN169_FP16 [1, 64], %s -> (0, 0)%s>'
def spec(comment, err, text, section=None, note_first=None):
    raw(''.join('// %s\n'%c for c in comment.split('\n'))+'// expected-error @+1 {{%s}}\n%s\n'%(err,text),section)
spec('SO1: coordinates over the iteration space.',"tensor #1 has coordinates over 2 dimensions, but the iteration space has 1",'spyre.op_spec @s "exp" space [#spyre.iter_dim<"c0" = 4 over 1>] args [%s, %s]'%(A%('in','(d0)',''),A%('out','(d0, d1)','')),section='spyre.op_spec')
spec('SO2: at least one tensor.',"has no tensors",'spyre.op_spec @s "exp" space [] args []')
spec('SO2: outputs follow inputs.',"tensor #1 is an input after an output",'spyre.op_spec @s "exp" space [] args [%s, %s]'%(A%('out','()',''),A%('in','()','')))
spec('SO2: at least one output.',"has no output",'spyre.op_spec @s "exp" space [] args [%s]'%(A%('in','()','')))
spec('SO3: one entry per loop.',"tensor #2 advances over 2 loops, but another tensor over 1",'spyre.op_spec @s "add" space [] args [%s, %s, %s]'%(A%('in','()',', advance = [64]'),A%('in','()',''),A%('out','()',', advance = [64, 0]')))
spec('SO4: distinct symbols.','names iteration symbol "c0" twice','spyre.op_spec @s "exp" space [#spyre.iter_dim<"c0" = 4 over 1>, #spyre.iter_dim<"c0" = 8 over 1>] args [%s]'%(A%('out','(d0, d1)','')))
spec('SO5: constants are numbers.',"constant 'eps' is not a number",'spyre.op_spec @s "layernormscale" space [] args [%s] constants {eps = "small"}'%(A%('out','()','')))
spec('SO6: an OpFunc.',"has no OpFunc",'spyre.op_spec @s "" space [] args [%s]'%(A%('out','()','')))
spec('SO6: a name.',"has no name",'"spyre.op_spec"() <{sym_name = "", op_func = "exp", space = [], args = [%s]}> : () -> ()'%(A%('out','()','')))
raw('// Two of one name in one symbol table.\n// expected-note @+1 {{see existing symbol definition here}}\nspyre.op_spec @s "exp" space [] args [%s]\n// expected-error @+1 {{redefinition of symbol named \'s\'}}\nspyre.op_spec @s "exp" space [] args [%s]\n'%((A%('out','()',''),)*2))
spec('A visibility that is none.','visibility expected to be one of','"spyre.op_spec"() <{sym_name = "s", sym_visibility = "secret", op_func = "exp", space = [], args = [%s]}> : () -> ()'%(A%('out','()','')))
spec('Entries of another kind.',"attribute 'space' failed to satisfy constraint: iteration space",'"spyre.op_spec"() <{sym_name = "s", op_func = "exp", space = [4], args = []}> : () -> ()')
spec('',"attribute 'args' failed to satisfy constraint: tensors, inputs first",'"spyre.op_spec"() <{sym_name = "s", op_func = "exp", space = [], args = ["x"]}> : () -> ()')
spec('',"requires attribute 'op_func'",'"spyre.op_spec"() <{sym_name = "s", space = [], args = []}> : () -> ()')
text='// RUN: spyre-opt %s --split-input-file --verify-diagnostics\n\n// One module per constraint of an operation, named after it (`sN_...`). Those of\n// the attributes are in invalid-attributes.mlir.\n\n'+'\n// -----\n\n'.join(c.replace('// \n','') for c in cases)
open('invalid.mlir','w').write(text)
print(len(cases))
