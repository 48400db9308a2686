"""Modules, variables, versions and kinds of programs that people search for, in English and Chinese; see `topics`."""

from typing import Final

from aclnn.tools.command.subjects.topic import Topic

TOPICS: Final = (
    Topic(
        "no module acl|no module named acl|no module named 'acl'|import acl|pyacl|找不到 acl 模块",
        "pyACL comes with CANN: source its set_env.sh. Here `aclnn run --pyacl FILE` gives the program the emulator's "
        "acl, and in tests acl_runtime.pyacl.install() does.",
        "ASCEND_HOME_PATH", cause=True,
    ),
    Topic(
        "no module torch_npu|no module named torch_npu|no module named 'torch_npu'|import torch_npu"
        "|找不到 torch_npu 模块",
        "torch_npu is PyTorch's plugin for NPUs: pip installs it, in the version of torch. Here `aclnn run --npu FILE` "
        "runs programs with it; `aclnn docs clients/pytorch` has the versions.",
        "ASCEND_HOME_PATH", cause=True,
    ),
    Topic(
        "offline model|offline models|om model|om file|.om|离线模型|om模型|om文件",
        "The content of an .om file is not public. Here a test states inputs and outputs, and a Python function or an "
        "ONNX file computes: `aclnn docs models`.",
        "145002 aclmdlLoadFromFile aclmdlExecute gear-not-set model-buffer-short model-not-unloaded", specific=False,
    ),
    Topic(
        "graph mode|aclgraph|acl graph|npugraph|图模式|图捕获|捕获图",
        "A capture records the work of a stream, and a replay launches it as a whole: `aclnn docs graphs`. Graphs of "
        "the graph engine (GE) are absent here.",
        "aclmdlRICaptureBegin aclmdlRIExecuteAsync capture-sync graph-memory-gone", specific=False,
    ),
    Topic(
        "environment variable|environment variables|环境变量",
        "set_env.sh sets the variables of CANN. Those of the emulator begin with ACL_EMULATOR_: `aclnn docs cpp` lists "
        "them, and `aclnn doctor` shows which are set.",
        "ASCEND_HOME_PATH ACL_EMULATOR_SOC ACL_EMULATOR_FINDINGS", specific=False,
    ),
    Topic(
        "deterministic|determinism|确定性|确定性计算",
        "On a device some sums have no fixed order, unless the program asks for it. Here results are the same in every "
        "run.",
        "ACL_OPT_DETERMINISTIC aclrtSetSysParamOpt aclrtCtxSetSysParamOpt", specific=False,
    ),
    Topic(
        "version mismatch|versions do not match|incompatible version|版本不匹配|版本不一致|版本不兼容",
        "Driver, CANN, its kernels and torch_npu have to fit each other. The emulator stands for one of them only: "
        "`aclnn doctor` shows what is installed.",
        "aclsysGetVersionStr aclrtGetVersion", specific=False,
    ),
)  # fmt: skip
