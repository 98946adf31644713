"""Functions of JAX, and their conversion to linalg on tensors.

    pip install jax iree-base-compiler
    python examples/jax/models.py decoder > decoder.stablehlo.mlir
    iree-opt --pass-pipeline="$(python examples/jax/models.py --pipeline)" decoder.stablehlo.mlir -o decoder.mlir

These commands wrote the files of this directory. Other programs are converted by `python -m spyre_mlir.convert jax`
(docs/Linalg.md): the pipeline here is wrong for products with truth values, which these models do not have. All but the recurrent
network were then given by hand a machine with small scratchpads, so that small models need tiles (`spyre.target`), names for
dimensions (`spyre.dims`), and a hint for the rows or the images (`spyre.tile_scopes`). Keys and values of attention are computed
from the same rows as the queries. These rows have another name there, so that only the queries are tiled.
"""

import sys

import jax
import jax.numpy as jnp

PIPELINE = (
    "builtin.module(func.func(iree-stablehlo-legalize-control-flow),iree-stablehlo-to-stablehlo-preprocessing,"
    "func.func(chlo-legalize-to-stablehlo),iree-stablehlo-to-iree-input,canonicalize,cse)"
)

HEADS, WIDTH = 4, 64


def mlp(x, w1, b1, w2, b2):
    """Two layers."""
    return jax.nn.gelu(x @ w1 + b1) @ w2 + b2


def attention(q, k, v):
    """Causal attention of (heads, rows, width)."""
    scores = jnp.einsum("hqd,hkd->hqk", q, k) * WIDTH**-0.5
    rows = jnp.arange(q.shape[1])
    scores = jnp.where(rows[:, None] >= rows[None, :], scores, jnp.float16(-30000))
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


def heads(x):
    return x.reshape(x.shape[0], HEADS, WIDTH).transpose(1, 0, 2)


def rotate(x):
    """Rotary position embedding of (heads, rows, width)."""
    turns = 1 / 10000 ** (jnp.arange(WIDTH // 2, dtype=jnp.float32) * 2 / WIDTH)
    angle = jnp.arange(x.shape[1], dtype=jnp.float32)[:, None] * turns
    cos, sin = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    left, right = x[..., : WIDTH // 2], x[..., WIDTH // 2 :]
    return jnp.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)


def rms_norm(x, weight):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-3) * weight


def decoder(x, norm, wq, wk, wv, wo, norm2, gate, up, down):
    """A block of a Llama: rotary causal attention and a gated layer, each after a norm."""
    y = rms_norm(x, norm)
    y = attention(rotate(heads(y @ wq)), rotate(heads(y @ wk)), heads(y @ wv))
    x = x + y.transpose(1, 0, 2).reshape(x.shape) @ wo
    y = rms_norm(x, norm2)
    return x + (jax.nn.silu(y @ gate) * (y @ up)) @ down


def layer_norm(x, weight, bias):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-3) * weight + bias


def encoder(x, wq, wk, wv, wo, norm, bias, w1, b1, w2, b2):
    """A block of a BERT: attention and a layer with GELU, each before a norm."""
    q, k, v = (heads(x @ w) for w in (wq, wk, wv))
    scores = jax.nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k) * WIDTH**-0.5, axis=-1)
    y = jnp.einsum("hqk,hkd->hqd", scores, v).transpose(1, 0, 2).reshape(x.shape)
    x = layer_norm(x + y @ wo, norm, bias)
    return layer_norm(x + jax.nn.gelu(x @ w1 + b1) @ w2 + b2, norm, bias)


def convnet(x, k1, k2, w, b):
    """Two convolutions with pooling, and a layer; images are (count, rows, columns, channels)."""

    def convolve(x, kernel):
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    x = pool(jax.nn.relu(convolve(x, k1)))
    x = pool(jax.nn.relu(convolve(x, k2)))
    return jnp.mean(x, axis=(1, 2)) @ w + b


def recurrent(x, w, u):
    """A recurrent network over (steps, batch, width): a loop, which the conversion keeps."""

    def step(state, row):
        state = jnp.tanh(row @ w + state @ u)
        return state, state

    return jax.lax.scan(step, jnp.zeros(x.shape[1:], x.dtype), x)


def half(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float16)


ROWS, MODEL, HIDDEN = 128, HEADS * WIDTH, 512
SQUARE = half(MODEL, MODEL)
VECTOR = half(MODEL)
MODELS = {
    "mlp": (mlp, [half(512, 128), half(128, 256), half(256), half(256, 128), half(128)]),
    "attention": (attention, [half(HEADS, ROWS, WIDTH)] * 3),
    "decoder": (
        decoder,
        [half(ROWS, MODEL), VECTOR, SQUARE, SQUARE, SQUARE, SQUARE, VECTOR]
        + [half(MODEL, HIDDEN), half(MODEL, HIDDEN), half(HIDDEN, MODEL)],
    ),
    "encoder": (
        encoder,
        [half(ROWS, MODEL), SQUARE, SQUARE, SQUARE, SQUARE, VECTOR, VECTOR]
        + [half(MODEL, HIDDEN), half(HIDDEN), half(HIDDEN, MODEL), VECTOR],
    ),
    "recurrent": (recurrent, [half(16, 8, 64), half(64, 64), half(64, 64)]),
    "convnet": (convnet, [half(2, 16, 16, 8), half(3, 3, 8, 32), half(3, 3, 32, 64), half(64, 64), half(64)]),
}

if __name__ == "__main__":
    if sys.argv[1:] == ["--pipeline"]:
        print(PIPELINE)
    else:
        function, arguments = MODELS[sys.argv[1]]
        print(jax.jit(function, keep_unused=True).lower(*arguments).as_text(dialect="stablehlo"))
