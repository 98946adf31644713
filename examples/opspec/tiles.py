# exp of 512 rows of 256 elements, in a loop over 8 tiles of 64 rows: a tile starts at an argument plus 8192 bytes per trip.
from sympy import sympify
from torch_spyre._C import DataFormats, ElementArrangement
from torch_spyre._inductor.op_spec import DebugHandle, LoopSpec, OpSpec, ProvenanceTransform, SourceLoc, TensorArg, TensorWorkDivision
from torch_spyre.execution.async_compile import SpyreAsyncCompile
async_compile = SpyreAsyncCompile()

sdsc_fused_exp_0 = async_compile.sdsc('sdsc_fused_exp_0',
    [
        LoopSpec(
            count=sympify('8'),
            body=[
                OpSpec(
                    op='exp',
                    is_reduction=False,
                    iteration_space={sympify('c0'): (sympify('64'), 32), sympify('c1'): (sympify('256'), 1)},
                    op_info={},
                    core_id_to_work_slice={sympify('c0'): sympify('Mod(core_id, 32)'), sympify('c1'): sympify('0')},
                    tiled_symbols=[[sympify('_tile_adv_op0_lvl0')]],
                    tiled_symbol_trip_counts={sympify('_tile_adv_op0_lvl0'): 8},
                    symbolic_dim_bounds={},
                    debug_handle=DebugHandle(id=4611695894970508889, source=SourceLoc(file='model.py', start_line=4, start_col=0, end_line=None, end_col=None), aten_op='aten.exp.default', ir_chain=('exp', 'buf0'), fused_from=(), transform_history=()),
                    args=[
                        TensorArg(
                            is_input=True, arg_index=0, device_dtype=DataFormats.SEN169_FP16,
                            device_size=[4, 512, 64],
                            device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                            allocation={'hbm': 0},
                            device_tile_advance_expr=sympify('floor(4096*_tile_adv_op0_lvl0)'),
                        ),
                        TensorArg(
                            is_input=False, arg_index=1, device_dtype=DataFormats.SEN169_FP16,
                            device_size=[4, 512, 64],
                            device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                            allocation={'hbm': 1},
                            device_tile_advance_expr=sympify('floor(4096*_tile_adv_op0_lvl0)'),
                        ),
                    ]
                ),
            ],
        ),
    ]
)

async_compile.wait(globals())


def call(args):
    arg0_1, buf0 = args
    sdsc_fused_exp_0.run(arg0_1, buf0)
    return (buf0,)
