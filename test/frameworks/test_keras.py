"""A Keras model, whose backend is JAX, from the file that Keras writes."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import jax  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
import tenon  # noqa: E402


def stripes(random, count):
    """Pictures of stripes that lie, or stand."""
    labels = random.integers(0, 2, count)
    rows = np.sin(np.arange(32) / 2 + random.uniform(0, 6, (count, 1)))
    lying, standing = np.broadcast_to(rows[:, :, None], (count, 32, 32)), np.broadcast_to(rows[:, None], (count, 32, 32))
    pictures = np.where(labels[:, None, None] == 0, lying, standing) + random.normal(0, 0.3, (count, 32, 32))
    return pictures[..., None].astype(np.float32), labels


@pytest.fixture
def file(tmp_path):
    """A small network that has learnt a little, as Keras saves it."""
    keras.utils.set_random_seed(1)
    layers = keras.layers
    model = keras.Sequential([
        keras.Input((32, 32, 1)), layers.Conv2D(8, 5, activation="relu"), layers.BatchNormalization(),
        layers.MaxPooling2D(), layers.SeparableConv2D(16, 3, activation="gelu"), layers.GlobalAveragePooling2D(),
        layers.LayerNormalization(), layers.Dense(2, activation="softmax"),
    ])  # fmt: skip
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(*stripes(np.random.default_rng(1), 256), epochs=2, verbose=0)
    model.save(tmp_path / "model.keras")
    return tmp_path / "model.keras"


def test_the_loaded_model(file, assert_close):
    model = keras.models.load_model(file)
    images, _ = stripes(np.random.default_rng(2), 4)
    trained = [variable.value for variable in model.trainable_variables]
    others = [variable.value for variable in model.non_trainable_variables]

    def predict(images):  # the weights are constants of the program
        result, _ = model.stateless_call(trained, others, images, training=False)
        return result

    exported = jax.export.export(jax.jit(predict))(jax.ShapeDtypeStruct(images.shape, images.dtype))
    expected = np.asarray(model(images))
    assert np.ptp(expected) > 0.1, "the results would not tell"
    assert_close(tenon.compile(exported)(images), expected)


def test_the_file_itself_is_named(file):
    with pytest.raises(tenon.Error, match="this is a Keras model; docs/frameworks.md"):
        tenon.compile(file)
