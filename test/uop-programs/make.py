#!/usr/bin/env python3
"""Makes the programs of this folder: UOp graphs, and their results by NumPy.

    python3 make.py        # in this folder; needs NumPy

The programs have the operations that no recorded program of tinygrad has, and all collectives. A result is
what NumPy computes of the inputs by the words of the specification; nothing here executes a graph.
"""

import json
import numpy as np

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
          "index": np.int64}
NAMES = {np.dtype(own): name for name, own in DTYPES.items() if name != "index"}
POISON = {"i16": 0x5A5A, "i32": 0x5A5A5A5A, "f32": np.nan}
rng = np.random.default_rng(20261125)


def datum(value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        value = float(value)
        if value != value:
            return "nan"
        return {np.inf: "inf", -np.inf: "-inf"}.get(value, value)
    return int(value)


def data(array):
    return [datum(value) for value in np.asarray(array).reshape(-1)]


class Program:
    """A graph with its inputs and results."""

    def __init__(self, name, description, category="memory"):
        self.name, self.description, self.category = name, description, category
        self.nodes, self.inputs, self.outputs, self.devices = [], [], [], None

    def node(self, op, dtype, shape, src=(), /, **arg):
        shape = None if shape is None else list(shape)
        self.nodes.append({"id": len(self.nodes), "op": op, "dtype": dtype, "shape": shape, "src": list(src), "arg": arg})
        return len(self.nodes) - 1

    def ty(self, node):
        return self.nodes[node]["dtype"], self.nodes[node]["shape"]

    def buffer(self, slot, array=None, dtype=None, shape=None, **arg):
        """A buffer: with the content of an array, or with none."""
        if array is not None:
            dtype, shape = NAMES[array.dtype], array.shape
            self.inputs.append({"slot": slot, "dtype": dtype, "shape": list(shape), "data": data(array)})
        return self.node("Buffer", dtype, shape, slot=slot, **arg)

    def const(self, dtype, value, shape=()):
        own = self.node("Const", dtype, (), value=value)
        if shape:
            own = self.node("Reshape", dtype, [1] * len(shape), [own], shape=[1] * len(shape))
            own = self.node("Expand", dtype, shape, [own], shape=list(shape))
        return own

    def like(self, op, *src, dtype=None):
        own, shape = self.ty(src[-1])
        return self.node(op, dtype or own, shape, src)

    def range(self, bound, number, kind="LOOP"):
        return self.node("Range", "index", (), bound=bound, axis_id=number, axis_type=kind)

    def index(self, source, *indices):
        dtype, shape = self.ty(source)
        own = [extent for index in indices for extent in self.ty(index)[1]]
        return self.node("Index", dtype, own + shape[len(indices):], [source, *indices])

    def store(self, *src):
        return self.node("Store", "void", None, src)

    def after(self, buffer, *deps):
        dtype, shape = self.ty(buffer)
        return self.node("After", dtype, shape, [buffer, *deps])

    def end(self, body, loop):
        return self.node("End", "void", None, [body, loop])

    def effects(self, op, *src):
        return self.node(op, "void", None, src)

    def output(self, node, array, close=None, **where):
        dtype, shape = self.ty(node)
        array = np.asarray(array)
        assert list(array.shape) == shape, (self.name, array.shape, shape)
        if dtype != "index":
            assert NAMES[array.dtype] == dtype, (self.name, array.dtype, dtype)
        compare = {"kind": "exact"} if close is None else {"kind": "close", "rtol": close, "atol": 0.0}
        self.outputs.append({"node": node, "dtype": dtype, "shape": shape, **where, "data": data(array), "compare": compare})

    def write(self):
        fields = {"format": "uop-graph-1", "name": self.name, "category": self.category, "description": self.description,
                  "oracle": {"backend": "NumPy, by test/uop-programs/make.py"}}
        if self.devices:
            fields["devices"] = self.devices
        lines = [f' {json.dumps(key)}: {json.dumps(value)}' for key, value in fields.items()]
        for key, rows in (("nodes", self.nodes), ("inputs", self.inputs), ("outputs", self.outputs)):
            rows = ",\n".join("  " + json.dumps(row, separators=(",", ":")) for row in rows)
            lines.append(f' "{key}": [\n{rows}\n ]' if rows else f' "{key}": []')
        with open(f"{self.name}.json", "w") as file:
            file.write("{\n" + ",\n".join(lines) + "\n}\n")


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def integers(*shape, low=-50, high=50, dtype=np.int32):
    return rng.integers(low, high, shape).astype(dtype)


def assign():
    x = floats(2, 3)
    p = Program("assign", "a buffer is incremented, and read before and after")
    b = p.buffer(0, x)
    one = p.const("f32", 1.0, (2, 3))
    new = p.after(b, p.store(b, p.like("Add", b, one)))
    p.output(new, x + np.float32(1))
    p.output(b, x)
    p.output(p.like("Mul", new, b), (x + np.float32(1)) * x)
    p.write()


def assign_chain():
    x = integers(5)
    p = Program("assign_chain", "three assignments, each to what the last one wrote; every version is read")
    b = p.buffer(0, x)
    two = p.const("i32", 2, (5,))
    last, value = b, x
    for step in range(3):
        last = p.after(last, p.store(last, p.like("Mul" if step % 2 else "Add", last, two)))
        value = value * 2 if step % 2 else value + 2
        p.output(last, value)
    p.write()


def store_gated():
    x, y = integers(4, 3), integers(4, 3)
    p = Program("store_gated", "only larger values are written")
    b, v = p.buffer(0, x), p.buffer(1, y)
    gate = p.like("CmpLt", b, v, dtype="bool")
    p.output(p.after(b, p.store(b, v, gate)), np.maximum(x, y))
    p.write()


def store_views():
    x, a, b = integers(4, 6), integers(2, 3), integers(6)
    p = Program("store_views", "a part is written transposed and backwards, then a row at a position")
    buffer, va, vb = p.buffer(0, x), p.buffer(1, a), p.buffer(2, b)
    part = p.node("Shrink", "i32", (3, 2), [buffer], offset=[1, 2], shape=[3, 2])
    part = p.node("Permute", "i32", (2, 3), [part], perm=[1, 0])
    part = p.node("Flip", "i32", (2, 3), [part], axes=[True, False])
    first = p.after(buffer, p.store(part, va))
    row = p.index(first, p.const("i32", 3))
    second = p.after(first, p.store(row, vb))
    y = x.copy()
    y[1:4, 2:4] = a[::-1].T
    p.output(first, y)
    y[3] = b
    p.output(second, y)
    p.output(p.after(p.node("Reshape", "i32", (24,), [buffer], shape=[24]), first_store(p)), y.reshape(24))
    p.write()


def first_store(p):
    """The last store of a program so far."""
    return max(node["id"] for node in p.nodes if node["op"] == "Store")


def unwritten():
    a, b = integers(2, dtype=np.int16), floats(1)
    p = Program("unwritten", "what nothing has written is NaN, or bytes of 0x5A")
    for slot, (value, extent, dtype) in enumerate(((a, 4, "i16"), (b, 3, "f32"))):
        buffer = p.buffer(slot, dtype=dtype, shape=[extent])
        v = p.buffer(slot + 2, value)
        part = p.node("Shrink", dtype, value.shape, [buffer], offset=[1], shape=list(value.shape))
        y = np.full(extent, POISON[dtype], value.dtype)
        p.output(buffer, y)
        y = y.copy()
        y[1:1 + len(value)] = value
        p.output(p.after(buffer, p.store(part, v)), y)
    p.write()


def loop_store():
    x = floats(4, 5)
    p = Program("loop_store", "a transposed copy, element by element, in two loops")
    source, target = p.buffer(0, x), p.buffer(1, dtype="f32", shape=[5, 4])
    i, j = p.range(4, 0), p.range(5, 1)
    value = p.node("Load", "f32", (), [p.index(source, i, j)])
    store = p.store(p.index(target, j, i), value)
    p.output(p.after(target, p.end(p.end(store, j), i)), x.T)
    p.write()


def loop_accumulate():
    a, b = integers(3, 4), integers(4, 2)
    p = Program("loop_accumulate", "a product of matrices, with an accumulator in a register")
    va, vb, out = p.buffer(0, a), p.buffer(1, b), p.buffer(2, dtype="i32", shape=[3, 2])
    acc = p.buffer(0, dtype="i32", shape=[1], addrspace="REG")
    i, j, k = p.range(3, 0, "GLOBAL"), p.range(2, 1), p.range(4, 2, "REDUCE")
    zero = p.const("index", 0)
    place = p.index(p.after(acc, i, j), zero)
    start = p.store(place, p.const("i32", 0))
    inner = p.index(p.after(acc, start, k), zero)
    value = p.node("Mulacc", "i32", (), [p.index(va, i, k), p.index(vb, k, j), inner])
    total = p.index(p.after(acc, p.end(p.store(inner, value), k)), zero)
    store = p.store(p.index(out, i, j), total)
    p.output(p.after(out, p.end(p.end(store, j), i)), (a @ b).astype(np.int32))
    p.write()


def loop_scan():
    x = integers(7, low=-9, high=9, dtype=np.int64)
    p = Program("loop_scan", "a sum of all elements so far: an iteration reads what the last one wrote")
    source, out = p.buffer(0, x), p.buffer(1, np.zeros(7, np.int64))
    r = p.range(6, 0)
    next_one = p.like("Add", r, p.const("index", 1))
    now = p.after(out, p.store(p.index(out, p.const("index", 0)), p.index(source, p.const("index", 0))), r)
    total = p.like("Add", p.index(now, r), p.index(source, next_one))
    p.output(p.after(out, p.end(p.store(p.index(now, next_one), total), r)), np.cumsum(x))
    p.write()


def loop_of_nothing():
    x = integers(3)
    p = Program("loop_of_nothing", "a loop without iterations writes nothing, and one whose body is the same writes once")
    buffer, value = p.buffer(0, x), p.buffer(1, x + 1)
    none = p.range(0, 0)
    p.output(p.after(buffer, p.end(p.store(buffer, value), none)), x)
    other = p.buffer(2, x)
    many = p.range(5, 1)
    store = p.store(other, p.like("Mul", other, value))
    p.output(p.after(other, p.end(store, many)), x * (x + 1))
    p.write()


def reduce_ranges():
    x, y = floats(4, 6), integers(5)
    p = Program("reduce_ranges", "sums and products over ranges: scalars of a loop, and rows with an axis")
    a, b = p.buffer(0, x), p.buffer(1, y)
    i, j = p.range(4, 0, "REDUCE"), p.range(6, 1, "REDUCE")
    element = p.index(a, i, j)
    total = np.float32(0)
    for value in x.reshape(-1):
        total = np.float32(total + value)
    p.output(p.node("Reduce", "f32", (), [element, i, j], op="Add", axes=[]), total, 1e-6)
    row = p.index(a, i)
    p.output(p.node("Reduce", "f32", (1,), [row, i], op="Max", axes=[0]), x.max().reshape(1))
    k = p.range(5, 2, "REDUCE")
    p.output(p.node("Reduce", "i32", (), [p.index(b, k), k], op="Mul", axes=[]), np.multiply.reduce(y, dtype=np.int32))
    weighted = p.like("Mul", p.index(b, k), p.node("Cast", "i32", (), [k], dtype="i32"))
    p.output(p.node("Reduce", "i32", (), [weighted, k], op="Add", axes=[]), np.int32((y * np.arange(5)).sum()))
    p.write()


def load_gated():
    x = floats(5)
    p = Program("load_gated", "padding as a gate: positions outside are not read, and give the alternative")
    source, out = p.buffer(0, x), p.buffer(1, dtype="f32", shape=[9])
    r = p.range(9, 0)
    position = p.like("Add", r, p.const("index", -2))
    low = p.node("CmpGe", "bool", (), [position, p.const("index", 0)])
    high = p.node("CmpLt", "bool", (), [position, p.const("index", 5)])
    gate = p.like("And", low, high)
    value = p.node("Load", "f32", (), [p.index(source, position), p.const("f32", -1.0), gate])
    p.output(p.after(out, p.end(p.store(p.index(out, r), value), r)), np.pad(x, 2, constant_values=-1))
    # All at once: a vector of positions, some of them outside.
    positions = np.array([4, -1, 0, 7], np.int32)
    gates = np.array([True, False, True, False])
    at, g = p.buffer(2, positions), p.buffer(3, gates)
    alternative = p.const("f32", 9.0, (4,))
    value = p.node("Load", "f32", (4,), [p.index(source, at), alternative, g])
    p.output(value, np.where(gates, x[positions % 5], np.float32(9)))
    p.write()


def store_positions():
    x = integers(6, 2)
    p = Program("store_positions", "rows are written at positions, but where a gate is false")
    buffer = p.buffer(0, x)
    positions, gates = np.array([5, 0, 9], np.int64), np.array([[True, True], [True, False], [False, False]])
    value = integers(3, 2)
    at, g, v = p.buffer(1, positions), p.buffer(2, gates), p.buffer(3, value)
    y = x.copy()
    y[5], y[0, 0] = value[0], value[1, 0]
    p.output(p.after(buffer, p.store(p.index(buffer, at), v, g)), y)
    p.write()


def group_sink():
    x, y = floats(3), integers(2, 2)
    p = Program("group_sink", "two buffers are written by effects without an order, and collected")
    a, b = p.buffer(0, x), p.buffer(1, y)
    group = p.effects("Group", p.store(a, p.like("Neg", a)), p.store(b, p.like("Add", b, b)))
    sink = p.effects("Sink", group)
    p.output(p.after(a, sink), -x)
    p.output(p.after(b, sink), y + y)
    p.output(p.after(b, p.effects("Sink")), y + y)
    p.write()


def linear():
    x = integers(6)
    p = Program("linear", "effects in an order, of which the second overwrites a part of the first")
    b = p.buffer(0, x)
    left = p.node("Shrink", "i32", (4,), [b], offset=[0], shape=[4])
    right = p.node("Shrink", "i32", (4,), [b], offset=[2], shape=[4])
    one, two = p.store(left, p.const("i32", 1, (4,))), p.store(right, p.const("i32", 2, (4,)))
    p.output(p.after(b, p.effects("Linear", one, two)), np.array([1, 1, 2, 2, 2, 2], np.int32))
    p.write()


def call_kernel():
    x, y = floats(4), floats(4, 2)
    p = Program("call_kernel", "a kernel of a loop is called twice: on a buffer, and on a column of another")
    out, source = p.node("Param", "f32", (4,), slot=0), p.node("Param", "f32", (4,), slot=1)
    r = p.range(4, 0)
    value = p.index(source, r)
    kernel = p.effects("Sink", p.end(p.store(p.index(out, r), p.like("Mul", value, value)), r))
    a, b = p.buffer(0, x), p.buffer(1, y)
    first = p.after(a, p.effects("Call", kernel, a, a))
    column = p.node("Reshape", "f32", (4,), [p.node("Shrink", "f32", (4, 1), [b], offset=[0, 1], shape=[4, 1])], shape=[4])
    second = p.after(b, p.effects("Call", kernel, column, first))
    p.output(first, x * x)
    z = y.copy()
    z[:, 1] = (x * x) * (x * x)
    p.output(second, z)
    p.write()


def call_tuple():
    x, y = integers(2, 3), integers(2, 3)
    p = Program("call_tuple", "a call with two results, and a function that calls another twice", "function")
    a, b = p.node("Param", "i32", (2, 3), slot=0), p.node("Param", "i32", (2, 3), slot=1)
    both = p.effects("Tuple", p.like("Add", a, b), p.like("Mul", a, b))
    vx, vy = p.buffer(0, x), p.buffer(1, y)
    call = p.effects("Call", both, vx, vy)
    total = p.node("GetTuple", "i32", (2, 3), [call], index=0)
    product = p.node("GetTuple", "i32", (2, 3), [call], index=1)
    p.output(total, x + y)
    p.output(product, x * y)
    # f(a, b) = (a + b) * (a * b), of which the sum and the product are those of another function.
    inner = p.effects("Function", both, a, b)
    s = p.node("GetTuple", "i32", (2, 3), [inner], index=0)
    m = p.node("GetTuple", "i32", (2, 3), [inner], index=1)
    again = p.effects("Function", both, s, m)
    outer = p.effects("Tuple", p.node("GetTuple", "i32", (2, 3), [again], index=1))
    result = p.node("GetTuple", "i32", (2, 3), [p.effects("Function", outer, vy, vx)], index=0)
    p.output(result, (x + y) * (x * y))
    p.write()


def binary():
    x = floats(6).astype(np.float16)
    p = Program("binary", "bytes that are floats of 16 bits", "movement")
    raw = x.tobytes()
    b = p.node("Binary", "u8", (12,), data=raw.hex())
    p.output(b, np.frombuffer(raw, np.uint8))
    half = p.node("Bitcast", "f16", (6,), [b], dtype="f16")
    p.output(half, x)
    p.output(p.node("Cast", "f32", (6,), [half], dtype="f32"), x.astype(np.float32))
    word = p.node("Bitcast", "u32", (3,), [b], dtype="u32")
    p.output(word, np.frombuffer(raw, np.uint32))
    p.output(p.node("Bitcast", "i16", (6,), [word], dtype="i16"), np.frombuffer(raw, np.int16))
    p.write()


def mulacc():
    p = Program("mulacc", "a product and a sum with two roundings; integers wrap, truth values are `and` and `or`", "elementwise")
    slot = 0
    for make in (lambda: floats(8), lambda: floats(8).astype(np.float16), lambda: rng.standard_normal(8),
                 lambda: integers(8, low=-128, high=128, dtype=np.int8), lambda: integers(8, low=0, high=256, dtype=np.uint8),
                 lambda: rng.integers(0, 2, 8).astype(np.bool_)):
        a, b, c = make(), make(), make()
        nodes = [p.buffer(slot + at, own) for at, own in enumerate((a, b, c))]
        slot += 3
        p.output(p.like("Mulacc", *nodes), ((a * b).astype(a.dtype) + c).astype(a.dtype))
    p.write()


def load_device():
    x = integers(4)
    p = Program("load_device", "a buffer is loaded to another device and to registers")
    b = p.buffer(0, x, device="a")
    there = p.node("Load", "i32", (4,), [b], device="b")
    p.output(there, x, device="b", axis=None)
    register = p.node("Load", "i32", (4,), [there], addrspace="REG")
    p.output(p.like("Add", register, there), x + x, device="b", axis=None)
    new = p.after(b, p.store(b, p.like("Mul", b, b)))
    p.output(p.node("Load", "i32", (4,), [new], device="c"), x * x, device="c", axis=None)
    p.write()


DEVICES = ["d0", "d1", "d2", "d3"]


def collective(name, description):
    p = Program(name, description, "collective")
    p.devices = DEVICES
    return p


def shards(value, axis):
    parts = [value] * len(DEVICES) if axis is None else np.split(value, len(DEVICES), axis)
    return {device: data(part) for device, part in zip(DEVICES, parts)}


def broadcast_to(p, node, count):
    """Copies a vector to all devices."""
    dtype, n = p.ty(node)[0], len(DEVICES)
    own = p.node("Reshape", dtype, (1, count), [node], shape=[1, count])
    own = p.node("Expand", dtype, (n, count), [own], shape=[n, count])
    own = p.node("Copy", dtype, (n, count), [own], device=DEVICES)
    return p.node("Replicated", dtype, (count,), [own], axis=0)


def reduce_scatter_of(p, node, s):
    """Sums what each device holds, a part on each."""
    dtype, n = p.ty(node)[0], len(DEVICES)
    own = p.node("Reshape", dtype, (n, n, s // n), [node], shape=[n, n, s // n])
    own = p.node("Permute", dtype, (n, n, s // n), [own], perm=[1, 0, 2])
    own = p.node("Copy", dtype, (n, n, s // n), [own], device=DEVICES)
    own = p.node("Reduce", dtype, (n, 1, s // n), [own], op="Add", axes=[1])
    return p.node("Reshape", dtype, (s,), [own], shape=[s])


def collectives():
    x, shared = floats(6), integers(32)
    p = collective("coll_broadcast", "one device to all")
    own = broadcast_to(p, p.buffer(0, x, device="h"), 6)
    p.output(own, x, device=DEVICES, axis=None, shards=shards(x, None))
    p.write()

    p = collective("coll_gather", "all parts to the first device")
    own = p.node("Copy", "i32", (32,), [p.buffer(0, shared, device=DEVICES)], device="d0")
    p.output(own, shared, device="d0", axis=None)
    p.write()

    p = collective("coll_reduce", "the sum of all parts on the first device")
    own = p.node("Copy", "i32", (32,), [p.buffer(0, shared, device=DEVICES)], device="d0")
    own = p.node("Reshape", "i32", (4, 8), [own], shape=[4, 8])
    own = p.node("Reduce", "i32", (1, 8), [own], op="Add", axes=[0])
    own = p.node("Reshape", "i32", (8,), [own], shape=[8])
    total = shared.reshape(4, 8).sum(0, dtype=np.int32)
    p.output(own, total, device="d0", axis=None)
    p.write()

    p = collective("coll_reduce_scatter", "the sum of all parts, a part of it on each device")
    own = reduce_scatter_of(p, p.buffer(0, shared, device=DEVICES), 8)
    p.output(own, total, device=DEVICES, axis=0, shards=shards(total, 0))
    p.write()

    p = collective("coll_allreduce", "the sum of all parts on every device")
    own = broadcast_to(p, reduce_scatter_of(p, p.buffer(0, shared, device=DEVICES), 8), 8)
    p.output(own, total, device=DEVICES, axis=None, shards=shards(total, None))
    p.write()

    p = collective("coll_scatter", "a part of one device to each")
    own = p.node("Copy", "i32", (32,), [p.buffer(0, shared, device="h")], device=DEVICES)
    p.output(own, shared, device=DEVICES, axis=0, shards=shards(shared, 0))
    p.write()

    p = collective("coll_allgather", "all parts to every device")
    own = broadcast_to(p, p.buffer(0, shared, device=DEVICES), 32)
    p.output(own, shared, device=DEVICES, axis=None, shards=shards(shared, None))
    p.write()


def store_replicated():
    x, a, b = integers(2, 6), integers(3, 2), integers(3)
    x[1] = x[0]
    p = Program("store_replicated", "what is written to a value that each device has whole is in the slice of each device")
    p.devices = ["d0", "d1"]
    buffer = p.buffer(0, x, device=p.devices)
    va, vb = p.buffer(1, a), p.buffer(2, b)
    whole = p.node("Replicated", "i32", (6,), [buffer], axis=0)
    view = p.node("Reshape", "i32", (2, 3), [whole], shape=[2, 3])
    view = p.node("Permute", "i32", (3, 2), [view], perm=[1, 0])
    first = p.after(view, p.store(view, va))
    y = np.stack([a.T.reshape(6)] * 2)
    p.output(first, a)
    p.output(p.after(buffer, first_store(p)), y)
    part = p.node("Shrink", "i32", (3,), [whole], offset=[2], shape=[3])
    second = p.store(part, vb)
    y[:, 2:5] = b
    p.output(p.after(buffer, second), y)
    p.write()


for make in (assign, assign_chain, store_gated, store_views, unwritten, loop_store, loop_accumulate, loop_scan, loop_of_nothing,
             reduce_ranges, load_gated, store_positions, group_sink, linear, call_kernel, call_tuple, binary, mulacc, load_device,
             collectives, store_replicated):
    make()
