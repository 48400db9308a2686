"""`aclnn ops`, `explain`, `doctor`: their answers follow from the declarations, and their texts fit a terminal."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import acl_runtime.headers.statuses as statuses
import aclnn
from acl_runtime import Machine, aclFinalize, aclInit
from acl_runtime.checks.catalogue import CATALOGUE
from acl_runtime.headers.meanings import MEANINGS
from acl_runtime.headers.messages import TEMPLATES
from acl_runtime.headers.remedies import FAMILIES, REMEDIES, SHARED, remedy
from acl_runtime.objects.soc import SOCS, Series
from acl_runtime.pyacl.names import c_names
from acl_runtime.text import reasons as separated
from aclnn.__main__ import COMMANDS, main, parser, split
from aclnn.catalogue.index import names, single_phase
from aclnn.ops.softmax_backward import SoftmaxBackward
from aclnn.tools.command import declared, doctor, explain, explained_forms, header_values, ops
from aclnn.tools.command.explained_names import subjects
from aclnn.tools.command.help_index import described, listed, pyacl_names
from aclnn.tools.command.text import refilled, table, wrapped
from aclnn.tools.command.user_modules import modules
from aclnn.tools.exports import all_functions, categories, operators
from tests.helpers.doc_blocks import own_operator
from tests.helpers.places import ROOT

Output = pytest.CaptureFixture[str]


def printed(capsys: Output, *words: str, status: int = 0) -> str:
    """The output of a command, which must end with this status."""
    assert main(words) == status
    return capsys.readouterr().out


def too_long(text: str) -> list[str]:
    """Lines of more than 80 columns, except those with a word that cannot be broken, such as a path."""
    return [line for line in text.splitlines() if len(line) > 80 and len(line.split()) > 1]


# ops


def test_ops_lists_every_operator_in_80_columns(capsys: Output) -> None:
    """The summary counts the functions of each category, and each category can be listed."""
    text = printed(capsys, "ops")
    rows = {row[0]: row[1:] for row in map(str.split, text.partition("\n\n")[0].splitlines()[1:])}
    assert {name: int(row[0]) for name, row in rows.items() if name != "all"} == {
        name: len(listed) for name, listed in categories().items()
    }
    assert int(rows["all"][0]) == len(names()) == sum(int(each.replace("-", "0")) for each in rows["all"][1:4])
    every = ops.facts()
    listing = ops.listing(every)
    assert sorted(re.findall(r"^  (acl\w+) ", listing, re.MULTILINE)) == sorted(names())
    assert len(every) == len(names())
    assert not too_long(text)
    assert not too_long(listing)
    assert "\x1b" not in text
    for series in Series:
        assert f"{series.name:<14}{series.value}" in text
    assert {word.strip(",") for word in text.split()} >= set(SOCS)  # what --soc takes


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder, the current one, with the operator of docs/adding-an-op.md in `my_ops.py`."""
    (tmp_path / "my_ops.py").write_text(own_operator(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    sys.modules.pop("my_ops", None)
    yield tmp_path
    sys.modules.pop("my_ops", None)  # a page has another one of that name


def test_ops_and_explain_know_operators_of_the_user(own: Path, capsys: Output) -> None:
    text = printed(capsys, "ops", "--with", "my_ops")
    assert re.search(r"^own +1 +- +- +- +1$", text, re.MULTILINE)
    assert "  aclnnRamp  own\n" in printed(capsys, "ops", "--with", "my_ops", "--level", "own")
    assert "aclnnRamp" in {op["name"] for op in json.loads(printed(capsys, "ops", "--json", "--with", "my_ops"))}
    text = printed(capsys, "explain", "--all", "ramp", "--with", "my_ops")
    assert "out = max(self, 0)" in text
    assert "aclnnStatus aclnnRampGetWorkspaceSize(const aclTensor *self" in text
    assert "  aclnnRamp: self, out" in printed(capsys, "explain", "--all", "bfloat16", "--with=my_ops")
    returning = json.loads(printed(capsys, "explain", "161002", "--json", "--with", "my_ops"))["explanations"][0][
        "returned_by"
    ]
    assert "aclnnRampGetWorkspaceSize" in {each["function"] for each in returning}
    assert "aclnnRamp" not in printed(capsys, "ops")
    printed(capsys, "explain", "aclnnRamp", status=1)


@pytest.mark.parametrize("name", ["my_op", "my_ops.py", "my_ops.inner"])
def test_a_missing_module_is_an_error(name: str, own: Path, capsys: Output) -> None:
    for words in (("ops",), ("explain", "ramp"), ("toolkit", str(own / "made"))):
        assert main([*words, "--with", name]) == 1
        said = capsys.readouterr().err
        assert f"aclnn: --with {name}: there is no such module in {own.resolve()}, and none is installed" in said
        assert said.endswith("; use --with my_ops\n") == name.endswith(".py")


def test_a_module_that_needs_a_missing_module_is_an_error(own: Path, capsys: Output) -> None:
    (own / "misses.py").write_text("import absent_of_my_ops\n", encoding="utf-8")
    assert main(["ops", "--with", "misses"]) == 1
    assert capsys.readouterr().err == "aclnn: No module named 'absent_of_my_ops'\n"


def test_the_folder_of_the_program_comes_first(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`aclnn run --with my_ops programs/host.cpp`."""
    beside = own / "programs"
    beside.mkdir()
    (beside / "my_ops.py").write_text("", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "my_ops", raising=False)
    (found,) = modules(["my_ops"], beside)
    assert found.__file__ == str(beside / "my_ops.py")
    before = list(sys.path)
    assert modules([], own / "other") == ()
    assert sys.path == before


def test_ops_has_the_same_facts_as_json_and_as_text(capsys: Output) -> None:
    facts = json.loads(printed(capsys, "ops", "--json"))
    assert ops.text(facts) == printed(capsys, "ops").removesuffix("\n")
    declared_ops = operators()
    for op in facts:
        declaration = declared_ops.get(op["name"])
        assert declaration is None or {Series[name] for name, there in op["products"].items() if there} == set(
            declaration.series
        )


def test_the_catalogue_and_the_operators_give_the_same_facts() -> None:
    """`aclnn ops` reads the catalogue, and makes no operator."""
    for name, op in operators().items():
        assert ops.of_documented(name) == declared.of(op)


def test_the_catalogue_and_the_functions_on_the_host_give_the_same_facts() -> None:
    for name in single_phase():
        of, function = ops.of_documented(name), getattr(aclnn, name)
        assert of["formula"] == function.c.doc.partition("\n\n")[0].split("\n")
        assert (of["level"], of["header"]) == (function.level, function.c.header)


def test_the_files_of_help_texts_and_the_declarations_give_the_same_facts() -> None:
    assert listed().keys() == all_functions().keys()
    for name, function in all_functions().items():
        read, made = described(name), declared.described(name)
        items = {reason for _, text in read.reasons for reason in separated(text)}
        assert read.checks == made.checks & items, name
        assert read.reasons == function.reasons, name
        assert read._replace(checks=made.checks, lacking=[*read.lacking]) == made._replace(lacking=[*made.lacking])
        assert listed()[name].statuses == tuple(sorted(function.statuses)), name
    assert pyacl_names() == c_names()
    with pytest.raises(LookupError):
        described("aclrtMal")


FILTERS = [
    (["--category", "nn_activation"], lambda op: op["category"] == "nn_activation"),
    (["--level", "exact"], lambda op: op["level"] == "exact"),
    (["--product", "310P"], lambda op: op["products"]["INFERENCE"]),
    (["--product", "ascend310p3"], lambda op: op["products"]["INFERENCE"]),
    (["--dtype", "bf16"], lambda op: "BFLOAT16" in types(op, op["data_types"])),
    (["--dtype", "ACL_INT8", "--product", "A2"], lambda op: "INT8" in types(op, ["A2"])),
]


def types(op: dict[str, Any], products: Iterable[str]) -> set[str]:
    on = op["data_types"]
    return {each for product in products for listed in on.get(product, {}).values() for each in listed}


def test_filters_of_ops_keep_the_functions_that_pass(capsys: Output) -> None:
    every = ops.facts()
    for words, passes in FILTERS:
        wanted = [op["name"] for op in every if passes(op)]
        assert 0 < len(wanted) < len(every), words
        assert [op["name"] for op in json.loads(printed(capsys, "ops", "--json", *words))] == wanted, words
    assert "aclnnGelu " in printed(capsys, "ops", "--category", "nn_activation")
    assert printed(capsys, "ops", "--level", "own") == "no function passes these filters\n"


@pytest.mark.parametrize(
    ("option", "word", "said"),
    [
        ("--category", "activation", "nn_activation"),
        ("--level", "compute", "computed"),
        ("--product", "A9", "similar: A950"),
        ("--dtype", "floaty", "FLOAT16"),
    ],
)
def test_an_unknown_word_of_a_filter_is_an_error(option: str, word: str, said: str, capsys: Output) -> None:
    with pytest.raises(SystemExit):
        main(["ops", option, word])
    assert said in capsys.readouterr().err


def test_a_function_without_a_kernel_says_so(capsys: Output) -> None:
    text = " ".join(printed(capsys, "explain", "--all", "aclnnSinkhorn").split())
    assert "This emulator has no kernel for aclnnSinkhorn" in text
    assert '@aclnn.kernel("aclnnSinkhorn")' in text
    assert "ACLNN_ERR_INNER_FIND_KERNEL_ERROR (561003): this emulator has no kernel" in text
    assert "561003" not in printed(capsys, "explain", "--all", "aclnnAdd")
    assert re.search(
        r"^  aclnnSinkhorn +catalogued, no kernel$", printed(capsys, "ops", "--category", "math_math"), re.M
    )


def test_the_table_of_an_operator_has_each_type_with_its_products() -> None:
    rows = [line.split() for line in ops.by_type(declared.of(SoftmaxBackward))]
    assert rows[1:] == [
        ["FLOAT", "yes", "yes", "yes", "yes", "yes", "-", "gradOutput,", "output,", "out"],
        ["FLOAT16", "yes", "yes", "yes", "yes", "yes", "-", "gradOutput,", "output,", "out"],
        ["BFLOAT16", "yes", "yes", "yes", "-", "-", "-", "gradOutput,", "output,", "out"],
    ]


def test_every_data_type_of_every_tensor_is_in_the_table() -> None:
    for op in ops.facts():
        text = "\n".join(ops.by_type(op))
        for types in op["data_types"].values():
            for tensor, dtypes in types.items():
                assert re.search(rf"\b{tensor}\b", text)
                assert all(re.search(rf"^  {each} ", text, re.MULTILINE) for each in dtypes)


# explain


def test_explain_shows_the_products_of_a_function(capsys: Output) -> None:
    """The products for which it is documented, and the answer on the others."""
    text = " ".join(printed(capsys, "explain", "--all", "aclrtValueWait").split())
    assert "Products: Atlas A2 training series/Atlas 800I A2 inference products: supported Atlas A3" in text
    assert "Atlas inference series: ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)" in text
    assert explain.facts("aclrtValueWait")["explanations"][0]["products"]["INFERENCE"] == (
        "ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000)"
    )
    assert "Atlas inference series: not documented, but it works" in printed(
        capsys, "explain", "--all", "aclrtMemsetD32"
    )
    assert printed(capsys, "explain", "--all", "aclrtMalloc").rstrip().endswith("Products: all")


def test_a_number_is_explained_with_the_functions_that_return_it_and_when(capsys: Output) -> None:
    text = printed(capsys, "explain", "--all", "207001")
    assert text.startswith("207001  ACL_ERROR_RT_MEMORY_ALLOCATION\n")
    assert "memory is exhausted" in text
    assert "Free what is not needed" in text
    condition = (
        r"the device \(or the host under the emulator\) does not have that much left; `\*devPtr` is null: aclrtMalloc,"
    )
    assert re.search(condition, " ".join(text.split()))
    assert text == printed(capsys, "explain", "--all", "ACL_ERROR_RT_MEMORY_ALLOCATION")
    assert text == printed(capsys, "explain", "--all", "acl_error_rt_memory_allocation")


def test_a_status_that_is_never_returned_has_a_name_and_a_family(capsys: Output) -> None:
    text = printed(capsys, "explain", "507901")
    assert "ACL_ERROR_RT_SOCKET_CLOSE" in text
    assert FAMILIES[507] in text
    assert "No function of this emulator returns it." in text


def test_a_status_is_explained_with_its_documentation() -> None:
    for name in statuses.__all__:
        value = getattr(statuses, name)
        (facts,) = explain.facts(name)["explanations"]
        returning = {each for each, function in all_functions().items() if value in function.statuses}
        assert name in facts["names"]
        assert {each["function"] for each in facts["returned_by"]} == returning, name
        assert all(reason for each in facts["returned_by"] for reason in each["reasons"]), name
        text = explain.text(explain.facts(name), whole=True)
        assert returning <= set(re.findall(r"\w+", text)), name
        assert facts["meaning"] == MEANINGS[value], name
        assert facts["what_to_do"] == remedy(value), name
        assert " ".join(MEANINGS[value].split()) in " ".join(text.split()), name
        assert " ".join(remedy(value).split()) in " ".join(text.split()), name


def test_every_status_has_a_meaning_and_a_remedy_and_returned_ones_have_their_own() -> None:
    every = {getattr(statuses, name) for name in statuses.__all__}
    returned = {value for function in all_functions().values() for value in function.statuses} | {0}
    assert len(every) > 250
    assert set(MEANINGS) == every
    assert all(remedy(value) for value in every)
    assert returned & every <= set(REMEDIES)
    assert returned - every == {-1, 1, 2, 5, 6, 9, 11, 15, 20}  # of the profiling and of the communication library
    shared = [value for those in SHARED.values() for value in those]
    assert len(shared) == len({*shared})
    assert {*shared} <= every


@pytest.mark.parametrize("value", [500004, 507010, 507053, 507899, 545000])
def test_a_status_from_the_device_or_the_driver_is_explained_as_such(value: int) -> None:
    assert re.match("The cause lies (in the device|inside the (runtime|graph engine))", remedy(value))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (100001, "aclInit first"),
        (100024, "single operator"),
        (107025, "capture"),
        (145013, "model"),
        (148046, "profiling"),
        (200000, "Release"),
        (207013, "nothing has arrived"),
        (507016, "freed too early"),
        (561107, "operator package"),
        (561118, "not in the host program"),
    ],
)
def test_the_remedy_of_a_status_that_nothing_returns_is_that_of_its_group(value: int, words: str) -> None:
    assert words in remedy(value)


def test_remedies_name_functions_that_exist() -> None:
    named = {name for text in (*REMEDIES.values(), *SHARED) for name in re.findall(r"\bacl[A-Zr]\w+", text)}
    assert len(named) > 10
    assert named <= set(all_functions())


def test_the_reasons_of_a_function_are_those_of_its_help() -> None:
    for function in all_functions().values():
        plain = " ".join(function.help.split())
        for value, reason in function.reasons:
            number = f"({value})" if value != -1 else "-1"  # which has no name
            assert f"{number}: {' '.join(reason.split())}" in plain, function.name
        assert {value for value, _ in function.reasons if value} == set(function.statuses)


def fits(name: str) -> str:
    """The kind of a name. It is found by its name, and text and JSON agree."""
    facts = explain.facts(name)
    assert explain.is_answered(facts), name
    assert facts["names"] == [name]
    for whole in (False, True):
        text = explain.text(facts, whole=whole)
        assert whole or text.count("\n") < explain.SCREEN, name
        assert not too_long(text), name
        assert text.isascii(), name
        assert text.replace("\n", "").isprintable(), name
    assert json.loads(json.dumps(facts)) == facts, name
    return facts["explanations"][0]["kind"]


OF_HEADERS = header_values.subjects({}, list)


def test_everything_with_a_name_is_found_by_it_and_fits_80_columns() -> None:
    for name in subjects():
        if name not in OF_HEADERS:
            assert fits(name) in explained_forms.FULL, name


def test_every_type_and_value_of_the_headers_is_found_by_its_name() -> None:
    kinds = {name: fits(name) for name in OF_HEADERS}
    assert len(kinds) > 400
    assert kinds["aclrtMemcpyKind"] == kinds["aclTensor"] == kinds["aclrtUuid"] == "type"
    assert kinds["ACL_MEMCPY_HOST_TO_DEVICE"] == kinds["ACL_EVENT_TIME_LINE"] == "value"


def test_a_screen_about_a_type_or_a_value_makes_few_functions() -> None:
    """An index has the functions that mention it. The screen is that of all facts, cut."""
    names = ["ACL_MEM_MALLOC_HUGE_FIRST", "aclTensor", "ACL_FLOAT16"]
    code = (
        "import gc, json; from acl_runtime.abi.function import CFunction; from aclnn.tools.command import explain;"
        f"screens = [explain.text(explain.facts(name, (), explain.SCREEN)) for name in {names}];"
        "print(json.dumps([screens, sum(type(each) is CFunction for each in gc.get_objects())]))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    screens, made = json.loads(run.stdout)
    assert screens == [explain.text(explain.facts(name)) for name in names]
    assert made < 40


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("0x274EA", "ACLNN_ERR_PARAM_INVALID"),
        (" 161002\n", "ACLNN_ERR_PARAM_INVALID"),
        ("161002U", "ACLNN_ERR_PARAM_INVALID"),
        ("aclrtMalloc()", "aclrtMalloc"),
        ("aclrtMalloc(&p, 64, policy);", "aclrtMalloc"),
        ("acl.rt.malloc", "aclrtMalloc"),
        ("softmax_backward", "aclnnSoftmaxBackward"),
        ("error[ws-freed-early]:", "ws-freed-early"),
        ("ws freed early", "ws-freed-early"),
        ("stream sync timeout", "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT"),
        ("DT_FLOAT", "ACL_FLOAT"),
        ("BFLOAT16", "ACL_BF16"),
        ("float32", "ACL_FLOAT"),
        ("float", "ACL_FLOAT"),
    ],
)
def test_names_are_found_as_they_are_copied_from_elsewhere(asked: str, name: str) -> None:
    assert name in explain.facts(asked)["names"][:2]


def test_a_data_type_is_explained_with_the_operators_that_support_it(capsys: Output) -> None:
    text = printed(capsys, "explain", "ACL_BF16")
    assert text.startswith("27  ACL_BF16\n  of aclDataType\n")
    assert "16 bits; in error texts DT_BFLOAT16; in numpy bfloat16" in text
    assert "  aclnn ops --dtype BFLOAT16 lists them by category\n" in text
    whole = printed(capsys, "explain", "--all", "ACL_BF16")
    assert "  aclnnSoftmaxBackward: gradOutput, output, out\n" in whole


def test_a_series_leads_to_its_operators(capsys: Output) -> None:
    text = printed(capsys, "explain", "INFERENCE")
    count = re.search(r"  (\d+) operators support it: aclnn (ops --product 310P)\n", text)
    assert count is not None
    assert int(count[1]) == sum(1 for op in operators().values() if Series.INFERENCE in op.series)


def test_numbers_that_are_no_status(capsys: Output) -> None:
    text = printed(capsys, "explain", "161999", status=1)
    assert text == f"there is no status 161999\n  161...: {FAMILIES[161]}\n"
    assert printed(capsys, "explain", "-1", status=1) == "there is no status -1\n"
    assert "  161002  ACLNN_ERR_PARAM_INVALID\n" in printed(capsys, "explain", "16102", status=1)
    text = printed(capsys, "explain", "161")
    assert text.startswith(f"2 numbers begin with 161\n  161...: {FAMILIES[161]}\n")
    assert text.endswith("\n\n  161001  ACLNN_ERR_PARAM_NULLPTR\n  161002  ACLNN_ERR_PARAM_INVALID\n")


def test_several_words_are_parts_of_a_name(capsys: Output) -> None:
    text = printed(capsys, "explain", "memory", "allocation")
    assert text.startswith("2 names contain 'memory' and 'allocation':\n")
    assert "  ACL_ERROR_RT_MEMORY_ALLOCATION\n" in text


def test_a_function_is_explained_as_in_its_help(capsys: Output) -> None:
    text = printed(capsys, "explain", "--all", "aclrtMalloc")
    for line in all_functions()["aclrtMalloc"].help.split():
        assert line in text
    assert "    ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.\n" in text


@pytest.mark.parametrize("name", ["aclnnSoftmaxBackward", "SoftmaxBackward", "softmaxbackward"])
def test_an_operator_is_explained_with_both_functions(name: str, capsys: Output) -> None:
    text = printed(capsys, "explain", "--all", name)
    assert "aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput,\n    const" in text
    assert "aclnnStatus aclnnSoftmaxBackward(void *workspace" in text
    assert "BFLOAT16  yes  yes" in text


def test_a_finding_is_explained_with_its_page() -> None:
    for check in CATALOGUE:
        facts = explain.facts(check.id)
        text = " ".join(explain.text(facts, whole=True).split())
        for part in (check.id, check.level, check.what, check.why, check.fix):
            assert part in text, check.id
        assert (ROOT / facts["explanations"][0]["page"]).is_file(), check.id


def test_the_code_of_an_error_text_is_explained(capsys: Output) -> None:
    assert TEMPLATES["EL0004"].solution in " ".join(printed(capsys, "explain", "el0004").split())


def test_the_sentence_of_an_error_code_has_no_numbered_places(capsys: Output) -> None:
    assert "  Path ... is invalid. Reason: ...." in printed(capsys, "explain", "EH0003")
    assert "  only the text after the code says what failed: " in printed(capsys, "explain", "EZ1001")


def test_a_part_of_a_name_lists_the_names_with_it(capsys: Output) -> None:
    names = printed(capsys, "explain", "MemcpyAsync").split("\n\n")[1].split()
    assert names == [
        "aclrtMemcpyAsync",
        "aclrtMemcpyAsyncWithCondition",
        "aclrtMemcpyAsyncWithDesc",
        "memcpy-async-h2h",
    ]


def test_a_misspelt_finding_is_no_question_about_a_topic(capsys: Output) -> None:
    """The word "sync" belongs to the topic "synchronise"."""
    assert main(["explain", "read-befor-sync"]) == 1
    assert capsys.readouterr().out.split()[-3:] == ["similar", "names:", "read-before-sync"]
    assert main(["explain", "data-race"]) == 0
    assert "race condition" in capsys.readouterr().out


def test_an_explained_finding_shows_both_ways_to_allow_it(capsys: Output) -> None:
    assert main(["explain", "mem-leaked"]) == 0
    out = capsys.readouterr().out
    assert '  machine.allow("mem-leaked", reason="...")\n' in out
    assert "  or, without a machine of its own: ACL_EMULATOR_ALLOW=mem-leaked\n" in out


def test_an_unknown_name_ends_with_status_1_and_similar_names(capsys: Output) -> None:
    text = printed(capsys, "explain", "aclrtSyncronizeStream", status=1)
    assert "  aclrtSynchronizeStream\n" in text
    assert printed(capsys, "explain", "zzzzzzzzzzzz", status=1).count("\n") == 1
    assert "`aclnn ops` lists the operators" in printed(capsys, "explain", "aclnnAddFoo", status=1)
    facts = json.loads(printed(capsys, "explain", "--json", "aclrtMaloc", status=1))
    assert facts["explanations"] == []
    assert "aclrtMalloc" in facts["similar"]


def test_explain_has_the_same_facts_as_json_and_as_text(capsys: Output) -> None:
    for asked in (
        "161002",
        "aclrtFree",
        "aclnnPreluBackward",
        "exec-reused",
        "EZ1001",
        "memcpy",
        "ret=161002 aclrtFree",
    ):
        facts = json.loads(printed(capsys, "explain", asked, "--json"))
        assert explain.text(facts) == printed(capsys, "explain", asked).removesuffix("\n")
        assert explain.text(facts, whole=True) == printed(capsys, "explain", asked, "--all").removesuffix("\n")


# doctor


def test_doctor_says_that_the_emulator_works(capsys: Output) -> None:
    text = printed(capsys, "doctor")
    assert "the emulator works" in text
    assert not too_long(text)
    assert {"Python", "numpy", "ml_dtypes", "pytest", "cmake", "addr2line"} <= set(text.split())


def test_doctor_has_the_same_facts_as_json_and_as_text(capsys: Output) -> None:
    facts = json.loads(printed(capsys, "doctor", "--json"))
    assert facts["works"] is True
    assert doctor.text(facts) == printed(capsys, "doctor").removesuffix("\n")


def test_doctor_lists_missing_components_with_their_purposes(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def none(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(doctor.metadata, "version", none)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("ASCEND_HOME_PATH", "/opt/toolkit")
    text = printed(capsys, "doctor")
    _, _, missing = text.partition("missing, and for what\n")
    for name in ("numpy", "pytest", "cc", "c++", "cmake", "addr2line"):
        assert re.search(rf"^  {re.escape(name)} +\w", missing, re.MULTILINE), name
    assert "  ASCEND_HOME_PATH=/opt/toolkit\n" in text


def test_doctor_ends_with_status_1_if_a_small_program_fails(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setenv("ACL_EMULATOR_SOC", "Ascend1")
    text = printed(capsys, "doctor", status=1)
    assert "it does not work: ValueError: ACL_EMULATOR_SOC: soc='Ascend1' is unknown" in " ".join(text.split())


def test_doctor_finds_a_real_acl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert doctor.real_acl() is None
    (tmp_path / "acl.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert doctor.real_acl() == str(tmp_path / "acl.py")


def test_doctor_knows_the_purpose_of_each_extra() -> None:
    (extras,) = re.findall(
        r"^\[project.optional-dependencies\]\n(.*?)\n\n",
        (ROOT / "pyproject.toml").read_text(),
        re.MULTILINE | re.DOTALL,
    )
    assert set(re.findall(r"^(\w+) = ", extras, re.MULTILINE)) <= set(doctor.EXTRAS)


# the command


@pytest.mark.parametrize("words", [["explain"], ["run"], ["run", "--bogus", "x.py"], ["ops", "x"], ["samples", "-x"]])
def test_wrong_usage_ends_with_status_2(words: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"usage: aclnn {words[0]} ")


def test_ops_points_to_explain_for_a_name(capsys: Output) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["ops", "Add", "--x"])
    assert capsys.readouterr().err.endswith("unknown arguments: Add --x; `aclnn explain Add` explains a name\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "usage: aclnn "),
        (["explian", "161002"], "aclnn: there is no command 'explian'; did you mean: aclnn explain\n"),
        (["161002"], "aclnn: there is no command '161002'; `aclnn --help` lists them, `aclnn explain 161002` may"),
    ],
)
def test_an_unknown_command_ends_with_status_2_and_a_hint(words: list[str], said: str, capsys: Output) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(said)


def test_characters_that_a_terminal_cannot_show_are_escaped() -> None:
    command = [sys.executable, "-m", "aclnn", "explain", "\u4e2d"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "nothing is called '\\u4e2d', and no name contains it\n"


def test_every_subcommand_has_a_help_of_80_columns(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        assert not too_long(capsys.readouterr().out)
    assert all(name in parser().format_help() for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("run x.py", ""),
        ("run x.py a b", "a b"),
        ("run --soc S x.py a", "a"),
        ("run x.py --soc S --seed=3 a --soc T", "a --soc T"),
        ("run x.py -- --soc S", "--soc S"),
        ("run x.py a -- b", "a -- b"),
        ("run x.py --own --soc S", "--own --soc S"),
    ],
)
def test_options_are_ours_until_the_first_other_word(words: str, program: str) -> None:
    own, theirs = split(words.split())
    assert theirs == program.split()
    assert parser().parse_args(own).file == Path("x.py")


# text


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["a", "b"], ["a b"]),
        (["a", "", "b"], ["a", "", "b"]),
        (["Returns:", "    ACL_X (1): a", "        b", "    ACL_Y (2): c"],
         ["Returns:", "    ACL_X (1): a b", "    ACL_Y (2): c"]),
        (["    ACL_X (1): one of", "        - a", "          b", "        - c"],
         ["    ACL_X (1): one of", "        - a b", "        - c"]),
        (["x " * 60], [("x " * 40).rstrip(), ("x " * 20).rstrip()]),
    ],
)  # fmt: skip
def test_a_help_text_is_wrapped_again(lines: list[str], shown: list[str]) -> None:
    assert refilled("\n".join(lines)) == shown


def test_the_last_column_of_a_table_is_wrapped() -> None:
    rows = table(("a", "b"), [("x" * 70, "one two three four")])
    assert rows == ["a" + " " * 71 + "b", "x" * 70 + "  one two", " " * 72 + "three", " " * 72 + "four"]


def test_a_path_is_not_broken() -> None:
    path = "/" + "x-" * 60
    assert wrapped(f"Python {path}", 2, 4) == ["  Python", f"      {path}"]


def test_timeline_draws_a_trace(tmp_path: Path, capsys: Output) -> None:
    with Machine() as machine:
        aclInit(None)
        aclFinalize()
    trace, picture = tmp_path / "trace.json", tmp_path / "picture.svg"
    machine.write_trace(trace)
    assert main(["timeline", str(trace), str(picture)]) == 0
    assert "aclFinalize" in picture.read_text(encoding="utf-8")
    assert main(["timeline", str(tmp_path / "absent.json"), str(picture)]) == 2
    assert capsys.readouterr().err.startswith("aclnn timeline: ")
