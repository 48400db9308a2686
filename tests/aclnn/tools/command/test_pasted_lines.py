"""`aclnn explain` with lines that people paste from public reports: each gets the answer that it needs (public)."""

from __future__ import annotations

import json
import re

import pytest

from acl_runtime.pyacl.names import ABSENT
from aclnn.tools.command import explain
from aclnn.tools.command.subjects import codes_zh, communication, plugin_codes, pyacl_names, pyacl_names_zh
from tests.aclnn.tools.command.test_explain_text import titles


def answer(asked: str, lang: str = "en") -> str:
    return explain.text(explain.facts(asked, most=explain.SCREEN), lang=lang)


LINES = [
    (
        "[ERROR] 2026-01-01-00:00:00 (PID:1234, Device:1, RankID:-1) ERR00100 PTA call acl api failed",
        "ERR00100",
        "the status in the same message",
    ),
    (
        "NPU function error: c10_npu::acl::AclrtSynchronizeStreamWithTimeout(copy_stream), error code is 507035",
        "507035; aclrtSynchronizeStreamWithTimeout",
        "The call that returns it did nothing wrong",
    ),
    (
        "RuntimeError: addmm:build/CMakeFiles/torch_npu.dir/compiler_depend.ts:112 NPU function error: "
        "call aclnnAddmm failed, error code is 161002",
        "161002; aclnnAddmm",
        "aclnnAddmmGetWorkspaceSize returns it for",
    ),
    (
        "AclNN_Parameter_Error(EZ1001): The k-axis of the two inputs are different.",
        "k-axis; EZ1001",
        "the columns of the first",
    ),
    (
        "Not allow to synchronize captured stream stream_id=2.[FUNC:StreamSynchronize][FILE:api_error.cc][LINE:884]",
        "captured stream",
        "before its begin or after its end",
    ),
    (
        "rtStreamSynchronize execute failed,  reason=[stream is "
        "captured][FUNC:FuncErrorReason][FILE:error_message_manage.cc][LINE:53]",
        "captured stream; 107027",
        "107027",
    ),
    (
        "New capture stream failed, stream_id=1987, "
        "event_id=[-1->70037].[FUNC:GetCaptureStream][FILE:capture_model_utils.cc][LINE:92]",
        "no stream for a capture",
        "the device has none left",
    ),
    (
        "stream wait event failed, runtime result = 207005[FUNC:ReportCallError][FILE:log_inner.cpp][LINE:148]",
        "207005",
        "no ids left",
    ),
    (
        "CANN error: EE1001: [PID:1234] 2026-01-01-00:00:00 The argument is invalid.Reason: "
        "rtMemGetInfoEx execute failed, reason=[context pointer null]",
        "context pointer null; EE1001",
        "a current context of its own",
    ),
    (
        "Check param failed, curCtx can not be null.[FUNC:MemGetInfoEx][FILE:api_impl.cc][LINE:2297]",
        "context pointer null",
        "a current context of its own",
    ),
    (
        "Convert memory address from virtual to dma physical failed, "
        "retCode=0x7020014.[FUNC:MemcpyAsyncTaskInitV3][FILE:memory_task.cc][LINE:694]",
        "host address in a copy",
        "aclrtMallocHost did not allocate",
    ),
    (
        "CANN failure 100002: ACL_ERROR_REPEAT_INITIALIZE ; NPU=0 ; expr=aclInit(nullptr);",
        "100002; aclInit",
        "aclInit returns it: already initialised",
    ),
    (
        "OSError: (External) ACL error, the error code is : 500002",
        "500002",
        "inside the graph engine",
    ),
    (
        "Call aclInit(nullptr) failed : 507008 at file "
        "/src/PaddleCustomDevice/backends/npu/runtime/runtime.cc line 403",
        "507008; aclInit",
        "the chip that program and packages were built for",
    ),
    (
        "NPU function error: aclrtPointerGetAttributes, error code is 107000",
        "107000; aclrtPointerGetAttributes",
        "aclrtPointerGetAttributes returns it",
    ),
    (
        "call aclnnMoeDistributeDispatchV4 failed, error code is 561000",
        "561000; aclnnMoeDistributeDispatchV4",
        "no kernel for this product",
    ),
    (
        "rtDeviceSynchronize execute failed, reason=[task "
        "timeout][FUNC:FuncErrorReason][FILE:error_message_manage.cc][LINE:53]",
        "107020",
        "longer than its limit",
    ),
    (
        "EE1002: Stream synchronize timeout. rtDeviceSynchronize execute failed, reason=[stream sync timeout]",
        "507046; EE1002",
        "Wait longer",
    ),
    (
        "EJ0001: Failed to initialize the HCCP process. Reason: Maybe the last training process is running.",
        "EJ0001",
        "processes of the last run",
    ),
    (
        "EL0004: Failed to allocate memory. Possible Cause: Available memory is insufficient.",
        "EL0004",
        "Free device memory",
    ),
    (
        "[ERROR] aclrtSetDevice(deviceId) failed: 507033",
        "507033; aclrtSetDevice",
        "npu-smi info",
    ),
    (
        "Parse dynamic kernel config fail.",
        "no operator package",
        "Install the kernels of this chip",
    ),
    (
        "EZ9999: Inner Error! The error from device(chipId:7, dieId:0), serial number is 134, there is "
        "an exception of fftsplus aivector error, core id is 32, error code = 0x800000",
        "vector core exception; EZ9999",
        "A task failed on a vector core",
    ),
    (
        "The extend info: errcode:(0, 0x800, 0) errorStr: The UB address accessed by the VEC instruction "
        "is not aligned.",
        "a core used a wrong address; not aligned",
        "Run the program here",
    ),
    (
        "RuntimeError: Cannot run aclop operators during NPU graph capture.",
        "aclop in a capture",
        "jit_compile=False",
    ),
    (
        "Not support mat2 n = 1 or k = 1 when format is FRACTAL_NZ",
        "fractal_nz with a dimension of 1",
        "Pass this weight in ND",
    ),
    (
        "ImportError: libhccl.so: cannot open shared object file: No such file or directory",
        "missing library",
        "source its set_env.sh",
    ),
    (
        "ImportError: libatb.so: cannot open shared object file: No such file or directory",
        "libatb.so; missing library",
        "a package of its own",
    ),
    (
        "NPU out of memory. Tried to allocate 22.00 MiB (NPU 0; 60.97 GiB total capacity; 10.24 GiB "
        "already allocated; 10.24 GiB current active; 19.52 MiB free; 10.65 GiB reserved in total by "
        "PyTorch)",
        "out of memory",
        "Free what is not needed",
    ),
    (
        "RuntimeError: Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, "
        "you must use the 'spawn' start method",
        "use after fork",
        "spawn",
    ),
    (
        "launch failed for Range, errno:561103.",
        "561103",
        "no operator package for this chip",
    ),
    (
        "Tiling failed",
        "tiling failed",
        "a shape, a format or an attribute",
    ),
    (
        "OPS function error: HcclAllreduce, error code is 6",
        "HCCL_E_NOT_FOUND",
        "a resource does not exist",
    ),
    (
        "HCCL function error: HcclCommInitRootInfo(numRanks, &rootInfo, rank, &(comm->hcclComm_))",
        "failure of hccl",
        "Its result and the text with EI or EJ",
    ),
    (
        "Unsupported soc version: Ascend310B4",
        "unsupported soc version; Ascend310B4",
        "was not built for this chip",
    ),
    (
        "[Error]: The context is empty. Check whether acl.rt.set_context or acl.rt.set_device is called.",
        "context pointer null; aclrtSetDevice",
        "a current context of its own",
    ),
    (
        "synchronized memcpy failed, kind = 2, runtime result = "
        "107030[FUNC:ReportCallError][FILE:log_inner.cpp][LINE:148]",
        "107030",
        "the mode of the capture forbids this call",
    ),
    (
        "When scale dtype is bfloat16, out dtype should also be bfloat16 but it is DT_INT32",
        "a check of an operator; ACL_INT32",
        "names the parameter",
    ),
    (
        "ERR02005 DIST internal error",
        "ERR02005",
        "names the cause",
    ),
    (
        "EZ3003: No supported Ops kernel and engine are found for [Identity], optype [Identity].",
        "EZ3003",
        "no kernel for the type of an operator",
    ),
    (
        "aclrtMemGetAllocationGranularity return Error, code: 100000",
        "100000; aclrtMemGetAllocationGranularity",
        "aclrtMemGetAllocationGranularity returns it",
    ),
    (
        "undefined reference to `aclInit'",
        "undefined reference; aclInit",
        "-lascendcl",
    ),
]
"""the line, what is explained, and words of the answer"""


@pytest.mark.parametrize(("line", "explained", "words"), LINES)
def test_a_line_of_a_report_is_explained(line: str, explained: str, words: str) -> None:
    assert titles(line) == explained.split("; ")
    assert words in " ".join(answer(line).split())
    assert answer(line).count("\n") <= explain.SCREEN
    assert re.search(r"[\u4e00-\u9fff]", answer(line, "zh"))
    assert not re.search(r"returns it|an operator:|^  on [A-Z]|: an? \w+$", answer(line, "zh"), re.MULTILINE)


@pytest.mark.parametrize(
    ("error", "name", "words"),
    [
        ("AttributeError: module 'acl' has no attribute 'malloc'", "acl.malloc", "Call acl.rt.malloc."),
        ("AttributeError: module 'acl.rt' has no attribute 'setDevice'", "acl.rt.setDevice", "acl.rt.set_device"),
        ("AttributeError: module 'acl' has no attribute 'aclrtMalloc'", "acl.aclrtMalloc", "Call acl.rt.malloc."),
        ("AttributeError: module 'acl' has no attribute 'init'", "acl.init", "found something else"),
        ("AttributeError: module 'acl' has no attribute 'rt'", "acl.rt", "found something else"),
        ("AttributeError: module 'acl' has no attribute 'himpi'", "acl.himpi", "does not have it: images, video"),
        ("ModuleNotFoundError: No module named 'acl.prof'", "acl.prof", "does not have it: profiling"),
        ("ImportError: cannot import name 'fv' from 'acl' (unknown location)", "acl.fv", "does not have it: images"),
        ("module 'acl.rt' has no attribute 'ACL_MEMCPY_HOST_TO_DEVICE'", "acl.rt.ACL_MEMCPY_HOST_TO_DEVICE",
         "Define it: ACL_MEMCPY_HOST_TO_DEVICE = 1."),
        ("module 'acl' has no attribute 'ACL_NOTHING'", "acl.ACL_NOTHING", "Define it: ACL_NOTHING = ...."),
        ("AttributeError: module 'acl' has no attribute 'frobnicate'", "acl.frobnicate", "pyACL has no such name"),
    ],
)  # fmt: skip
def test_a_name_that_pyacl_lacks_has_its_other_name_or_the_reason(error: str, name: str, words: str) -> None:
    text = " ".join(answer(error).split())
    assert titles(error)[0] == name
    assert words in text
    assert "\n含义\n" in answer(error, "zh") or "怎么办：" in answer(error, "zh")


def test_each_part_that_pyacl_has_and_the_emulator_lacks_is_in_chinese() -> None:
    assert list(pyacl_names_zh.SUBJECTS) == list(ABSENT)
    assert list(pyacl_names_zh.TEXTS) == list(pyacl_names.TEXTS)


STORY = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    loss.item()
RuntimeError: ACL stream synchronize failed, error code:507035
[ERROR] 2026-01-01-00:00:00 (PID:1234, Device:1, RankID:-1) ERR00100 PTA call acl api failed
EZ9999: Inner Error!
EZ9999: [PID: 1234] 2026-01-01-00:00:00 The error from device(chipId:7, dieId:0), serial number is 134, there is an \
exception of fftsplus aivector error, core id is 32, error code = 0x800000
        The extend info: errcode:(0, 0x800, 0) errorStr: The UB address accessed by the VEC instruction is not aligned.
        TraceBack (most recent call last):
        rtStreamSynchronize execute failed, reason=[vector core exception][FUNC:FuncErrorReason][LINE:53]
        synchronize stream failed, runtime result = 507035[FUNC:ReportCallError][FILE:log_inner.cpp][LINE:161]
"""


def test_a_paste_of_many_lines_is_one_story_with_the_first_cause_first() -> None:
    """The mistake of the core comes before the status by which the host sees it, and that before the wrappers."""
    first, _, others = answer(STORY).partition("\n\nBeside it, or because of it\n")
    assert first.startswith("a core used a wrong address\n")
    assert [line.split()[0].rstrip(":") for line in others.splitlines() if re.match(r"  \S", line)] == [
        "507035", "not", "ERR00100", "EZ9999",
    ]  # fmt: skip
    assert "unknown: 0x800000 (an internal number: no public source says what it means)" in others
    assert "\n\n同时出现的，或由它引起的\n" in answer(STORY, "zh")
    assert "不认识：0x800000 (内部的数字：" in answer(STORY, "zh")


def test_a_paste_of_forty_lines_fits_a_screen() -> None:
    text = answer("\n".join(line for line, _, _ in LINES))
    assert text.count("\n") <= explain.SCREEN
    assert text.startswith("k-axis\n")


def test_a_status_in_a_line_without_its_function_has_no_list_of_functions() -> None:
    assert re.search(r"\n\(\d+ functions return it: aclnn explain --all 507035\)$", answer("error code:507035"))
    assert "Returned by" in answer("507035")


@pytest.mark.parametrize("reason", ["task timeout", "stream is captured", "vector core exception", "device task abort"])
def test_the_reason_of_an_inner_failure_is_the_name_of_a_status(reason: str) -> None:
    words = reason.replace(" is ", " ").upper().replace(" ", "_")
    explanations = explain.facts(f"rtX execute failed, reason=[{reason}]")["explanations"]
    assert f"ACL_ERROR_RT_{words}" in [name for each in explanations for name in each.get("names", ())]


@pytest.mark.parametrize(
    ("code", "part", "meaning"),
    [
        ("ERR00007", "PTA", "a feature is not supported"),
        ("ERR01001", "OPS", "a parameter is invalid"),
        ("ERR02200", "DIST", "a call of HCCL failed"),
        ("ERR04100", "PROF", "a call of AscendCL failed"),
        ("ERR99999", "UNKNOWN", "an exception that the plugin did not expect"),
        ("ERR00400", "PTA", "torch_npu does not define this kind of error"),
    ],
)
def test_a_code_of_torch_npu_is_a_part_and_a_kind(code: str, part: str, meaning: str) -> None:
    """The published package torch_npu defines the parts and the kinds (public)."""
    text = answer(code)
    assert text.startswith(f"{code}\n  a code of torch_npu: {part}\n")
    assert f"Meaning\n  {meaning}\n" in text
    assert codes_zh.PLUGIN_KINDS.get(code[-3:], codes_zh.PLUGIN_UNKNOWN) in answer(code, "zh")


def test_every_kind_and_result_is_in_chinese() -> None:
    assert list(codes_zh.PLUGIN_KINDS) == list(plugin_codes.KINDS)
    assert list(codes_zh.RESULTS) == list(communication.RESULTS)


def test_each_result_of_a_communication_function_is_found_by_its_number_and_name() -> None:
    for name, (number, _) in communication.RESULTS.items():
        assert titles(f"HCCL function error: HcclBroadcast(x), error code is {number}")[0] == f"HCCL_E_{name}"
        assert titles(f"HCCL_E_{name}") == [f"HCCL_E_{name}"]
    assert titles("HcclBroadcast(buffer, 6, type)") == ["HcclBroadcast"]


@pytest.mark.parametrize("code", ["EI0020", "EZ3999", "E40021", "ET1001"])
def test_a_code_that_no_source_explains_says_so_and_proposes_no_similar_names(code: str) -> None:
    text = answer(code)
    assert "no public source says what this code means" in text
    assert "similar" not in text
    assert json.loads(json.dumps(explain.facts(code)))["similar"] == []


WORDS = (
    "非连续 对齐 溢出 步长 广播 野指针 用后释放 复用 多线程 多卡 算子 芯片 崩溃 报错 挂起 随机 coredump 不支持bf16 "
    "悬空指针 踩内存 不连续 没有对齐 饱和 视图 悬挂指针 线程安全 多设备 产品 闪退 出错 挂死 随机数 内存踩踏 私有格式 "
    "集合通信 超时 内存泄漏"
)
"""words of a reader, and their neighbours"""


@pytest.mark.parametrize("word", WORDS.split())
def test_a_chinese_word_leads_to_a_topic_with_a_chinese_heading(word: str) -> None:
    (about,) = explain.facts(word)["explanations"]
    assert about["kind"] == "topic"
    assert re.match(r"[\u4e00-\u9fff]+(?: \w+)? \(", answer(word, "zh"))


@pytest.mark.parametrize(
    ("word", "topic"),
    [("悬空指针", "use after free"), ("踩内存", "out of bounds"), ("空指针", "null pointer"), ("内存", "memory")],
)
def test_a_chinese_word_that_contains_another_one_means_itself(word: str, topic: str) -> None:
    assert titles(word) == titles(f"程序里出现了{word}"[-24:]) == [topic]
