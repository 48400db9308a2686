"""The sentences of `aclnn --help`, `doctor`, `ops`, `docs` and of proposals in Chinese, by the English ones.

Names, the values of options, and the levels and supports of operators stay English.
"""

from collections.abc import Mapping
from typing import Final

from acl_runtime.objects.options import language

HELP: Final = {
    "Ascend host programs with no NPU.": "没有 NPU，也能运行昇腾的 Host 程序。",
    "positional arguments": "参数",
    "options": "选项",
    "show this help message and exit": "显示这段帮助",
    "show program's version number and exit": "显示版本号",
    "list the operators by category, level, product and data type": "按类别、级别、产品和数据类型列出算子",
    "only these, such as nn_activation": "只列这一类，例如 nn_activation",
    "exact, computed, catalogued or own": "exact、computed、catalogued 或 own",
    "a series or a chip, such as A2 or Ascend310P3": "产品系列或芯片，例如 A2 或 Ascend310P3",
    "a data type of some tensor, such as FLOAT16": "某个 Tensor 的数据类型，例如 FLOAT16",
    "explain the statuses and names in a text: meaning, who returns them, what to do":
        "解释一段文字里的返回码和名字：什么意思，谁返回它，怎么办",
    "a number, a name or parts of one, a chip, a variable, lines of a log; `-` or nothing: read stdin":
        "数字、名字或名字的一部分、芯片、环境变量、几行日志；写 `-` 或什么都不写：从 stdin 读",
    "all details, even if they are longer than a screen": "显示全部内容，即使超过一屏",
    "run a host program in Python, C or C++": "运行 Python、C 或 C++ 的 Host 程序",
    "the chip, such as Ascend310P3": "芯片，例如 Ascend310P3",
    "number of devices": "Device 的个数",
    "when queued work runs: late, eager, threads, random": "排队的任务何时执行：late、eager、threads、random",
    "seed of --schedule random": "--schedule random 的种子",
    "raise: an error ends a Python program at the call; report: all findings are reported at the end; error: like "
    "report, "
    "and the exit status is 86 if there are errors or warnings":
        "raise：Python 程序在出错的调用处结束；report：结束时报告所有问题；error：同 report，有 error 或 warning 时退"
        "出码是 86",
    "`import acl` in the Python program imports the emulator's": "Python 程序里的 `import acl` 导入模拟器的 acl",
    "for a Python program that loads the C libraries, as PyTorch with torch_npu":
        "用于加载 C 库的 Python 程序，例如用 torch_npu 的 PyTorch",
    "with --npu: torch_npu allocates and frees each block of memory itself, so the checks see each block":
        "与 --npu 同用：torch_npu 逐块申请和释放内存，检查因此能看到每一块",
    "write calls and tasks for Perfetto": "把调用和任务写成 Perfetto 的文件",
    "draw calls and tasks; FILE.svg: the picture alone": "画出调用和任务；FILE.svg：只要图",
    "Options come before FILE or directly after it. Everything from the first other word on, or after `--`, is passed "
    "to the program. Instead of an option, the environment may say it: `aclnn docs cpp` lists the variables.":
        "选项写在 FILE 之前，或紧跟在它之后。从第一个其他的词开始，或者 `--` 之后，都传给程序。"
        "也可以用环境变量代替选项：`aclnn docs cpp` 列出这些变量。",
    "print a C++ host program as a Python program, line by line": "把 C++ 的 Host 程序逐行改写成 Python 程序，并打印",
    "also run both, and compare output, exit status and calls (on stderr)":
        "再运行两个程序，比较输出、退出码和调用（写到 stderr）",
    "run the samples, or copy them to a directory": "运行示例，或者把它们复制到你的目录",
    "run only these": "只运行这些",
    "list the names and run nothing": "只列出名字，不运行",
    "copy the programs and run nothing": "只复制程序，不运行",
    "with --npu: a module, such as pytest, as the program": "与 --npu 一起使用：把一个模块（例如 pytest）作为程序",
    "draw a trace, or the traces of several ranks in one picture": "画出一份调用记录，或者把几个 rank 的记录画成一张图",
    "a file that machine.write_trace wrote, or those of several ranks":
        "machine.write_trace 写的文件，可以是几个 rank 的",
    "a page, or the SVG alone if the name ends in .svg; with --compare, another trace":
        "网页；名字以 .svg 结尾时只有图；有 --compare 时是另一份记录",
    "begin here, in simulated microseconds": "从这里开始，单位是模拟时间的微秒",
    "end here": "到这里结束",
    "the language of the page": "网页的语言",
    "print how the second trace differs from the first": "打印第二份记录与第一份的差别",
    "record the answers of a device, and compare them with the emulator's": "记录设备的结果，并与模拟器的结果比较",
    "each of the two has a --help": "这两个子命令都有 --help",
    "print a page of the documentation, or list the pages": "打印一页文档，或者列出所有页面",
    "such as testing, or findings/mem-leaked": "例如 testing，或 findings/mem-leaked",
    "print the path of the file": "打印文件的路径",
    "show what is installed, and what is missing and for what": "显示装了什么，缺什么，缺的有什么用",
    "write headers and libraries for C and C++ host programs": "写出 C 和 C++ 的 Host 程序要用的头文件和库",
    "print JSON, for programs": "打印 JSON，供程序读取",
    "a Python module with operators of your own: in the current folder, or installed":
        "含有自定义算子的 Python 模块：在当前目录，或者已安装",
    "a Python module with operators of your own, for a program in C or C++: beside the program, in the current folder"
    ", or "
    "installed":
        "含有自定义算子的 Python 模块，供 C 或 C++ 程序使用：在程序旁边、当前目录，或者已安装",
    "a Python module with operators of your own, for a program in C or C++: in the current folder, or installed":
        "含有自定义算子的 Python 模块，供 C 或 C++ 程序使用：在当前目录，或者已安装",
    "The same calls on a real device and here.": "在真实设备上和在这里做同样的调用。",
    "make the calls of a kit, and write a report": "执行一致性测试包里的调用，写出报告",
    "show function by function what agrees with the emulator": "逐个函数显示哪些结果与模拟器一致",
    "the kit or the report whose calls are made; not needed where a kit itself is run":
        "要执行其中调用的测试包或报告；直接运行测试包时不需要",
    "the file to write": "要写出的文件",
    "the folder of libascendcl.so, if not that of LD_LIBRARY_PATH":
        "libascendcl.so 所在的目录；不写时用 LD_LIBRARY_PATH 里的",
    "the Python that makes the calls, if not this one": "执行调用的 Python；不写时用当前的",
    "a call without an answer for so long is ended; the default is %(default)s":
        "一个调用超过这个秒数没有结果，就结束它；默认 %(default)s",
    "the chip here, if not that of the report": "这里使用的芯片；不写时用报告里的",
    "lib64 of a toolkit of this emulator; otherwise one is made": "本模拟器工具包的 lib64；不写时临时生成",
    "also list the functions that agree": "也列出一致的函数",
}  # fmt: skip
"""every text of the parsers"""

USAGE_ERRORS: Final = {
    r"argument ([^:]+): (.*)": "参数 {}：{}",
    "expected (one) argument": "需要一个值",
    "expected at least (one) argument": "至少需要一个值",
    r"invalid choice: (.*) \(choose from (.*)\)": "没有 {}，可选的是 {}",
    "invalid (.*) value: (.*)": "{1} 不是 {0} 类型的值",
    "ignored explicit argument (.*)": "这个选项没有值：{}",
    "the following arguments are required: (.*)": "缺少参数 {}",
    r"unknown arguments: (.*); `(.*)` explains a name": "不认识的参数 {}；解释一个名字用 `{}`",
    "unknown arguments: (.*)": "不认识的参数 {}",
    "unrecognized arguments: (.*)": "不认识的参数 {}",
    r"ambiguous option: (.*) could match (.*)": "选项 {} 不明确，可以是 {}",
    "nothing to explain: give WHAT, or a text on (stdin)": "没有要解释的内容：写出 WHAT，或者从 {} 传入文字",
    r"there is no (.*) ('.*'); (.*)": "没有这样的 {}：{}；{}",
    "similar: (.*)": "相近的有 {}",
    "known: (.*)": "可用的有 {}",
}  # fmt: skip
"""errors about the usage, as patterns; the last value of one may have a pattern of its own"""

OTHERS: Final = {
    "not installed": "没有安装",
    "pytest plugin": "pytest 插件",
    "evaluator": "计算引擎",
    "C library": "C 库",
    "real acl": "真实的 acl",
    "the OpenBLAS of numpy": "numpy 的 OpenBLAS",
    "variables that are set": "已设置的环境变量",
    "missing, and for what": "缺少的，以及用途",
    "the emulator works: a small program runs": "模拟器工作正常：一个小程序运行成功",
    "it does not work: {error}": "模拟器不能工作：{error}",
    "everything": "一切功能",
    "3.10 or later": "3.10 或更高版本",
    "this package": "本软件包",
    "bfloat16 and smaller types; everything": "bfloat16 和更小的类型；一切功能",
    "tests with the fixture `machine`": "使用 fixture `machine` 的测试",
    "the same; or pytest -p acl_runtime.pytest_plugin": "同上；或者 pytest -p acl_runtime.pytest_plugin",
    "aclnn run FILE.c; aclnn toolkit where its library is not compiled yet":
        "aclnn run FILE.c；库还没有编译时的 aclnn toolkit",
    "aclnn run FILE.cpp, C++ host programs": "aclnn run FILE.cpp，C++ 的 Host 程序",
    "CMake projects": "CMake 工程",
    "lines of C and C++ sources in findings": "问题报告里 C 和 C++ 源码的行号",
    "large and medium tensors in a third of the time; numpy computes without":
        "大中型 Tensor 只用三分之一的时间；没有它，由 numpy 计算",
    "products and convolutions on several cores; without it, on one": "矩阵乘和卷积用多个核；没有它，只用一个核",
    "aclnn toolkit and aclnn run --npu without a C compiler; wheels have it":
        "没有 C 编译器时的 aclnn toolkit 和 aclnn run --npu；wheel 里有",
    "C and C++ programs that start by themselves; not for aclnn run": "独立启动的 C 和 C++ 程序；aclnn run 不需要",
    "run the tests of this project": "运行本项目的测试",
    "check the sources of this project": "检查本项目的源码",
    "compare times with torch": "与 torch 比较时间",
    "ONNX files in place of offline models": "用 ONNX 文件代替离线模型",
    "build the documentation": "生成文档网站",
    "aclnn port, which parses C++": "aclnn port，它要解析 C++",
    "make and check the packages of this project": "制作和检查本项目的软件包",
    "every sentence of its document has a test": "文档的每句话都有测试",
    "its results were compared with another computation": "结果用另一种方法核对过",
    "nothing else has confirmed its results": "结果没有别的方法核对",
    "an operator of another project": "属于别的项目",
    "kernel: this emulator computes it": "kernel：本模拟器能计算",
    "{count} of these do not compute some calls, which `aclnn explain` lists":
        "其中 {count} 个有些调用不能计算，`aclnn explain` 会列出",
    "category": "类别",
    "functions": "函数",
    "all": "合计",
    "no function passes these filters": "没有符合这些条件的函数",
    "{category}: {count} functions": "{category}：{count} 个函数",
    "no kernel": "没有核函数",
    "aclnn ops --category CATEGORY lists the functions of a category. --level LEVEL, --product PRODUCT and "
    "--dtype TYPE filter them.":
        "aclnn ops --category CATEGORY 列出一类函数。--level LEVEL、--product PRODUCT 和 --dtype TYPE 是筛选条件。",
    "aclnn explain OPERATOR shows parameters and checks.": "aclnn explain OPERATOR 显示参数和各项检查。",
    "A function without a kernel checks its arguments, and its launch fails: `aclnn docs my-operator-is-missing`.":
        "没有核函数的函数会检查参数，但下发会失败：见 `aclnn docs my-operator-is-missing`。",
    "there is no command {word}; did you mean: aclnn {near}": "没有命令 {word}；你要的是不是：aclnn {near}",
    "there is no command {word}; `aclnn --help` lists them, `aclnn explain {plain}` may explain it":
        "没有命令 {word}；`aclnn --help` 列出所有命令，`aclnn explain {plain}` 也许能解释它",
    "also {folders}; `aclnn docs PAGE` prints a page": "另外还有 {folders}；`aclnn docs PAGE` 打印一页",
    "the program uses pyACL: aclnn run --pyacl {file}": "这个程序使用 pyACL：aclnn run --pyacl {file}",
    "{name}: did you mean {near}, of {package}?": "{name}：你要的是不是 {package} 的 {near}？",
    "{name}: there is no such operator; `aclnn ops` lists them": "{name}：没有这个算子；`aclnn ops` 列出所有算子",
}  # fmt: skip
"""texts of doctor, ops and docs, and proposals"""


def other_words() -> Mapping[str, str]:
    """The Chinese texts if Chinese is the language of this process; otherwise, and for a wrong language, none."""
    try:
        return {**HELP, **OTHERS} if language() == "zh" else {}
    except ValueError:
        return {}
