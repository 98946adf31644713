# A kernel of the first revision, as the front end writes it: the symbols of both loops are at the operations.
sdsc_fused_add_mul_0 = async_compile.sdsc('sdsc_fused_add_mul_0',
    [
        LoopSpec(
            count=sympify('2'),  # outer K=2 loop
            body=[
                LoopSpec(
                    count=sympify('4'),  # inner M=4 loop
                    body=[
                    OpSpec(
                        op='add',
                        is_reduction=False,
                        iteration_space={
                            sympify('c0'): (sympify('512'), 32),
                            sympify('c1'): (sympify('1024'), 1),
                        },
                        op_info={},
                        tiled_symbols=[sympify('c0'), sympify('c1')],
                        args=[
                            TensorArg(  # input a
                                is_input=True, arg_index=0,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[64, 1024, 64],
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'hbm': 0},
                            ),
                            TensorArg(  # input b
                                is_input=True, arg_index=1,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[64, 1024, 64],
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'hbm': 17179869184},
                            ),
                            TensorArg(  # output y (LX scratchpad)
                                is_input=False, arg_index=-1,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[16, 512, 64],
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'lx': 0},
                            ),
                        ]
                    ),
                    OpSpec(
                        op='mul',
                        is_reduction=False,
                        iteration_space={
                            sympify('c0'): (sympify('512'), 32),
                            sympify('c1'): (sympify('1024'), 1),
                        },
                        op_info={},
                        tiled_symbols=[sympify('c0'), sympify('c1')],
                        args=[
                            TensorArg(  # input y (LX scratchpad)
                                is_input=True, arg_index=-1,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[16, 512, 64],
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'lx': 0},
                            ),
                            TensorArg(  # input c
                                is_input=True, arg_index=2,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[64, 1024, 64],
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'hbm': 34359738368},
                            ),
                            TensorArg(  # output z (HBM, per-tile)
                                is_input=False, arg_index=3,
                                device_dtype=DataFormats.SEN169_FP16,
                                device_size=[16, 512, 64],  # one tile of z
                                device_coordinates=[
                                    sympify('floor(c1/64)'),
                                    sympify('c0'),
                                    sympify('Mod(c1, 64)'),
                                ],
                                allocation={'hbm': 51539607552},
                            ),
                        ]
                    ),
                    ],
                ),
            ],
        ),
    ]
)
