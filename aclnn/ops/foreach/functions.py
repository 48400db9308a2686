"""Functions of one list of tensors."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.numbers.special import erf, erfc
from aclnn.ops.foreach._generated import foreach


def exponential(x: Array) -> Array:
    return np.exp(x if x.dtype.kind == "f" else x.astype(np.float32))


def exponential_less_1(x: Array) -> Array:
    return np.expm1(x if x.dtype.kind == "f" else x.astype(np.float32))


def negative(x: Array) -> Array:
    return 0 - x


def inverse(x: Array) -> Array:
    return 1 / x


def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


absolute = foreach(__name__, "aclnnForeachAbs", "x", formula=np.abs, doc="out = the magnitude of x, of each tensor")
acos = foreach(__name__, "aclnnForeachAcos", "x", formula=np.arccos, doc="out = arccos(x), of each tensor")
asin = foreach(__name__, "aclnnForeachAsin", "x", formula=np.arcsin, doc="out = arcsin(x), of each tensor")
atan = foreach(__name__, "aclnnForeachAtan", "x", formula=np.arctan, doc="out = arctan(x), of each tensor")
cos = foreach(__name__, "aclnnForeachCos", "x", formula=np.cos, doc="out = cos(x), of each tensor")
cosh = foreach(__name__, "aclnnForeachCosh", "x", formula=np.cosh, doc="out = cosh(x), of each tensor")
error = foreach(__name__, "aclnnForeachErf", "x", formula=erf, doc="out = the error function of x, of each tensor")
complement = foreach(
    __name__, "aclnnForeachErfc", "x", formula=erfc, doc="out = 1 - the error function of x, of each tensor"
)
exp = foreach(__name__, "aclnnForeachExp", "x", formula=exponential, doc="out = e to the power of x, of each tensor")
expm1 = foreach(
    __name__,
    "aclnnForeachExpm1",
    "x",
    formula=exponential_less_1,
    doc="out = e to the power of x, less 1, of each tensor",
)
log = foreach(__name__, "aclnnForeachLog", "x", formula=np.log, doc="out = the natural logarithm of x, of each tensor")
log10 = foreach(
    __name__, "aclnnForeachLog10", "x", formula=np.log10, doc="out = the logarithm of x to the base 10, of each tensor"
)
log1p = foreach(
    __name__, "aclnnForeachLog1p", "x", formula=np.log1p, doc="out = the natural logarithm of x + 1, of each tensor"
)
log2 = foreach(
    __name__, "aclnnForeachLog2", "x", formula=np.log2, doc="out = the logarithm of x to the base 2, of each tensor"
)
neg = foreach(__name__, "aclnnForeachNeg", "x", formula=negative, doc="out = 0 - x, of each tensor")
reciprocal = foreach(__name__, "aclnnForeachReciprocal", "x", formula=inverse, doc="out = 1 / x, of each tensor")
sigmoid = foreach(__name__, "aclnnForeachSigmoid", "x", formula=logistic, doc="out = 1 / (1 + exp(-x)), of each tensor")
sign = foreach(__name__, "aclnnForeachSign", "x", formula=np.sign, doc="out = -1, 0 or 1, of each tensor")
sin = foreach(__name__, "aclnnForeachSin", "x", formula=np.sin, doc="out = sin(x), of each tensor")
sinh = foreach(__name__, "aclnnForeachSinh", "x", formula=np.sinh, doc="out = sinh(x), of each tensor")
tan = foreach(__name__, "aclnnForeachTan", "x", formula=np.tan, doc="out = tan(x), of each tensor")
tanh = foreach(__name__, "aclnnForeachTanh", "x", formula=np.tanh, doc="out = tanh(x), of each tensor")
