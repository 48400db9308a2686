"""The page of a timeline in Chinese: translations of the texts of the English page, between its tags and in the labels
for screen readers.

Names, lines of the program and numbers are not translated; the reports of the findings are in Chinese already. A file
with only the SVG is in English.
"""

import re
from typing import Final

TEXTS: Final = {
    "Skip the picture": "跳过图",
    "Findings": "问题",
    "Nothing was found.": "没有发现问题。",
    "when the machine ended": "Machine 结束时",
    "simulated time": "模拟时间",
    "memory in use": "占用的内存",
    "call that launches": "下发任务的调用",
    "call that changes memory": "改变内存的调用",
    "call that waits": "等待的调用",
    "other call": "其他调用",
    "failed": "失败",
    "task": "任务",
    "event in a stream, mark or range": "流里的事件、标记或区间",
    "launch to run": "从下发到执行",
    "what a wait waited for": "等待的对象",
    "name": "名字",
    "stream": "流",
    "launched": "下发",
    "started": "开始",
    "ended": "结束",
    "status": "状态",
    "launched at": "下发的代码行",
    "call": "调用",
    "thread": "线程",
    "began": "开始",
    "returned": "返回",
    "line": "代码行",
    "number": "次数",
    "time": "时间",
    "longest": "最长",
    "function": "函数",
    "waited": "等待",
    "bytes": "字节",
    "timeline": "时间线",
    "legend": "图例",
    "Tasks": "任务",
    "Calls": "调用",
    "Tasks by name": "按名字统计的任务",
    "Calls by function": "按函数统计的调用",
    "Memory by the line that allocated it": "按申请的代码行统计的内存",
    "host": "Host",
    "most in use": "最多同时占用",
    "left at the end": "结束时剩余",
    "Point at a bar, or go there with the Tab key, to read about it here.": (
        "把鼠标移到一个条上，或者用 Tab 键移过去，这里会显示说明。"
    ),
}
"""whole texts"""
PATTERNS: Final = {
    r"Timeline of (.*)": r"\1 的时间线",
    r"(.*?)(\d+) calls? and (\d+) tasks? from (.*?) to ([\d.,]+ \w+)(?:, (\w+) schedule)?(?:, seed (\d+))?\.?": (
        r"\1\2 次调用，\3 个任务，从 \4 到 \5"
    ),
    r"(\S+ \S+) at most": r"最多 \1",
    r"launch of (.*)": r"下发 \1",
    r"at (.*), in (.*)": r"\1，在 \2 里",
    r"Tasks as a table \((.*)\)": r"任务表（\1）",
    r"Calls as a table \((.*)\)": r"调用表（\1）",
    r"Tasks by name as a table \((.*)\)": r"按名字统计的任务（\1）",
    r"Calls by function as a table \((.*)\)": r"按函数统计的调用（\1）",
    r"Memory by the line that allocated it as a table \((.*)\)": r"按申请的代码行统计的内存（\1）",
    r"at (\S+ \S+)": r"\1",
    r"at (\S+ \S+), (\w+)": r"\1，\2",
    r"(\S+ \S+) to (\S+ \S+), (\w+)": r"\1 到 \2，\3",
    r"(\S+ \S+) to (\S+ \S+), launched at (\S+ \S+), (\w+)": r"\1 到 \2，\3 下发，\4",
    r"from (\S+ \S+) to (\S+ \S+)": r"\1 到 \2",
    r"from (\S+ \S+) which goes on": r"从 \1 起，没有结束",
    r"task (\d+): (.*)": r"任务 \1：\2",
    r"mark: (.*)": r"标记：\1",
    r"range: (.*)": r"区间：\1",
    r"(\d+) calls: (.*) and (\d+) others": r"\1 个调用：\2，其他 \3 个函数",
    r"(\d+) tasks: (.*) and (\d+) others": r"\1 个任务：\2，其他 \3 个",
    r"(\d+) calls: (.*)": r"\1 个调用：\2",
    r"(\d+) tasks: (.*)": r"\1 个任务：\2",
    r"launches of (\d+) tasks": r"下发 \1 个任务",
    r"(.*) was recorded": r"\1 已记录",
    r"(aclrt\w+) returns": r"\1 返回",
    r"(.*): (\S+ \S+) at most, (\S+ \S+) at the end": r"\1：最多 \2，结束时 \3",
}
"""texts with values, and their translations"""
EVENTS: Final = {"record of": "记录", "reset of": "重置", "wait for": "等待"}
"""the names of tasks of events, without the event"""
SENTENCES: Final = {
    r"Rows for (\d+) host threads? and (\d+) streams? of (\d+) devices?, from left to right by simulated time\.": (
        r"\1 个 Host 线程，\3 个 Device 上的 \2 个流，从左到右是模拟时间。"
    ),
    r"Calls take no time, so each is drawn as wide as the others, on shaded ground, in the order in which they "
    r"returned; tasks and waits are as wide as they took\.": (
        "调用不占时间，所以一样宽，画在深色的底上，按返回的次序排列；任务和等待的宽度就是所用的时间。"
    ),
    r"Memory at most: (.*?)\.(?= )": r"内存最多：\1。",
    r"Found: nothing\.": "没有发现问题。",
    r"Found: ([^.]*)\.": r"发现：\1。",
    r"(\d+) launched tasks? (?:is|are) not seen to run\.": r"有 \1 个下发的任务没有执行。",
    r"The lines of your program are known for launches only: Machine\(trace=True\) keeps all\.": (
        "只知道下发任务的代码行：Machine(trace=True) 会记录全部。"
    ),
    r"(\d+) calls and tasks are too narrow to be drawn one by one: neighbours share a bar, which shows their number\. "
    r"A picture of a part of the time shows them one by one\.": (
        r"有 \1 个调用和任务太窄，不能一个个画出：相邻的合成一条，并标出个数。只画一段时间的图会一个个画出。"
    ),
    r"The arrows of the launches show for the task that is pointed at, as there are many\.": (
        "下发的箭头太多，只显示鼠标所指任务的箭头。"
    ),
    r"(?<=。) ": "",
}
"""parts of the text above the picture"""


def translated(page: str) -> str:
    """The page with its texts in Chinese."""
    head, style, body = page.partition("</style>")
    head = re.sub(r"(?<=<title>Timeline: )[^<]+", lambda text: _translated(text[0]), head)
    head = head.replace("Timeline: ", "时间线：").replace('<html lang="en">', '<html lang="zh-CN">')
    body = re.sub(r"(?<=>)[^<>\n]+(?=<)", lambda text: _translated(text[0]), body)
    body = re.sub(r'(?<=aria-label=")[^"\n]+(?=")', lambda text: _translated(text[0]), body)
    return (
        head + style + re.sub(r"(?<=<title>)[^<>]*\n[^<>]*(?=</title>)", lambda text: _translated_lines(text[0]), body)
    )


def _translated_lines(text: str) -> str:
    return "\n".join(map(_translated, text.split("\n")))


def _translated(text: str) -> str:
    if text in TEXTS:
        return TEXTS[text]
    text = re.sub(rf"({'|'.join(EVENTS)})(?= event \d)", lambda name: EVENTS[name[1]], text)
    for pattern, chinese in PATTERNS.items():
        if match := re.fullmatch(pattern, text):
            return match.expand(chinese)
    if text.startswith("Rows for "):
        for pattern, chinese in SENTENCES.items():
            text = re.sub(pattern, chinese, text)
    return text
