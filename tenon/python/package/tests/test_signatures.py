"""What `inspect` and help() say of the functions of the extension module."""

import enum
import inspect
import pydoc

import numpy as np
import pytest
import tenon


def callables():
    for name in tenon.__all__:
        value = getattr(tenon, name)
        if not callable(value) or isinstance(value, type) and issubclass(value, (BaseException, enum.Enum)):
            continue
        yield name, value
        if isinstance(value, type):
            for method in vars(value):
                if not method.startswith("_") and callable(getattr(value, method)):
                    yield f"{name}.{method}", getattr(value, method)


@pytest.mark.parametrize("name, value", [pair for pair in callables() if "." not in pair[0]], ids=lambda value: value if isinstance(value, str) else "")
def test_of_names_of_the_package(name, value):
    if isinstance(value, type) and value.__module__ == "tenon._tenon" and not inspect.isfunction(vars(value).get("__init__")):
        with pytest.raises(TypeError, match="no constructor"):  # which only the package makes
            value()
        return
    inspect.signature(value)


def test_of_every_method():
    methods = [pair for pair in callables() if "." in pair[0]]
    assert len(methods) > 100
    for name, value in methods:
        signature = inspect.signature(value)
        assert "_tenon" not in str(signature) and "\\" not in str(signature), f"{name}{signature}"


def test_parameters_are_those_that_a_call_takes():
    parameters = inspect.signature(tenon.Client.execute).parameters
    assert list(parameters)[:3] == ["self", "computation", "arguments"]
    assert parameters["seed"].kind == inspect.Parameter.KEYWORD_ONLY
    assert str(inspect.signature(tenon.platform_names)) == "() -> 'list[str]'"
    assert inspect.signature(tenon.Client.connect).parameters["token"].default == ""
    assert str(inspect.signature(tenon.Client)) == "(platform: 'str | None' = None)"
    bound = inspect.signature(tenon.Client().transfer)
    assert "self" not in bound.parameters


def test_help_shows_them():
    text = pydoc.plain(pydoc.render_doc(tenon.Client))
    assert "compile(self, computation" in text


def test_calls_are_as_before():
    shape = tenon.Shape("f32[3]")
    assert shape == tenon.Shape("f32[3]")
    with pytest.raises(TypeError):
        tenon.Client().transfer(1, 2, 3, 4, 5)

    class Mine(tenon.ProgramBuilder):
        def __init__(self, name, number):
            super().__init__(name)
            self.number = number

    builder = Mine("mine", 3)
    x = builder.parameter("f32[3]", "x")
    assert builder.number == 3
    assert list(inspect.signature(Mine).parameters) == ["name", "number"]
    assert tenon.compile(builder.build(x + x))(np.float32([1, 2, 3])).tolist() == [2, 4, 6]
