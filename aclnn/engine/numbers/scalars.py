"""stand-in"""

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype


def scalar_as(s, t):
    d = numpy_dtype(t)
    v = np.asarray(s.item()).astype(d)
    return v.astype(np.float32)[()] if d.itemsize < 4 and d.kind in "fV" else v[()]
