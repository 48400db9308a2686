"""Finds the statuses, codes, findings, names, variables and chips in a pasted text.

The hard part is numbers. A log line is full of them: times, process and thread ids, sizes, line numbers, addresses.
Some have the value of a status by chance. The words next to a number decide:

- Some words mark a status: `ret=161002`, `aclrtMalloc: 207001`, `161002 ACLNN_ERR_PARAM_INVALID`.
- Some words mark another number: `pid 161002`, `161002 bytes`.
- Without such a word, a number that begins a line is a status: `161002 bar`.
- Inside a line, the number must follow a status in a list, `ret 161001, 161002`, or be alone between marks in a line
  about a failure. Round numbers (100000, 200000) are no statuses there.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from aclnn.tools.command import products
from aclnn.tools.command.subjects import codes, communication, plugin_codes, pyacl_names

TIMES: Final = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[-T ]\s?\d{1,2}:\d{2}(?::\d{2})?(?:[.,:]\d+)*)?(?:Z|[+-]\d{2}:?\d{2}\b)?"
    r"|\d{1,2}:\d{2}:\d{2}(?:[.,:]\d+)*|\b\d{8}[-_ ]\d{6}\b",
    re.ASCII,
)
HEAD: Final = re.compile(r"(?<=[A-Z])\(\d+,[^()\n]*\)|\[(?:PID|TID|THREAD): ?\d+\]|\b\w+\[\d+\](?=:)", re.ASCII)
"""process and thread at the start of a line of a log: `RUNTIME(1234,python)`, `[PID: 1234]`, `python[1234]:`"""
POSITION: Final = re.compile(
    r"(?<![\w/.+-])[\w/.+-]+\.(?:cc|cpp|cxx|c|hpp|h|py|pyx|cce|so|rs|go)(?:[:(]\d+)+\)?\]?(?:(?<=\])\s?\d+(?=\s))?",
    re.ASCII,
)
"""a file and a line number, with the thread that plog writes after them: `[npu_driver.cc:1234]5678 `"""
NUMBER: Final = re.compile(r"(?<![\w@#$])(?<!\d[.,])(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w%])(?![.,]\d)", re.ASCII)
WORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
DOTTED: Final = re.compile(r"(?<![\w.])acl(?:\.\w+)+", re.ASCII)
"""a name of pyACL, such as acl.rt.malloc"""
ID: Final = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])", re.ASCII)
REPORTED: Final = re.compile(
    r"\b(?:error|warning|advice|note|allowed)\[([a-z0-9-]+)\]|\ballow\(\s*[\"']([a-z0-9-]+)", re.I
)
"""a finding as a report or a program names it; only then its id may be an ordinary word"""
OURS: Final = re.compile(r"acl(?:rt|nn|mdl|prof)?[A-Z]\w+|ACL(?:NN)?_[A-Z0-9_]+", re.ASCII)
"""a word that looks like a name of AscendCL"""
VARIABLE: Final = re.compile(r"ASCEND_[A-Z0-9_]+", re.ASCII)
ERROR_CODE: Final = re.compile(
    rf"(?<![A-Za-z0-9_-])(?:{codes.CODE.pattern}|{plugin_codes.CODE.pattern})(?![A-Za-z0-9_-])", re.ASCII
)
REASON: Final = re.compile(r"\breason=\[([a-z ]+)\]", re.IGNORECASE)
"""the reason of a failure inside the runtime: the words of the name of a status"""
SMALL_WORDS: Final = re.compile(r"\b(?:is|was|the|a|of) ")

LONGEST: Final = 20
"""maximum number of digits; a status has at most ten"""
CONTEXT: Final = 200
"""number of characters of a line that are read before and after a number"""
SAYS: Final = frozenset(
    "ret rc retcode retval result res error errors err errno errcode code codes status statuses stat return returns "
    "returned returning get gets got gave gives fail fails failed failure expected actual what why does explain".split()
)
"""words that make the number after them a status, also at the end of a name: `retCode`, `acl_status`"""
DENIES: Final = frozenset(
    "pid ppid tid uid gid thread process port line lines lineno size length len count num number n nelem numel bytes "
    "byte offset addr address ptr pointer id ids idx index indices step steps iter iteration epoch batch seed shape "
    "dim dims stride strides stream task event device core rank time cost duration capacity total used free limit max "
    "min version row rows col cols block blocks at after in processed value values".split()
)
"""words that make the number after them something else"""
VALUE: Final = re.compile(r"(?:ret(?:urn)?|error|status|result|exit)[ _]?(?:value|number)$", re.IGNORECASE)
"""two words that together make the number after them a status"""
SAYS_HAN: Final = re.compile(r"(?:错误|错误号|返回|报错|报|失败|状态|异常|结果|出现|遇到|提示|得到|码|返回值|什么)$")
DENIES_HAN: Final = re.compile(r"(?:大小|长度|进程|线程|号|地址|第|行|步|数量|个数|共|共计|约|处理|端口|时间|耗时|值)$")
LINKS: Final = frozenset("is was are of to as with a the an NOT from".split())
"""words that may come between a word of SAYS or DENIES and its number"""
MARKS: Final = " \t:=,;'\"`([{<>|!：，（【“为是了"
"""characters that may come between such a word and its number"""
BEGINNING: Final = re.compile(r"[\s>*'\"`]*", re.ASCII)
"""characters that may come before the first word of a line, as in a quoted mail"""
UNIT: Final = re.compile(
    r"\s?(?:[KMGT]?i?B|bytes?|ms|us|ns|s|secs?|seconds?|minutes?|elements?|times|iterations?|steps?|images?|samples?|"
    r"tokens?|rows?|lines?|tasks?|calls?)\b|\s?(?:次|个|字节|毫秒|微秒|秒|张|条|行|步|轮|样本|元素|倍|号)",
    re.ASCII,
)
LISTED: Final = re.compile(r"\s*(?:,?\s+(?:and|or)\s+|[,，、和与或])\s*", re.IGNORECASE)
"""the text between two numbers of a list"""
MEANS: Final = re.compile(r"\s*(?:[=!]=\s*0\b|\)?\s*(?:means?\b|错误|是什么|什么意思|报错))")
FAILS: Final = re.compile(
    r"err|fail|\bret|status|exception|abort|assert|invalid|refus|acl|错|失败|异常|返回", re.IGNORECASE
)
C_TYPES: Final = frozenset(("aclError", "aclnnStatus", "aclFloat16"))


class Vocabulary(NamedTuple):
    """The names to look for in a text."""

    names: Collection[str]
    aliases: Mapping[str, str]
    """other names of data types"""
    statuses: Mapping[int, str]
    """from each number to one name"""
    values: Mapping[str, int]
    """from each name of a status to its number"""
    reasons: Mapping[str, str]
    """from the words of a status to its name: `task timeout`"""
    ids: Collection[str]
    """ids of findings"""
    pyacl: Callable[[str], str | None]
    """from a name of pyACL to the C name"""


class Scan(NamedTuple):
    """The names in a text, each once, in the order of the text; and the words that look like names but are unknown."""

    found: list[str]
    unknown: list[str]


Place = tuple[int, str, bool]
"""position in the text, name, and whether the name is known"""


def scan(text: str, vocabulary: Vocabulary) -> Scan:
    """Find all names and statuses in a text."""
    places = sorted([*_words(text, vocabulary), *_marks(text, vocabulary), *_numbers(text, vocabulary)])
    return Scan(
        list(dict.fromkeys(name for _, name, is_known in places if is_known)),
        list(dict.fromkeys(name for _, name, is_known in places if not is_known)),
    )


def _words(text: str, vocabulary: Vocabulary) -> Iterator[Place]:
    """Names of functions, statuses, types and values."""
    for match in WORD.finditer(text):
        word = match[0]
        if word in vocabulary.values:
            yield match.start(), vocabulary.statuses[vocabulary.values[word]], True
        elif word in vocabulary.names and (word[:3] in ("acl", "Acl", "ACL") or ("_" in word and not word.islower())):
            yield match.start(), word, True
        elif word.startswith("Acl") and f"a{word[1:]}" in vocabulary.names:  # a wrapper in torch_npu
            yield match.start(), f"a{word[1:]}", True
        elif word.startswith("DT_") and word in vocabulary.aliases:
            yield match.start(), vocabulary.aliases[word], True
        elif (OURS.fullmatch(word) and word not in C_TYPES) or VARIABLE.fullmatch(word):
            yield match.start(), word, False
    for match in DOTTED.finditer(text):
        if name := vocabulary.pyacl(match[0]):
            yield match.start(), name, True


def _marks(text: str, vocabulary: Vocabulary) -> Iterator[Place]:
    """Ids of findings, codes of error texts, reasons and results, chips and series."""
    for match in ID.finditer(text):
        if match[0] in vocabulary.ids:
            yield match.start(), match[0], True
    for match in REPORTED.finditer(text):
        id = match[1] or match[2]
        yield match.start(), id, id in vocabulary.ids
    for match in ERROR_CODE.finditer(text):
        yield match.start(), match[0], True
    for match in REASON.finditer(text):
        if name := vocabulary.reasons.get(SMALL_WORDS.sub("", match[1].casefold())):
            yield match.start(), name, True
    for start, name in communication.results(text):
        yield start, name, True
    for match in products.CHIP.finditer(text):
        if name := products.named(match[0]):
            yield match.start(), name, True
        elif match[0][:6].casefold() == "ascend":
            yield match.start(), match[0], False
    for start, name in (*products.spoken(text), *pyacl_names.missed(text)):
        yield start, name, True


def _numbers(text: str, vocabulary: Vocabulary) -> Iterator[Place]:
    """The numbers that are statuses. Numbers that are only written like a status are unknown names."""
    pasted = text
    for pattern in (TIMES, HEAD, POSITION):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    only_numbers = not re.search(r"[^\W\d]", NUMBER.sub("", text).replace("None", ""))  # such as a tuple of pyACL
    end = -1  # end of the last status
    for match in NUMBER.finditer(text):
        digits = match[0].rstrip("uUlL")
        if len(digits) > LONGEST:
            continue
        value = int(digits, 16 if digits[1:2] in ("x", "X") else 10)
        if value < 1000 and value not in vocabulary.statuses and not only_numbers:
            continue  # a fast filter for most numbers
        before = text[max(0, match.start() - CONTEXT) : match.start()].rpartition("\n")[2]
        after = text[match.end() : match.end() + CONTEXT].partition("\n")[0]
        is_status = only_numbers or _is_status(before, after, value, vocabulary)
        if value not in vocabulary.statuses:
            if is_status:
                yield match.start(), match[0], False
        elif is_status or (
            is_status is None
            and digits.isdecimal()
            and (
                (value and _begins_line(pasted, match.start()))
                or (value % 10000 and end >= 0 and LISTED.fullmatch(text, end, match.start()))
                or (value % 10000 and _alone(before, after))
            )
        ):
            end = match.end() if value else -1
            yield match.start(), vocabulary.statuses[value], True


def _is_status(before: str, after: str, value: int, vocabulary: Vocabulary) -> bool | None:
    """True if the text around a number makes it a status, False if it makes it something else, None if neither."""
    if UNIT.match(after) or re.search(r"(?:^|\W)-$|[+*/\\^]$", before) or after[:1] in ("/", "\\", "-"):
        return False
    names = (re.search(r"(\w+)[\s:,;([='\"`]*$", before, re.ASCII), re.match(r"[\s:,;([='\"`]*(\w+)", after, re.ASCII))
    if any(name and vocabulary.values.get(name[1]) == value for name in names) or MEANS.match(after):
        return True
    if after.startswith(")"):
        before = re.sub(r"(?<!\w)\([^()]*,\s*$", "", before)  # the last of a tuple, as pyACL returns them
    shorter = _unlinked(before)
    if before[len(shorter) :].startswith(("(", "[")) and re.search(r"\b(?:acl|rt[A-Z])\w*$", shorter, re.ASCII):
        return False  # an argument or an index
    called = re.search(r"\b(?:acl|rt[A-Z])\w*(?:\([^()]*\))?$", shorter, re.ASCII)
    return True if called or VALUE.search(shorter) else _word_says(shorter)


def _begins_line(text: str, place: int) -> bool:
    """True for the first word of a line. `text`: the pasted text with its times, as a time may precede a number."""
    start = text.rfind("\n", max(0, place - CONTEXT), place) + 1
    return (start > 0 or place < CONTEXT) and BEGINNING.fullmatch(text, start, place) is not None


def _unlinked(before: str) -> str:
    """The text before a number, without the marks and small words at its end: `failed with (` becomes `failed`."""
    while True:
        before = before.rstrip(MARKS)
        if before.endswith(" -"):
            before = before[:-1]
            continue
        rest, _, word = before.rpartition(" ")
        if word not in LINKS:
            return before
        before = rest


def _word_says(before: str) -> bool | None:
    """True if the last word of a text makes the number after it a status, False if it makes it something else."""
    word = re.search(r"\w+$", before, re.ASCII)
    if word is None:
        return True if SAYS_HAN.search(before) else False if DENIES_HAN.search(before) else None
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", word[0])
    last = parts[-1].casefold() if parts and not word[0][-1].isdigit() else ""
    return True if last in SAYS else False if last in DENIES else None


def _alone(before: str, after: str) -> bool:
    """True for a number between marks, in a line about a failure, that is not in a list and has no key before it."""
    left, right = before.rstrip()[-1:], after.lstrip()[:1]
    if re.match(r"[A-Za-z0-9_=:]", left) or re.match(r"[A-Za-z0-9_]", right):
        return False
    if re.search(r"\w[(\[]$", before):
        return False
    inside = re.search(r"[(\[][^()\[\]]*$", before)
    if inside and "," in inside[0] + after.partition(")")[0].partition("]")[0]:
        return False
    return bool(FAILS.search(before + after))
