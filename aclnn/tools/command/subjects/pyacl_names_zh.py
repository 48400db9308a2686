"""The texts about names of pyACL that a program did not find, in Chinese; `pyacl_names.py` has the English texts."""

from typing import Final

IS_A: Final = "Python 没有找到的 pyACL 名字"
TEXTS: Final = {
    "there": (
        "pyACL 有这个名字，所以 `import acl` 找到的是别的东西：程序旁边名为 acl 的目录或文件，或者另一个包。"
        "print(acl.__file__, acl.__path__) 显示是哪一个。",
        "给另一个 acl 改名，并 source CANN 的 set_env.sh；在这里用 `aclnn run --pyacl FILE`。",
    ),
    "subject": ("本模拟器没有它：{subject}。", "`aclnn docs zh/pyacl` 列出没有的部分。"),
    "definition": ("pyACL 不定义常量：程序要自己写出它的值。", "自己定义：{definition}。"),
    "other": ("pyACL 有这个函数，但用的是另一个名字。", "调用 acl.{other}。"),
    "none": (
        "据公开的资料，pyACL 没有这个名字。",
        "`aclnn docs zh/pyacl` 列出各个函数，以及由 C 的名字得到它们的规则。",
    ),
}
"""meaning and remedy, by the fact of the absence"""
SUBJECTS: Final = {
    "parts of offline models": "离线模型的一部分函数",
    "the single-operator interface before aclnn": "aclnn 之前的单算子接口",
    "profiling": "profiling",
    "images, video and feature retrieval": "图像、视频和特征检索",
    "kernels": "核函数",
    "copy descriptors": "拷贝描述符",
    "groups and memory errors, which only full builds have": "只有完整版本才有的 group 和内存错误接口",
}
"""the parts of pyACL that the emulator lacks"""
