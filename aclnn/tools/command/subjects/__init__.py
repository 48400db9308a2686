"""The facts of `aclnn explain` that no declaration has.

    codes   the codes in error texts; those of torch_npu (plugin_codes), results of HCCL (communication)
    topics  words that people search for (topics_of_words), lines of logs (topics_of_logs)

Each fact has a public source. The modules whose names end with `_zh` have the Chinese texts.
"""
