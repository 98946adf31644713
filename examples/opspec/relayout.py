# x @ w + b: the product is over 8 row and 4 column slices, the sum over 32 row slices, with a re-layout in LX between them.
from sympy import sympify
from torch_spyre._C import DataFormats, ElementArrangement
from torch_spyre._inductor.op_spec import DebugHandle, LoopSpec, OpSpec, ProvenanceTransform, SourceLoc, TensorArg, TensorWorkDivision
from torch_spyre.execution.async_compile import SpyreAsyncCompile
async_compile = SpyreAsyncCompile()

sdsc_fused_add_mm_0 = async_compile.sdsc('sdsc_fused_add_mm_0',
    [
        OpSpec(
            op='batchmatmul',
            is_reduction=True,
            iteration_space={sympify('c0'): (sympify('512'), 8), sympify('c1'): (sympify('1024'), 4), sympify('c2'): (sympify('256'), 1)},
            op_info={},
            core_id_to_work_slice={sympify('c0'): sympify('Mod(core_id, 8)'), sympify('c1'): sympify('Mod(floor(core_id/8), 4)'), sympify('c2'): sympify('0')},
            symbolic_dim_bounds={},
            debug_handle=DebugHandle(id=4611692191266838520, source=SourceLoc(file='linear.py', start_line=5, start_col=0, end_line=None, end_col=None), aten_op='aten.mm.default', ir_chain=('mm', 'buf0'), fused_from=(), transform_history=()),
            args=[
                TensorArg(
                    is_input=True, arg_index=0, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[4, 512, 64],
                    device_coordinates=[sympify('floor(c2/64)'), sympify('c0'), sympify('Mod(c2, 64)')],
                    allocation={'hbm': 0},
                ),
                TensorArg(
                    is_input=True, arg_index=1, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 256, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c2'), sympify('Mod(c1, 64)')],
                    allocation={'hbm': 1},
                ),
                TensorArg(
                    is_input=False, arg_index=-1, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 512, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                    allocation={'lx': 0},
                ),
            ]
        ),
        OpSpec(
            op='identity',
            is_reduction=False,
            iteration_space={sympify('c0'): (sympify('512'), 32), sympify('c1'): (sympify('1024'), 1)},
            op_info={'lx_relayout_certified': True},
            core_id_to_work_slice={sympify('c0'): sympify('Mod(floor(Mod(core_id, 32)), 32)')},
            symbolic_dim_bounds={},
            debug_handle=DebugHandle(id=4611693425834728643, source=None, aten_op=None, ir_chain=('clone', 'buf2'), fused_from=(), transform_history=()),
            args=[
                TensorArg(
                    is_input=True, arg_index=-1, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 512, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                    allocation={'lx': 0},
                    work_division=TensorWorkDivision(work_slices={sympify('c1'): 4, sympify('c0'): 8}, core_id_to_work_slice={sympify('c1'): sympify('Mod(floor(Mod(floor(core_id/8), 4)), 4)'), sympify('c0'): sympify('Mod(floor(Mod(core_id, 8)), 8)')}, num_cores=32),
                ),
                TensorArg(
                    is_input=False, arg_index=-1, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 512, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                    allocation={'lx': 32768},
                    work_division=TensorWorkDivision(work_slices={sympify('c0'): 32}, core_id_to_work_slice={sympify('c0'): sympify('Mod(floor(Mod(core_id, 32)), 32)')}, num_cores=32),
                ),
            ]
        ),
        OpSpec(
            op='add',
            is_reduction=False,
            iteration_space={sympify('c0'): (sympify('512'), 32), sympify('c1'): (sympify('1024'), 1)},
            op_info={},
            core_id_to_work_slice={sympify('c0'): sympify('Mod(core_id, 32)'), sympify('c1'): sympify('0')},
            symbolic_dim_bounds={},
            debug_handle=DebugHandle(id=4611694660402618766, source=SourceLoc(file='linear.py', start_line=6, start_col=0, end_line=None, end_col=None), aten_op='aten.add.Tensor', ir_chain=('add', 'buf1'), fused_from=(), transform_history=()),
            args=[
                TensorArg(
                    is_input=True, arg_index=-1, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 512, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                    allocation={'lx': 32768},
                ),
                TensorArg(
                    is_input=True, arg_index=2, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[1, 16, 64],
                    device_coordinates=[sympify('0'), sympify('floor(c1/64)'), sympify('Mod(c1, 64)')],
                    allocation={'hbm': 2},
                ),
                TensorArg(
                    is_input=False, arg_index=3, device_dtype=DataFormats.SEN169_FP16,
                    device_size=[16, 512, 64],
                    device_coordinates=[sympify('floor(c1/64)'), sympify('c0'), sympify('Mod(c1, 64)')],
                    allocation={'hbm': 3},
                ),
            ]
        ),
    ]
)

async_compile.wait(globals())


def call(args):
    arg0_1, arg1_1, arg2_1, buf1 = args
    sdsc_fused_add_mm_0.run(arg0_1, arg1_1, arg2_1, buf1)
    return (buf1,)
