"""The functions of the models in this folder; the JSON file beside each model names one."""


def double(inputs):
    return 2 * inputs["data"]
