"""Translation of kernel files, for ascendc.cmake: `python -m aclnn.tools.toolkit.kernel_sources KIND OUT FILE...`

A kernel file has code for the device, which no compiler of the host accepts, and host functions that launch kernels by
`kernel<<<blocks, nullptr, stream>>>(arguments)`. A translation has the host functions, with launches that the compiler
accepts. Everything that names a keyword or a type of the device is left out. The kind `names` makes a translation
without host functions: the kernels of a binary.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from aclnn.tools.toolkit.kernel_elf import elf

DEVICE: Final = re.compile(
    r"__aicore__|__global__|__device__|__gm__|__ubuf__|__cbuf__|__simd|__VEC_SCOPE__|__cce|\bAscendC\b|\b(Global|Local)Tensor\b|"
    r"\bT(Pipe|Que|Buf|QueBind)\b|\bGM_ADDR\b|\bREGISTER_TILING|\bMicroAPI\b"
)
"""code of the device"""
NEEDS_DEVICE: Final = re.compile(r"__aicore__|kernel_operator|\bAscendC\b")
"""a header that is translated too"""
SKIPPED: Final = re.compile(r"""("[^"\\\n]*(?:\\.[^"\\\n]*)*"|'(?:\\.|[^'\\\n])+')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
"""texts, which stay, and comments"""
LAUNCH: Final = re.compile(r"([A-Za-z_][\w:]*)\s*(?:<[^<>;{}]*>)?\s*<<<")
VARIABLE: Final = re.compile(
    r"(?:static\s+|const\s+)*(?:__gm__|__device__)\s[^()={;]*?([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:[={].*)?;$",
    re.DOTALL,
)
"""a variable of the device"""
KERNEL: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*(?:\{|;|$)")
OPENS: Final = re.compile(r'(?:inline\s+)?namespace\b[^;{}()=]*$|extern\s*"C"\s*$')
TYPE: Final = re.compile(r"\s*(?:typedef\s+)?(?:template\b.*)?\b(class|struct|union|enum)\b[^()=]*$", re.DOTALL)
DIRECTIVE: Final = re.compile(r"(?:[^\\\n]|\\.)*(?:\n|$)", re.DOTALL)
DROPPED: Final = re.compile(r"#\s*pragma\s+once")
QUALIFIER: Final = re.compile(r"\b(?:__gm__|__device__)\s")
NAME: Final = re.compile(r"(?<=[\s*&])[A-Za-z_]\w*\s*(?:\[\d*\])?$")
"""the name at the end of the declaration of a parameter"""
INCLUDE: Final = re.compile(r'\s*#\s*include\s*"([^"]+)"')


class SourcePart(NamedTuple):
    """A declaration, a directive, or the begin or the end of a namespace."""

    text: str
    line: int


def uncommented(source: str) -> str:
    """The source with blanks for comments. Lines stay."""
    return SKIPPED.sub(lambda match: match[0] if match[1] else re.sub(r"[^\n]", " ", match[0]), source)


def items(source: str) -> Iterator[SourcePart]:
    """The parts of a file outside of functions and classes, in order."""
    position = 0
    while (begin := len(source) - len(source[position:].lstrip())) < len(source):
        position = _end(source, begin)
        yield SourcePart(source[begin:position].rstrip(), source.count("\n", 0, begin) + 1)


def _end(source: str, begin: int) -> int:
    """The end of the item that begins at a position."""
    if source[begin] == "#":
        directive = DIRECTIVE.match(source, begin)
        return len(source) if directive is None else directive.end()
    depth, index = 0, begin
    while index < len(source):
        char = source[index]
        if char in "\"'" and (text := SKIPPED.match(source, index)) is not None:
            index = text.end()
            continue
        if char == "{" and not depth and OPENS.match(source[begin:index].strip()):
            return index + 1
        depth += (char in "({") - (char in ")}")
        if depth <= 0 and (char == ";" or (char == "}" and not _continues(source, begin, index))):
            return index + 1
        index += 1
    return len(source)


def _continues(source: str, begin: int, end: int) -> bool:
    """True if an item goes on behind a closing brace: a type or a value, which end at a semicolon."""
    head = source[begin : max(source.find("{", begin), begin)]
    return bool(TYPE.match(head)) or "=" in head or source[end + 1 :].lstrip().startswith(";")


class KernelTranslation:
    """The translation of kernel files and of their headers."""

    def __init__(self, folders: Sequence[Path], kernels: Mapping[str, str]) -> None:
        self._folders = folders
        self._known = kernels
        """the types of the parameters of the kernels that an earlier translation met"""
        self._seen: set[Path] = set()
        self.kernels: dict[str, str] = {}
        """the types of the parameters of each kernel; empty if they are not known"""
        self.variables: list[str] = []
        """the variables of the device"""

    def lines(self, file: Path) -> Iterator[str]:
        """The lines of the translation of a file, each once."""
        if file in self._seen:
            return
        self._seen.add(file)
        for item in items(uncommented(read(file))):
            for line in self._item(item, file):
                yield f'#line {item.line} "{file}"'
                yield line

    def _item(self, item: SourcePart, file: Path) -> Iterable[str]:
        text = item.text
        if text.startswith("#"):
            return self._directive(text, file)
        if "<<<" in text:
            return [self._launches(text)]
        if "__global__" in text:
            if (kernel := KERNEL.search(text)) is not None:
                self.kernels[kernel[1]] = "" if "template" in text else parameter_types(kernel[2])
            return []
        if (variable := VARIABLE.match(text)) is not None and not DEVICE.search(QUALIFIER.sub("", text)):
            self.variables.append(variable[1])
            return [QUALIFIER.sub("", text), SYMBOL.format(name=variable[1])]
        return [] if DEVICE.search(text) else [text]

    def _directive(self, text: str, file: Path) -> Iterable[str]:
        included = INCLUDE.match(text)
        if included is None:
            return [] if DROPPED.match(text) or ("define" in text and DEVICE.search(text)) else [text]
        for folder in (file.parent, *self._folders):
            if (path := folder / included[1]).is_file():
                needs = NEEDS_DEVICE.search(uncommented(read(path)))
                return list(self.lines(path.resolve())) if needs else [f'#include "{path.resolve()}"']
        return [f'#if __has_include("{included[1]}")', text, "#endif"]

    def _launches(self, text: str) -> str:
        """A host function whose launches are calls."""
        while (match := LAUNCH.search(text)) is not None:
            inner = _closing(text, match.end(), ">>>")
            blocks, _, stream = (*_parts(text[match.end() : inner]), "nullptr", "nullptr")[:3]
            opening = text.index("(", inner)
            closing = _closing(text, opening + 1, ")")
            name = match[1].rpartition(":")[2]
            self.kernels.setdefault(name, "")
            types = self._known.get(name, "")
            function = f"launch_as<{types}>" if types else "launch"
            passed = filter(None, (f"&aclnn_emulator_stub_{name}", blocks, stream, text[opening + 1 : closing].strip()))
            text = f"{text[: match.start()]}aclnn_emulator::{function}({', '.join(passed)}{text[closing:]}"
        return text


def read(file: Path) -> str:
    """The text of a source."""
    return file.read_text(encoding="utf-8", errors="surrogateescape")


def parameter_types(declared: str) -> str:
    """The types in a list of parameters."""
    parameters = [part.partition("=")[0].strip() for part in _parts(declared)]
    return ", ".join(NAME.sub("", part).strip() for part in parameters if part not in ("", "void"))


def _closing(text: str, position: int, mark: str) -> int:
    """The position of a mark outside of brackets."""
    depth = 0
    while depth or not text.startswith(mark, position):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        position += 1
        if position >= len(text):
            raise ValueError(f"no {mark} ends {text!r}")
    return position


def _parts(text: str) -> list[str]:
    """The parts of a text between its commas outside of brackets."""
    parts, depth = [""], 0
    for char in " ".join(text.split()):
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return list(map(str.strip, parts))


HEAD: Final = """\
/* translated by aclnn.tools.toolkit */
#include "aclnn_emulator_kernel.h"
#include "aclnn_emulator_device.h"
"""
REGISTERED: Final = """\
static const unsigned char aclnn_emulator_elf[] = {{{bytes}}};
static void *const aclnn_emulator_binary =
    aclnn_emulator::register_kernels(aclnn_emulator_elf, sizeof(aclnn_emulator_elf));
"""
STUB: Final = """\
static const char aclnn_emulator_stub_{name} = 0;
[[maybe_unused]] static const int32_t aclnn_emulator_known_{name} =
    rtFunctionRegister(aclnn_emulator_binary, &aclnn_emulator_stub_{name}, "{name}", "{name}", 0);
"""
SYMBOL: Final = """\
[[maybe_unused]] static const int32_t aclnn_emulator_symbol_{name} =
    aclnnEmulatorVariable(aclnn_emulator_binary, &{name}, "{name}", sizeof({name}));"""
LINKED: Final = """\
extern "C" int {name}();
[[maybe_unused]] static const int aclnn_emulator_linked = {name}();
"""


def launchers(file: Path, folders: Sequence[Path]) -> str:
    """The translation of a kernel file: its host functions, and the registration of its kernels."""
    met = _met([file], folders)
    kernels = met.kernels
    registered = REGISTERED.format(bytes=",".join(map(str, elf(kernels)))) if kernels or met.variables else ""
    stubs = "".join(STUB.format(name=name) for name in kernels)
    body = "\n".join(KernelTranslation(folders, kernels).lines(file))
    return f"{HEAD}{registered}{stubs}{body}\n"


def names(files: Sequence[Path], folders: Sequence[Path]) -> str:
    """A file that defines the kernels of all files by their names, for a binary."""
    functions = "".join(
        f'extern "C" void __attribute__((weak)) {name}(void) {{}}\n' for name in _met(files, folders).kernels
    )
    return f"/* translated by aclnn.tools.toolkit */\n{functions}"


def _met(files: Sequence[Path], folders: Sequence[Path]) -> KernelTranslation:
    """The translation of files, for the kernels and variables that it meets."""
    translation = KernelTranslation(folders, {})
    for file in files:
        for _ in translation.lines(file):
            pass
    return translation


def main(arguments: Sequence[str]) -> None:
    """Translate files, as ascendc.cmake asks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("launchers", "names"))
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--folders", default="", help="folders of headers, with semicolons between them")
    parser.add_argument("--link", default="", help="a function to call, so that its file is linked too")
    words = parser.parse_args(arguments)
    files = [file.resolve() for file in words.files]
    folders = [Path(folder) for folder in words.folders.split(";") if folder]
    text = names(files, folders) if words.kind == "names" else launchers(files[0], folders)
    words.out.write_text(text + LINKED.format(name=words.link) * bool(words.link), "utf-8", "surrogateescape")


if __name__ == "__main__":
    main(sys.argv[1:])
