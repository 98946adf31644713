//! Operations of `linalg`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "linalg.abs" ABS abs Abs (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.add" ADD add Add (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.batch_matmul" BATCH_MATMUL batch_matmul BatchMatmul (*inputs, *outputs) sized
        {?indexing_maps, ?cast_ "cast"} [region] -> (*result_tensors);
    "linalg.batch_matvec" BATCH_MATVEC batch_matvec BatchMatvec (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.batch_mmt4d" BATCH_MMT4D batch_mmt4d BatchMmt4D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.batch_reduce_matmul" BATCH_REDUCE_MATMUL batch_reduce_matmul BatchReduceMatmul (*inputs, *outputs) sized
        {?indexing_maps, ?cast_ "cast"} [region] -> (*result_tensors);
    "linalg.batch_vecmat" BATCH_VECMAT batch_vecmat BatchVecmat (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.broadcast" BROADCAST broadcast Broadcast (input, init) {dimensions} [region] -> (*result);
    "linalg.ceil" CEIL ceil Ceil (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.contract" CONTRACT contract Contract (*inputs, *outputs) sized {indexing_maps, ?cast_ "cast"} [combiner]
        -> (*result_tensors);
    "linalg.conv_1d" CONV_1D conv_1d Conv1D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.conv_1d_ncw_fcw" CONV_1D_NCW_FCW conv_1d_ncw_fcw Conv1DNcwFcw (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_1d_nwc_wcf" CONV_1D_NWC_WCF conv_1d_nwc_wcf Conv1DNwcWcf (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d" CONV_2D conv_2d Conv2D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.conv_2d_nchw_fchw" CONV_2D_NCHW_FCHW conv_2d_nchw_fchw Conv2DNchwFchw (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nchw_fchw_q" CONV_2D_NCHW_FCHW_Q conv_2d_nchw_fchw_q Conv2DNchwFchwQ (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_ngchw_fgchw" CONV_2D_NGCHW_FGCHW conv_2d_ngchw_fgchw Conv2DNgchwFgchw (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_ngchw_gfchw" CONV_2D_NGCHW_GFCHW conv_2d_ngchw_gfchw Conv2DNgchwGfchw (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_ngchw_gfchw_q" CONV_2D_NGCHW_GFCHW_Q conv_2d_ngchw_gfchw_q Conv2DNgchwGfchwQ
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwc_fhwc" CONV_2D_NHWC_FHWC conv_2d_nhwc_fhwc Conv2DNhwcFhwc (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwc_fhwc_q" CONV_2D_NHWC_FHWC_Q conv_2d_nhwc_fhwc_q Conv2DNhwcFhwcQ (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwc_hwcf" CONV_2D_NHWC_HWCF conv_2d_nhwc_hwcf Conv2DNhwcHwcf (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwc_hwcf_q" CONV_2D_NHWC_HWCF_Q conv_2d_nhwc_hwcf_q Conv2DNhwcHwcfQ (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwgc_gfhwc" CONV_2D_NHWGC_GFHWC conv_2d_nhwgc_gfhwc Conv2DNhwgcGfhwc (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_2d_nhwgc_gfhwc_q" CONV_2D_NHWGC_GFHWC_Q conv_2d_nhwgc_gfhwc_q Conv2DNhwgcGfhwcQ
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_3d" CONV_3D conv_3d Conv3D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.conv_3d_ncdhw_fcdhw" CONV_3D_NCDHW_FCDHW conv_3d_ncdhw_fcdhw Conv3DNcdhwFcdhw (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_3d_ndhwc_dhwcf" CONV_3D_NDHWC_DHWCF conv_3d_ndhwc_dhwcf Conv3DNdhwcDhwcf (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.conv_3d_ndhwc_dhwcf_q" CONV_3D_NDHWC_DHWCF_Q conv_3d_ndhwc_dhwcf_q Conv3DNdhwcDhwcfQ
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.copy" COPY copy Copy (*inputs, *outputs) sized {?cast_ "cast"} [region] -> (*result_tensors);
    "linalg.depthwise_conv_1d_ncw_cw" DEPTHWISE_CONV_1D_NCW_CW depthwise_conv_1d_ncw_cw DepthwiseConv1DNcwCw
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_1d_nwc_wc" DEPTHWISE_CONV_1D_NWC_WC depthwise_conv_1d_nwc_wc DepthwiseConv1DNwcWc
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_1d_nwc_wcm" DEPTHWISE_CONV_1D_NWC_WCM depthwise_conv_1d_nwc_wcm DepthwiseConv1DNwcWcm
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_2d_nchw_chw" DEPTHWISE_CONV_2D_NCHW_CHW depthwise_conv_2d_nchw_chw DepthwiseConv2DNchwChw
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_2d_nhwc_hwc" DEPTHWISE_CONV_2D_NHWC_HWC depthwise_conv_2d_nhwc_hwc DepthwiseConv2DNhwcHwc
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_2d_nhwc_hwc_q" DEPTHWISE_CONV_2D_NHWC_HWC_Q depthwise_conv_2d_nhwc_hwc_q DepthwiseConv2DNhwcHwcQ
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_2d_nhwc_hwcm" DEPTHWISE_CONV_2D_NHWC_HWCM depthwise_conv_2d_nhwc_hwcm DepthwiseConv2DNhwcHwcm
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_2d_nhwc_hwcm_q" DEPTHWISE_CONV_2D_NHWC_HWCM_Q depthwise_conv_2d_nhwc_hwcm_q DepthwiseConv2DNhwcHwcmQ
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_3d_ncdhw_cdhw" DEPTHWISE_CONV_3D_NCDHW_CDHW depthwise_conv_3d_ncdhw_cdhw DepthwiseConv3DNcdhwCdhw
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_3d_ndhwc_dhwc" DEPTHWISE_CONV_3D_NDHWC_DHWC depthwise_conv_3d_ndhwc_dhwc DepthwiseConv3DNdhwcDhwc
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.depthwise_conv_3d_ndhwc_dhwcm" DEPTHWISE_CONV_3D_NDHWC_DHWCM depthwise_conv_3d_ndhwc_dhwcm DepthwiseConv3DNdhwcDhwcm
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.div" DIV div Div (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.div_unsigned" DIV_UNSIGNED div_unsigned DivUnsigned (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.dot" DOT dot Dot (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.elementwise" ELEMENTWISE elementwise Elementwise (*inputs, *outputs) sized {kind, ?indexing_maps} [region]
        -> (*result_tensors);
    "linalg.erf" ERF erf Erf (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.exp" EXP exp Exp (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.fill" FILL fill Fill (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.fill_rng_2d" FILL_RNG_2D fill_rng_2d FillRng2D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.floor" FLOOR floor Floor (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.generic" GENERIC generic Generic (*inputs, *outputs) sized
        {indexing_maps, iterator_types, ?doc, ?library_call} [region] -> (*result_tensors);
    "linalg.index" INDEX index Index {dim} -> (result);
    "linalg.log" LOG log Log (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.map" MAP map Map (*inputs, init) [mapper] -> (*result);
    "linalg.matmul" MATMUL matmul Matmul (*inputs, *outputs) sized {?indexing_maps, ?cast_ "cast"} [region]
        -> (*result_tensors);
    "linalg.matvec" MATVEC matvec Matvec (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.max" MAX max Max (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.min" MIN min Min (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.mmt4d" MMT4D mmt4d Mmt4D (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.mul" MUL mul Mul (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.negf" NEGF negf NegF (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.pack" PACK pack Pack (source, dest, ?padding_value, *inner_tiles) sized
        {?outer_dims_perm, inner_dims_pos, static_inner_tiles} -> (result);
    "linalg.pooling_nchw_max" POOLING_NCHW_MAX pooling_nchw_max PoolingNchwMax (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nchw_sum" POOLING_NCHW_SUM pooling_nchw_sum PoolingNchwSum (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_ncw_max" POOLING_NCW_MAX pooling_ncw_max PoolingNcwMax (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_ncw_sum" POOLING_NCW_SUM pooling_ncw_sum PoolingNcwSum (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_ndhwc_max" POOLING_NDHWC_MAX pooling_ndhwc_max PoolingNdhwcMax (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_ndhwc_min" POOLING_NDHWC_MIN pooling_ndhwc_min PoolingNdhwcMin (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_ndhwc_sum" POOLING_NDHWC_SUM pooling_ndhwc_sum PoolingNdhwcSum (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nhwc_max" POOLING_NHWC_MAX pooling_nhwc_max PoolingNhwcMax (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nhwc_max_unsigned" POOLING_NHWC_MAX_UNSIGNED pooling_nhwc_max_unsigned PoolingNhwcMaxUnsigned
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nhwc_min" POOLING_NHWC_MIN pooling_nhwc_min PoolingNhwcMin (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nhwc_min_unsigned" POOLING_NHWC_MIN_UNSIGNED pooling_nhwc_min_unsigned PoolingNhwcMinUnsigned
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nhwc_sum" POOLING_NHWC_SUM pooling_nhwc_sum PoolingNhwcSum (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nwc_max" POOLING_NWC_MAX pooling_nwc_max PoolingNwcMax (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nwc_max_unsigned" POOLING_NWC_MAX_UNSIGNED pooling_nwc_max_unsigned PoolingNwcMaxUnsigned
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nwc_min" POOLING_NWC_MIN pooling_nwc_min PoolingNwcMin (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nwc_min_unsigned" POOLING_NWC_MIN_UNSIGNED pooling_nwc_min_unsigned PoolingNwcMinUnsigned
        (*inputs, *outputs) sized {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.pooling_nwc_sum" POOLING_NWC_SUM pooling_nwc_sum PoolingNwcSum (*inputs, *outputs) sized
        {?strides, ?dilations} [region] -> (*result_tensors);
    "linalg.powf" POWF powf PowF (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.quantized_batch_matmul" QUANTIZED_BATCH_MATMUL quantized_batch_matmul QuantizedBatchMatmul
        (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.quantized_matmul" QUANTIZED_MATMUL quantized_matmul QuantizedMatmul (*inputs, *outputs) sized [region]
        -> (*result_tensors);
    "linalg.reciprocal" RECIPROCAL reciprocal Reciprocal (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.reduce" REDUCE reduce Reduce (*inputs, *inits) {dimensions} [combiner] -> (*results);
    "linalg.round" ROUND round Round (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.rsqrt" RSQRT rsqrt Rsqrt (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.select" SELECT select Select (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.softmax" SOFTMAX softmax Softmax (input, output) {dimension} -> (*result);
    "linalg.sqrt" SQRT sqrt Sqrt (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.square" SQUARE square Square (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.sub" SUB sub Sub (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.tanh" TANH tanh Tanh (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.transpose" TRANSPOSE transpose Transpose (input, init) {permutation} [region] -> (*result);
    "linalg.unpack" UNPACK unpack UnPack (source, dest, *inner_tiles)
        {?outer_dims_perm, inner_dims_pos, static_inner_tiles} -> (result);
    "linalg.vecmat" VECMAT vecmat Vecmat (*inputs, *outputs) sized [region] -> (*result_tensors);
    "linalg.winograd_filter_transform" WINOGRAD_FILTER_TRANSFORM winograd_filter_transform WinogradFilterTransform
        (filter, output) {fmr} -> (result);
    "linalg.winograd_input_transform" WINOGRAD_INPUT_TRANSFORM winograd_input_transform WinogradInputTransform
        (input, output) {fmr} -> (result);
    "linalg.winograd_output_transform" WINOGRAD_OUTPUT_TRANSFORM winograd_output_transform WinogradOutputTransform
        (value, output) {fmr} -> (result);
    "linalg.yield" YIELD yield_ Yield (*values);
}
