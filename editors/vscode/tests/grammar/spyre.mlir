// SYNTAX TEST "source.mlir" "operations, clauses and attributes of the dialects"

 #stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
//^^^^^ entity.name.type.alias.mlir
//        ^^^^^^^^^^^^^ entity.name.type.attribute.spyre.mlir
//                                      ^^^^^^^^ keyword.operator.affine.mlir
 func.func @f(%a: !t {spyre.dims = ["A", "B"]}) -> !t {
//^^^^^^^^ storage.type.function.mlir
//         ^^ entity.name.function.mlir
//            ^^ variable.other.mlir
//                ^^ entity.name.type.alias.mlir
//                    ^^^^^^^^^^ variable.other.property.spyre.mlir
//                                  ^^^ string.quoted.double.mlir
   %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" by 4] divide ["A" over 8] place lx 0 : !t
// ^^ variable.other.mlir
//      ^^^^^^^^^ support.function.operation.spyre.mlir
//                       ^^^^ keyword.other.plan.spyre.mlir
//                             ^ constant.numeric.mlir
//                                    ^^ keyword.other.hint.spyre.mlir
//                                                 ^^ keyword.other.hint.spyre.mlir
//                                                       ^^^^^^ keyword.other.plan.spyre.mlir
//                                                                   ^^^^ keyword.other.hint.spyre.mlir
//                                                                           ^^^^^ keyword.other.plan.spyre.mlir
//                                                                                 ^^ constant.language.place.spyre.mlir
   %tile = arith.addi %split, %c0 : index
// ^^^^^ variable.other.mlir - keyword.other.plan.spyre.mlir
//         ^^^^^^^^^^ keyword.operator.operation.mlir
//                                  ^^^^^ support.type.mlir
   // spyre.add tile [
// ^^^^^^^^^^^^^^^^^^^ comment.line.double-slash.mlir - support.function.operation.spyre.mlir
   %s = "spyre.add"(%a, %a) : (tensor<4x?xf16, #stick>, !sdscbundle.input_arg) -> ()
//      ^^^^^^^^^^^ string.quoted.double.mlir - support.function.operation.spyre.mlir
//                             ^^^^^^ support.type.shaped.mlir
//                                    ^^^^ constant.numeric.shape.mlir
//                                        ^^^ support.type.mlir
//                                             ^^^^^^ entity.name.type.attribute.mlir
//                                                      ^^^^^^^^^^^^^^^^^^^^^ support.type.spyre.mlir
 ^bb0(%0: i32):
//^^^ entity.name.section.mlir
   scf.yield %0#1 : i32
// ^^^^^^^^^ keyword.control.mlir
//           ^^^^ variable.other.mlir
