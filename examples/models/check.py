"""Compares the programs of this directory with NumPy: `python3 check.py [--tools DIR] [--card] [NAME...]`.

Each program runs on inputs as a model has them: weights that keep the magnitude of their operands, tables of angles. The models
in NumPy, in double precision, are written from the text of the models and not from the programs. With
--card, bundles run on the simulated card as well. Needs NumPy. No test needs this file.
"""

import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
TOKENS = 128


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def rms_norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def layer_norm(x, weight, bias):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias


def heads(x, count):
    """Splits [tokens, hidden] into one matrix for each head."""
    return np.stack(np.split(x, count, axis=1))


def attend(q, k, v, mask=0.0):
    """Attention of lists of heads; the results are concatenated along the columns."""
    scale = 1 / math.sqrt(q.shape[2])
    return np.concatenate([softmax(a @ b.T * scale + mask) @ c for a, b, c in zip(q, k, v)], axis=1)


def rotate(x, cos, sin):
    """Each pair (x[i], x[i + D/2]) of a head, turned by an angle."""
    half = x.shape[2] // 2
    a, b = x[..., :half], x[..., half:]
    c, s = cos[:, :half], sin[:, :half]
    return np.concatenate([a * c - b * s, b * c + a * s], axis=2)


def llama(head):
    def block(x, norm1, wq, wk, wv, wo, cos, sin, mask, norm2, wgate, wup, wdown):
        h = rms_norm(x, norm1)
        q = rotate(heads(h @ wq, wq.shape[1] // head), cos, sin)
        k = rotate(heads(h @ wk, wk.shape[1] // head), cos, sin)
        v = heads(h @ wv, wv.shape[1] // head)
        shared = q.shape[0] // k.shape[0]
        y = x + attend(q, np.repeat(k, shared, axis=0), np.repeat(v, shared, axis=0), mask) @ wo
        h = rms_norm(y, norm2)
        gate = h @ wgate
        return [y + (gate * sigmoid(gate) * (h @ wup)) @ wdown]

    return block


def attention(head):
    def layer(x, wq, bq, wk, bk, wv, bv, wo, bo):
        count = wq.shape[1] // head
        o = attend(heads(x @ wq + bq, count), heads(x @ wk + bk, count), heads(x @ wv + bv, count))
        return [o @ wo + bo]

    return layer


def bert(x, wqkv, bqkv, mask, wo, bo, g1, b1, wup, bup, wdown, bdown, g2, b2):
    q, k, v = (heads(part, 12) for part in np.split(x @ wqkv + bqkv, 3, axis=1))
    h = layer_norm(x + attend(q, k, v, mask) @ wo + bo, g1, b1)
    return [layer_norm(h + gelu(h @ wup + bup) @ wdown + bdown, g2, b2)]


def vit_tiny(x, g1, b1, wqkv, bqkv, wo, bo, g2, b2, wup, bup, wdown, bdown):
    q, k, v = (heads(part, 3) for part in np.split(layer_norm(x, g1, b1) @ wqkv + bqkv, 3, axis=1))
    y = x + attend(q, k, v) @ wo + bo
    return [y + gelu(layer_norm(y, g2, b2) @ wup + bup) @ wdown + bdown]


def patches(image, w, b, token, positions):
    rows = [token[0]]
    for i in range(14):
        for j in range(14):
            rows.append(image[:, 16 * i : 16 * i + 16, 16 * j : 16 * j + 16].reshape(-1) @ w + b)
    return [np.stack(rows) + positions]


def convolution(image, w, b):
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    kernel = w.reshape(32, 3, 3, 16)
    y = np.zeros((32, 32, 32))
    for i in range(32):
        for j in range(32):
            y[:, i, j] = np.einsum("oabc,cab->o", kernel, padded[:, i : i + 3, j : j + 3])
    return [np.maximum(y + b[:, :, None], 0)]


def greedy_token(ids, table, positions, norm):
    x = table[ids.astype(int)] + positions
    logits = rms_norm(x[-1:], norm) @ table.T
    return [logits, logits.argmax(-1, keepdims=True)]


def token_of_places(logits, largest, sticks):
    """The host's part of greedy_token: the token of the largest logit, from the largest of each position in a stick."""
    place = int(largest[0].argmax())
    return [logits, np.array([[64 * int(sticks[0, place]) + place]], dtype=np.int32)]


def lstm_cell(x, h, c, wx, wh, bx, bh):
    i, f, g, o = np.split(x @ wx.T + bx + h @ wh.T + bh, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


MODELS = {
    "llama_heads_64": llama(64),
    "llama_heads_128": llama(128),
    "bert": bert,
    "vit_tiny": vit_tiny,
    "attention_heads_32": attention(32),
    "attention_heads_80": attention(80),
    "attention_heads_96": attention(96),
    "patches": patches,
    "convolution": convolution,
    "greedy_token": greedy_token,
    "lstm_cell": lstm_cell,
}

# The computation of the host on the results of a program, and the number of its results.
ON_HOST = {"greedy_token": (3, token_of_places)}


def inputs(name, shapes, random):
    """Inputs as the model has them, from the names and shapes of the arguments."""
    arrays = []
    for argument, shape, dtype in shapes:
        if dtype == "i32":
            arrays.append(random.integers(0, 8000, shape).astype(np.int32))
            continue
        if argument in ("cos", "sin"):
            angles = np.arange(shape[0])[:, None] * 10000.0 ** (-2 * np.arange(shape[1] // 2) / shape[1])
            table = (np.cos if argument == "cos" else np.sin)(angles)
            array = np.concatenate([table, table], axis=1)
        elif argument == "mask" and len(shape) == 2:
            array = np.triu(np.full(shape, -10000.0), 1)
        elif argument == "mask":
            array = np.where(np.arange(shape[0]) < 100, 0.0, -10000.0)
        elif argument.startswith("w"):
            across = shape[1] if name in ("lstm_cell", "convolution") else shape[0]
            array = random.normal(0, 1.5 / math.sqrt(across), shape)
        elif argument in ("norm", "norm1", "norm2", "g1", "g2"):
            array = random.normal(1, 0.2, shape)
        else:
            array = random.normal(0, 1, shape)
        arrays.append(array.astype(np.float16))
    return arrays


def arguments(text):
    """Names, shapes and element types of the function's arguments."""
    aliases = {}
    found = []
    header = ""
    for line in text.splitlines():
        line = line.split("//")[0]
        if line.startswith("!"):
            alias, kind = line.split("=")
            aliases[alias.strip()] = kind.strip().removeprefix("tensor<").removesuffix(">")
        elif line.startswith("func.func") or (header and not header.rstrip().endswith("{")):
            header += line
    for part in header.split("(", 1)[1].split("%")[1:]:
        name, rest = part.split(":", 1)
        alias = rest.split()[0].strip(",)")
        *shape, dtype = aliases[alias].split("x")
        found.append((name, tuple(map(int, shape)), dtype))
    return found


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))}: {(done.stdout + done.stderr).strip()[:600]}")


def check(name, tools, card):
    program = HERE / f"{name}.mlir"
    random = np.random.default_rng(7)
    given = inputs(name, arguments(program.read_text()), random)
    model = name.removesuffix("_tiled")
    want = MODELS[model](*[array.astype(np.float64) for array in given])
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        options = []
        for index, array in enumerate(given):
            np.save(directory / f"input_{index}.npy", array)
            options += ["--input", directory / f"input_{index}.npy"]
        results, finish = ON_HOST.get(model, (len(want), lambda *arrays: arrays))
        for index in range(results):
            options += ["--output", directory / f"output_{index}.npy"]
        if card:
            run([tools / "spyre-translate", "--spyre-to-bundle", program, "-o", directory / "bundle"])
            options += ["--bundle", directory / "bundle"]
        run([tools / "spyre-run", program, *options])
        good = True
        loaded = [np.load(directory / f"output_{index}.npy") for index in range(results)]
        for index, (got, expected) in enumerate(zip(finish(*loaded), want, strict=True)):
            if got.dtype == np.int32:
                same = bool((got == expected).all())
                print(f"{name}: result {index}: {'the same' if same else f'{got} against {expected}'}")
            else:
                error = np.abs(got.astype(np.float64) - expected).max() / np.abs(expected).max()
                same = bool(error < 0.01)
                print(f"{name}: result {index}: largest error {error:.5f} of the largest element{'' if same else ': TOO LARGE'}")
            good &= same
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, default=HERE.parent.parent / "target" / "debug")
    parser.add_argument("--card", action="store_true", help="run bundles on the simulated card")
    parser.add_argument("names", nargs="*", default=None)
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in HERE.glob("*.mlir"))
    good = True
    for name in names:
        try:
            good &= check(name, options.tools, options.card)
        except RuntimeError as error:
            print(f"{name}: {error}")
            good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
