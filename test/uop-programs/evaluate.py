#!/usr/bin/env python3
"""Computes graphs of UOps with NumPy, and compares the results with those of a file.

    cargo run -p spyre-uop --example uop_draw -- 1 1000 target/uop
    python3 test/uop-programs/evaluate.py target/uop

It knows all operations on tensors, and none of memory, loops, calls and devices: files with these are counted and left out. It is
written from the words of docs/Uop.md, and shares nothing with the interpreter. A float of type bf16 is one of 32 bits here that has
been rounded.
"""

import json
import sys
from pathlib import Path

import numpy as np

np.seterr(all="ignore")
TYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64,
         "index": np.int64}
FLOATS = ("f16", "bf16", "f32", "f64")
# Bits of the significand, and the exponent of the smallest distance of two values.
PRECISION = {"f16": (11, -24), "bf16": (8, -133), "f32": (24, -149), "f64": (53, -1074)}
LARGEST = {"f16": 65520.0, "bf16": 2.0**128 - 2.0**119}


class Unknown(Exception):
    """An operation of memory, loops, calls or devices."""


def rounded(dtype, wide):
    """Rounds floats of 64 bits, once."""
    wide = np.asarray(wide, np.float64)
    if dtype == "f64":
        return wide
    if dtype == "f32":
        return wide.astype(np.float32)
    bits, least = PRECISION[dtype]
    _, exponent = np.frexp(wide)
    step = np.ldexp(1.0, np.maximum(exponent - bits, least))
    own = np.where(np.isfinite(wide), np.rint(wide / step) * step, wide)
    own = np.where(np.abs(own) >= LARGEST[dtype], np.copysign(np.inf, own), own)
    own = np.where(own == 0, np.copysign(0.0, wide), own)
    return own.astype(TYPES[dtype])


def canonical(array):
    """Gives every NaN of arithmetic the same bits."""
    if array.dtype.kind == "f":
        return np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return array


def of_integer(dtype, value):
    """Rounds an integer to a float, once."""
    bits, _ = PRECISION[dtype]
    magnitude = abs(value)
    surplus = max(magnitude.bit_length() - bits, 0)
    top, rest = magnitude >> surplus, magnitude & ((1 << surplus) - 1)
    half = (1 << surplus) >> 1
    if surplus and (rest > half or (rest == half and top & 1)):
        top += 1
    own = float(top << surplus)
    if own >= LARGEST.get(dtype, np.inf):
        own = np.inf
    return -own if value < 0 else own


def ends(dtype):
    if dtype == "bool":
        return 0, 1
    info = np.iinfo(TYPES[dtype])
    return int(info.min), int(info.max)


def wrap(dtype, value):
    if dtype == "bool":
        return value != 0
    low, high = ends(dtype)
    return (value - low) % (high - low + 1) + low


def each(dtype, shape, of, *operands):
    """Computes Python integers or floats one by one."""
    lists = [np.asarray(own).reshape(-1).tolist() for own in operands]
    values = [of(*own) for own in zip(*lists)]
    return np.array(values, dtype=TYPES[dtype]).reshape(shape)


def raw(array, dtype):
    """Returns the bytes of elements."""
    if dtype == "bf16":
        return (np.ascontiguousarray(array).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(array)


def narrow_nan(array, wide, dtype):
    """Gives the NaN of a conversion to 16 bits the high bits of its source."""
    bits = np.asarray(wide, np.float64).view(np.uint64)
    sign, payload = (bits >> np.uint64(63)).astype(np.uint32), bits & np.uint64((1 << 52) - 1)
    if dtype == "f16":
        own = (sign << 15) | 0x7E00 | (payload >> np.uint64(42)).astype(np.uint32)
        own = own.astype(np.uint16).view(np.float16)
    else:
        own = ((sign << 15) | 0x7FC0 | (payload >> np.uint64(45)).astype(np.uint32)) << 16
        own = own.astype(np.uint32).view(np.float32)
    return np.where(np.isnan(wide), own, array)


def cast(array, source, to):
    if source == to:
        return array
    if to == "bool":
        return array != 0
    if source in FLOATS and to in FLOATS:
        wide = array.astype(np.float64)
        own = rounded(to, wide)
        return narrow_nan(own, wide, to) if to in ("f16", "bf16") else own
    if to in FLOATS:
        return each(to, array.shape, lambda value: of_integer(to, int(value)), array)
    if source in FLOATS:
        low, high = ends(to)

        def whole(value):
            if value != value:
                return 0
            return int(min(max(value, low), high)) if abs(value) == np.inf else min(max(int(value), low), high)
        return each(to, array.shape, whole, array.astype(np.float64))
    return each(to, array.shape, lambda value: wrap(to, int(value)), array)


def threefry(counter, key):
    mask = 0xFFFFFFFF
    x, k = [counter & mask, counter >> 32], [key & mask, key >> 32]
    keys = [k[1], k[0] ^ k[1] ^ 0x1BD11BDA, k[0]]
    x = [(x[0] + k[0]) & mask, (x[1] + k[1]) & mask]
    for group in range(5):
        for by in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x[0] = (x[0] + x[1]) & mask
            x[1] = ((x[1] << by) | (x[1] >> (32 - by))) & mask ^ x[0]
        x = [(x[0] + keys[group % 3]) & mask, (x[1] + keys[(group + 1) % 3] + group + 1) & mask]
    return x[1] << 32 | x[0]


def c_quotient(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shifted(dtype, a, b, up):
    width = np.dtype(TYPES[dtype]).itemsize * 8
    if not 0 <= b < width:
        return 0 if up or a >= 0 else -1
    return wrap(dtype, a << b) if up else a >> b


INTEGERS = {
    "Add": lambda d, a, b: a + b, "Sub": lambda d, a, b: a - b, "Mul": lambda d, a, b: a * b,
    "Idiv": lambda d, a, b: a // b if b else 0, "Mod": lambda d, a, b: a % b if b else a,
    "CDiv": lambda d, a, b: c_quotient(a, b), "CMod": lambda d, a, b: a - b * c_quotient(a, b),
    "Xor": lambda d, a, b: a ^ b, "Or": lambda d, a, b: a | b, "And": lambda d, a, b: a & b,
    "Shl": lambda d, a, b: shifted(d, a, b, True), "Shr": lambda d, a, b: shifted(d, a, b, False),
    "Threefry": lambda d, a, b: threefry(a, b),
}
BOOLS = {"Add": np.logical_or, "Or": np.logical_or, "Mul": np.logical_and, "And": np.logical_and, "Xor": np.logical_xor}
COMPARE = {"CmpLt": lambda a, b: a < b, "CmpNe": lambda a, b: a != b, "CmpEq": lambda a, b: a == b, "CmpGt": lambda a, b: a > b,
           "CmpGe": lambda a, b: ~(a < b), "CmpLe": lambda a, b: ~(b < a)}
WIDE = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Exp2": np.exp2, "Log2": np.log2,
        "Sin": np.sin, "Sqrt": np.sqrt, "Trunc": np.trunc, "Neg": np.negative, "Recip": lambda a: 1.0 / a}


def elementwise(op, dtype, operands):
    """Computes an operation on operands of a type."""
    first = operands[0]
    if op == "Where":
        return np.where(*operands)
    if op == "Mulacc":
        return elementwise("Add", dtype, [elementwise("Mul", dtype, operands[:2]), operands[2]])
    if op == "Not":
        return ~first
    if op == "Max":
        return np.where(first < operands[1], operands[1], first)
    if op in COMPARE:
        return COMPARE[op](*operands)
    if dtype == "bool":
        return BOOLS[op](*operands)
    if dtype in FLOATS:
        # Sums and products of f32 in 64 bits are exact or so near that they are rounded as if they were.
        return canonical(rounded(dtype, WIDE[op](*(own.astype(np.float64) for own in operands))))
    if op == "Neg":
        return each(dtype, first.shape, lambda a: wrap(dtype, -a), first)
    return each(dtype, first.shape, lambda a, b: wrap(dtype, INTEGERS[op](dtype, a, b)), *operands)


def reduce(op, dtype, array, axes):
    kept = [axis for axis in range(array.ndim) if axis not in axes]
    shape = [1 if axis in axes else extent for axis, extent in enumerate(array.shape)]
    moved = np.transpose(array, kept + list(axes))
    count = int(np.prod([array.shape[axis] for axis in axes], dtype=np.int64))
    moved = moved.reshape([array.shape[axis] for axis in kept] + [count])
    least = -np.inf if dtype in FLOATS else ends(dtype)[0]
    total = np.full(moved.shape[:-1], {"Add": 0, "Mul": 1, "Max": least}[op], TYPES[dtype])
    for at in range(count):
        total = np.asarray(elementwise(op, dtype, [total, moved[..., at]]))
    return total.reshape(shape)


def value(node, values, nodes):
    """Computes a node."""
    op, dtype, arg = node["op"], node["dtype"], node["arg"]
    own = [values[source] for source in node["src"]]
    types = [nodes[source]["dtype"] for source in node["src"]]
    if op == "Const":
        constant = arg["value"]
        if dtype in FLOATS:
            if isinstance(constant, int):
                return np.array(of_integer(dtype, constant), TYPES[dtype])
            return rounded(dtype, float(constant))
        return np.array(wrap(dtype, constant), TYPES[dtype])
    if op in ("Reshape",):
        return own[0].reshape(arg["shape"])
    if op == "Expand":
        return np.broadcast_to(own[0], arg["shape"])
    if op == "Permute":
        return np.transpose(own[0], arg["perm"])
    if op == "Flip":
        return np.flip(own[0], [axis for axis, flag in enumerate(arg["axes"]) if flag])
    if op == "Pad":
        around = [(o, s - o - e) for o, s, e in zip(arg["offset"], arg["shape"], own[0].shape)]
        return np.pad(own[0], around) if around else own[0]
    if op == "Shrink":
        return own[0][tuple(slice(o, o + s) for o, s in zip(arg["offset"], arg["shape"]))]
    if op == "Index":
        result = own[0]
        for axis, index in reversed(list(enumerate(own[1:]))):
            result = np.take(result, index.astype(np.int64), axis)
        return result
    if op == "Stack":
        return np.stack(own)
    if op == "Cast":
        return cast(own[0], types[0], arg["dtype"])
    if op == "Bitcast":
        data = raw(own[0], types[0]).tobytes()
        if dtype == "bf16":
            return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(node["shape"])
        return np.frombuffer(data, TYPES[dtype]).reshape(node["shape"])
    if op == "Reduce" and len(own) == 1:
        return reduce(arg["op"], dtype, own[0], arg["axes"])
    if op in ("Detach", "Contiguous", "ContiguousBackward"):
        return own[0]
    if op == "Binary":
        return np.frombuffer(bytes.fromhex(arg["data"]), np.uint8)
    if op in COMPARE or op in WIDE or op in INTEGERS or op in ("Where", "Mulacc", "Not", "Max"):
        return elementwise(op, types[-1], own)
    raise Unknown(op)


def array(entry):
    dtype = entry["dtype"]
    data = [float(own) if isinstance(own, str) else own for own in entry["data"]]
    return np.array(data, TYPES[dtype]).reshape(entry["shape"])


def differs(own, output):
    """Returns what is wrong with a result."""
    expected = array(output)
    own = np.asarray(own)
    if own.shape != expected.shape or own.dtype != expected.dtype:
        return f"{own.dtype}{own.shape} and not {expected.dtype}{expected.shape}"
    if output["compare"]["kind"] == "close":
        a, b = own.astype(np.float64), expected.astype(np.float64)
        # A function may be rounded to the other neighbour.
        bits, _ = PRECISION.get(output["dtype"], (53, 0))
        near = output["compare"]["atol"] + (output["compare"]["rtol"] + 2.0 ** (1 - bits)) * np.abs(b)
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= near)
    else:
        same = own == expected
        if own.dtype.kind == "f":
            same |= np.isnan(own) & np.isnan(expected)
            same &= np.isnan(own) | (np.signbit(own) == np.signbit(expected))
    if np.all(same):
        return None
    at = int(np.argmin(np.asarray(same).reshape(-1)))
    return f"element {at} is {own.reshape(-1)[at]!r} and not {expected.reshape(-1)[at]!r}"


def main(folder):
    compared = unknown = outputs = 0
    failures = []
    for path in sorted(Path(folder).glob("*.json")):
        file = json.loads(path.read_text())
        inputs = {entry["slot"]: array(entry) for entry in file.get("inputs", [])}
        nodes = {node["id"]: node for node in file["nodes"]}
        values = {}
        if any(node["dtype"] == "void" for node in file["nodes"]):
            unknown += 1  # There are effects or tuples, and positions that may not be read.
            continue
        try:
            for node in file["nodes"]:
                if node["op"] == "Buffer" and node["arg"]["slot"] in inputs:
                    values[node["id"]] = inputs[node["arg"]["slot"]]
                else:
                    values[node["id"]] = value(node, values, nodes)
        except Unknown:
            unknown += 1
            continue
        compared += 1
        for output in file.get("outputs", []):
            outputs += 1
            why = differs(values[output["node"]], output)
            if why:
                node = nodes[output["node"]]
                failures.append(f"{path.name}: node {output['node']} {node['op']} {node['dtype']}: {why}")
                break
    print(f"{compared} programs with {outputs} results, {unknown} left out, {len(failures)} differ")
    print("\n".join(failures[:40]))
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
