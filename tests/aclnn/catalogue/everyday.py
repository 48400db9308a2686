"""Operators that programs use every day (public): the older products compute all of them, unless a test of the product
or a device refuses them. (The five documents have product lists of their own.)"""

EVERYDAY = [
    f"aclnn{name}"
    for name in """
        Add InplaceAdd Adds InplaceAdds Sub Subs InplaceSub Mul InplaceMul Muls Div InplaceDiv Divs DivMod Rsubs Neg Abs
        Reciprocal Sqrt Rsqrt Square Exp Log Log1p Expm1 Sin Cos Tanh Sigmoid Floor Ceil Round Sign Erf PowTensorScalar
        PowTensorTensor Maximum Minimum Clamp ClampMin Addcmul Addcdiv Lerp Lerps RemainderTensorScalar FloorDivide
        EqTensor EqScalar NeTensor NeScalar GtTensor GtScalar GeScalar LtTensor LtScalar LeScalar LogicalAnd LogicalOr
        LogicalNot SWhere IsClose IsFinite InplaceMaskedFillScalar InplaceMaskedFillTensor BitwiseAndTensor BitwiseNot
        Relu Gelu GeluV2 Silu LeakyRelu Elu Hardswish Hardsigmoid Hardtanh Softplus Mish Softmax LogSoftmax Glu SwiGlu
        FastGelu GeGlu LayerNorm BatchNorm GroupNorm RmsNorm AddRmsNorm AddLayerNorm InstanceNorm DeepNorm Norm
        LinalgVectorNorm Matmul Mm BatchMatMul Addmm Baddbmm Mv Dot Convolution ConvolutionBackward ConvDepthwise2d
        ConvTbc MatmulWeightNz WeightQuantBatchMatmulV2 QuantMatmulV4 GroupedMatmulV4 TransMatmulWeight ReduceSum Mean
        Amax Amin Max MaxDim MinDim Prod Var Std ArgMax ArgMin All Any Cumsum LogSumExp Topk Sort Argsort Aminmax Cast
        Cat Stack SplitTensor SplitWithSize Permute Repeat Expand Flip Roll Tril Triu Slice SliceV2 ConstantPadNd
        ReflectionPad2d Im2col UpsampleNearest2d UpsampleBilinear2d GridSampler2D InplaceCopy InplaceFillScalar
        InplaceZero InplaceOne Arange Range Linspace Eye OneHot RepeatInterleave RepeatInterleaveIntWithDim Embedding
        Gather GatherV2 IndexSelect Index IndexPutImpl Scatter ScatterAdd InplaceScatterValue IndexAdd MaskedSelect
        Nonzero UniqueConsecutive Unique2 InplaceIndexCopy IndexFillTensor Take MaxPool MaxPool2dWithIndices
        MaxPool2dWithMask AvgPool2d AdaptiveAvgPool2d AdaptiveMaxPool2d InplaceUniform InplaceNormal InplaceRandom
        InplaceBernoulli DropoutGenMask DropoutDoMask Randperm Multinomial BatchNormBackward LayerNormBackward
        ThresholdBackward GeluBackward LogSoftmaxBackward NLLLoss NLLLossBackward MseLoss MseLossBackward
        CrossEntropyLoss ApplyAdamWV2 ApplyAdam SiluBackward MaxPool2dWithMaskBackward AvgPool2dBackward
        PromptFlashAttention IncreFlashAttention FusedInferAttentionScore FlashAttentionScore RotaryPositionEmbedding
        ApplyRotaryPosEmb MoeGatingTopKSoftmax MoeInitRoutingV2 MoeTokenUnpermute DynamicQuant AscendQuant NanToNum
        IsInf
    """.split()
]
