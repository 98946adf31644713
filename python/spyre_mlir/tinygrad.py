"""Export of tensors of tinygrad as JSON ("uop-graph-1").

    import spyre_mlir.tinygrad
    program = spyre_mlir.tinygrad.export(x.softmax())
    program.write("softmax")             # softmax/program.json, softmax/in_0.npy, ...

A tensor of tinygrad is the graph that computes it, until `realize` replaces the graph by a buffer.  This module reads the graph
as it is, before tinygrad schedules it, and writes the vocabulary of tinyspec, in which operands have the same extents and
every value a type with a width.  Three implicit rules are made explicit: constants without a width take the type of the other
operand, axes that are added or repeated are written, and bound variables become their values.  Copies from one device to one
other only place a value, and are left out.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import itertools
import json
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from .versions import TINYGRAD

__all__ = ["Buffer", "Program", "UnsupportedError", "capture", "export"]

try:
    TINYGRAD.check(importlib.metadata.version("tinygrad"))
except importlib.metadata.PackageNotFoundError as error:
    raise ImportError(TINYGRAD.missing()) from error

from tinygrad import Tensor, dtypes  # noqa: E402  (the version is checked first)
from tinygrad.dtype import AddrSpace, DType, strong_dtype  # noqa: E402
from tinygrad.engine.jit import _TinyJit  # noqa: E402
from tinygrad.uop import GroupOp, Ops  # noqa: E402
from tinygrad.uop.ops import AxisType, UOp, promo_dtype  # noqa: E402

Json = Any  # what json.dump accepts

_DTYPES = {
    dtypes.bool: "bool", dtypes.int8: "i8", dtypes.int16: "i16", dtypes.int32: "i32", dtypes.int64: "i64",
    dtypes.uint8: "u8", dtypes.uint16: "u16", dtypes.uint32: "u32", dtypes.uint64: "u64",
    dtypes.float16: "f16", dtypes.bfloat16: "bf16", dtypes.float32: "f32", dtypes.float64: "f64",
}  # fmt: skip

# NumPy has no bfloat16: its bits are integers of 16 bits there.
_NUMPY = {
    "bool": "|b1", "i8": "|i1", "u8": "|u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8",
    "f16": "<f2", "bf16": "<u2", "f32": "<f4", "f64": "<f8",
}  # fmt: skip
_FORMATS = dict(zip(_NUMPY, "?bBhHiIqQeHfd"))

_ELEMENTWISE = {
    Ops.RECIPROCAL: "Recip", Ops.TRUNC: "Trunc", Ops.NEG: "Neg", Ops.EXP2: "Exp2", Ops.LOG2: "Log2", Ops.SIN: "Sin",
    Ops.SQRT: "Sqrt", Ops.ADD: "Add", Ops.MUL: "Mul", Ops.MAX: "Max", Ops.FLOORDIV: "Idiv", Ops.FLOORMOD: "Mod",
    Ops.CDIV: "CDiv", Ops.CMOD: "CMod", Ops.SUB: "Sub", Ops.FDIV: "Div", Ops.POW: "Pow", Ops.CMPLT: "CmpLt",
    Ops.CMPNE: "CmpNe", Ops.CMPEQ: "CmpEq", Ops.XOR: "Xor", Ops.OR: "Or", Ops.AND: "And", Ops.SHL: "Shl", Ops.SHR: "Shr",
    Ops.THREEFRY: "Threefry", Ops.WHERE: "Where", Ops.MULACC: "Mulacc",
}  # fmt: skip
_MARKERS = {
    Ops.CONTIGUOUS: "Contiguous", Ops.CONTIGUOUS_BACKWARD: "ContiguousBackward", Ops.DETACH: "Detach",
}  # fmt: skip
_COMBINATIONS = {Ops.ADD: "Add", Ops.MAX: "Max", Ops.MUL: "Mul"}

# Axes that other modules call WEAK or LOOP are sequential.
_AXIS_TYPES = {AxisType.WEAK: "LOOP"} | {kind: kind.name for kind in AxisType if kind not in (AxisType.WEAK, AxisType.DEVICE)}


class UnsupportedError(ValueError):
    """A part of a graph has no form in the file; the message names it and the way out."""


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Holds the content of a buffer, row-major."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    def elements(self) -> list[Json]:
        """Returns the elements as JSON has them."""
        values = [value for (value,) in struct.iter_unpack("<" + _FORMATS[self.dtype], self.data)]
        if self.dtype == "bf16":
            values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
        return [_number(value) for value in values]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes NumPy's file format, version 1.0, with a head that is a multiple of 64 bytes."""
        head = f"{{'descr': '{_NUMPY[self.dtype]}', 'fortran_order': False, 'shape': {self.shape!r}, }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("ascii") + self.data)


@dataclasses.dataclass(frozen=True)
class Program:
    """Holds an exported program: the file as JSON, and the content of its buffers in the order of their numbers."""

    graph: Json
    inputs: list[Buffer]
    outputs: list[Buffer]  # empty if no values were asked for

    def write(self, directory: str | os.PathLike[str]) -> None:
        """Writes program.json, in_0.npy and so on, and out_0.npy and so on if values were asked for."""
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "program.json"), "w", encoding="utf-8") as file:
            json.dump(self.graph, file, allow_nan=False)
        for kind, buffers in (("in", self.inputs), ("out", self.outputs)):
            for i, buffer in enumerate(buffers):
                buffer.save(os.path.join(directory, f"{kind}_{i}.npy"))


def export(*results: Tensor, name: str = "program", values: bool = False) -> Program:
    """Exports the graph that computes tensors; `values` also computes them with tinygrad, and records inputs and results.

    Buffers are numbered in the order in which the graph reaches them.
    """
    return _program([result.uop for result in results], [], name, values)


def capture(function: Callable[..., Any], *arguments: Any, name: str | None = None, values: bool = False) -> Program:
    """Exports the result of a function, or a TinyJit, for these arguments: a tensor, or a list or tuple of tensors.

    The first buffers belong to the arguments that are tensors, in order.  In the function `realize` has no effect, as a realized
    tensor has no graph any more; reading numbers of a tensor is an error.
    """
    if isinstance(function, _TinyJit):
        function = function.fxn  # the function of the kernels that it keeps
    tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
    first = [_source(tensor) for tensor in tensors]

    def refuse(tensor: Tensor) -> None:
        raise UnsupportedError(
            "spyre_mlir.tinygrad.capture: the function reads the numbers of a tensor, which depend on its arguments: "
            "return the tensor, and read it outside"
        )

    with mock.patch.object(Tensor, "realize", lambda self, *_, **__: self), mock.patch.object(Tensor, "_buffer", refuse):
        returned = function(*arguments)
    results = returned if isinstance(returned, (list, tuple)) else [returned]
    for result in results:
        if not isinstance(result, Tensor):
            raise UnsupportedError(f"spyre_mlir.tinygrad.capture: the function returns {type(result).__name__}, which is no tensor")
    return _program([r.uop for r in results], first, name or getattr(function, "__name__", "program"), values)


def _source(tensor: Tensor) -> UOp:
    """Returns the buffer that a tensor is a view or a copy of, after computing the tensor if it is neither."""
    for attempt in range(2):
        node = tensor.uop
        while node.op is Ops.COPY or node.op in GroupOp.Movement or node.op is Ops.UNSHARD:
            node = node.src[0]
        if node.op is Ops.BUFFER:
            return node
        if attempt == 0:
            tensor.realize()
    raise UnsupportedError("spyre_mlir.tinygrad.capture: an argument is a constant; create it with .contiguous().realize()")


def _program(results: list[UOp], first: list[UOp], name: str, values: bool) -> Program:
    """Writes the nodes, and reads the buffers before tinygrad computes anything: assignments change them."""
    results = _without_variables(results)
    writer = _Writer()
    for buffer in first:
        writer.slot(buffer)
    writer.note_stores(results)
    nodes = [writer.write(result) for result in results]
    inputs = [_content(buffer) for buffer in writer.slots]
    graph: dict[str, Json] = {
        "format": "uop-graph-1", "name": name, "category": "tinygrad", "description": "",
        "oracle": {"backend": f"tinygrad {importlib.metadata.version('tinygrad')}"},
    }  # fmt: skip
    if writer.devices:
        graph["devices"] = writer.devices
    graph["nodes"] = writer.nodes
    outputs = []
    if values:
        outputs = _values(results)
        graph["inputs"] = [
            {"slot": slot, "dtype": b.dtype, "shape": list(b.shape), "data": b.elements()} for slot, b in enumerate(inputs)
        ]
        graph["outputs"] = [
            {"node": node, "dtype": b.dtype, "shape": list(b.shape), "data": b.elements(), "compare": _comparison(b.dtype)}
            for node, b in zip(nodes, outputs)
        ]
    else:
        graph["result"] = nodes[0] if len(nodes) == 1 else writer.node("Tuple", "void", None, nodes)
    return Program(graph, inputs, outputs)


def _comparison(dtype: str) -> Json:
    """Returns how values are compared: sums of floats may be in another order."""
    tolerance = {"f16": 2e-3, "bf16": 2e-2, "f32": 1e-5, "f64": 1e-12}.get(dtype)
    return {"kind": "exact"} if tolerance is None else {"kind": "close", "rtol": tolerance, "atol": tolerance}


def _values(results: list[UOp]) -> list[Buffer]:
    """Computes results with tinygrad, all at once: an assignment that two of them read is executed once."""
    tensors = [Tensor(result).cast(strong_dtype(result.dtype)).contiguous() for result in results]
    Tensor.realize(*tensors)
    return [Buffer(_dtype(tensor.dtype), tuple(map(int, tensor.shape)), bytes(tensor._data())) for tensor in tensors]


def _content(node: UOp) -> Buffer:
    """Returns the content of a buffer; zeros of an unwritten one. Parts on several devices follow each other."""
    shape = (len(_devices(node)) * node.shape[0],) if _devices(node) else tuple(node.shape)
    dtype = _dtype(node.dtype)
    buffer = node.realized
    if buffer is None:
        return Buffer(dtype, shape, bytes(struct.calcsize(_FORMATS[dtype]) * shape[0]))
    return Buffer(dtype, shape, b"".join(bytes(part.as_memoryview()) for part in getattr(buffer, "bufs", [buffer])))


def _without_variables(results: list[UOp]) -> list[UOp]:
    """Replaces bound variables by their values; they are extents and offsets, which are numbers in the file."""
    values = {}
    for node in UOp.sink(*results).toposort():
        if node.op is Ops.AFTER and node.src[0].op is Ops.BUFFER and node.src[0].arg.addrspace is AddrSpace.ALU:
            values[node] = node.src[1].src[1]
    return [result.substitute(values, enter_calls=True) for result in results] if values else results


def _devices(node: UOp) -> tuple[str, ...]:
    """Returns the devices that share a buffer or a copy; no device where there is only one."""
    device = node.arg if node.op is Ops.COPY else node.arg.device
    return device if isinstance(device, tuple) else ()


def _dtype(dtype: DType) -> str:
    """Returns the name of an element type."""
    name = _DTYPES.get(strong_dtype(dtype))
    if name is None:
        raise UnsupportedError(f"spyre_mlir.tinygrad: {dtype} is no element type of the file; cast to one of {', '.join(_FORMATS)}")
    return name


def _number(value: bool | int | float) -> Json:
    """Returns a number as JSON has it."""
    if isinstance(value, float) and value - value != 0:
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    return value


def _extents(extents: tuple[Any, ...]) -> list[int]:
    """Returns extents or offsets as integers."""
    for extent in extents:
        if not isinstance(extent, int):
            raise UnsupportedError(f"spyre_mlir.tinygrad: the extent {extent.render()} is open; bind its variable to a value")
    return list(extents)


class _Writer:
    """Writes nodes before their users; `scope` has the nodes of the present body, which no other body may read."""

    def __init__(self) -> None:
        self.nodes: list[Json] = []
        self.slots: list[UOp] = []
        self.devices: list[str] = []
        self.scope: dict[tuple[UOp, DType | None], int] = {}
        self.stored_into: set[UOp] = set()

    def node(self, op: str, dtype: str, shape: list[int] | None, src: list[int], /, **arg: Json) -> int:
        """Adds a node and returns its number."""
        self.nodes.append({"id": len(self.nodes), "op": op, "dtype": dtype, "shape": shape, "src": src, "arg": arg})
        return len(self.nodes) - 1

    def slot(self, buffer: UOp) -> int:
        """Returns the number of a buffer, a new one when it is first asked for."""
        if buffer not in self.slots:
            self.slots.append(buffer)
        return self.slots.index(buffer)

    def note_stores(self, results: list[UOp]) -> None:
        """Notes which tensors are written in part, before any of them is written as a node: another result may do so."""
        for node in UOp.sink(*results).toposort(enter_calls=False):
            if node.op is Ops.STORE:
                self.stored_into.update(_targets(node.src[0]))

    def write(self, result: UOp) -> int:
        """Writes the nodes that a result of the present body needs, and returns the number of its node."""
        root = (result, _own(result, None))
        stack = [root]
        while stack:
            key = stack[-1]
            if key in self.scope:
                stack.pop()
                continue
            missing = [operand for operand in self.operands(*key) if operand not in self.scope]
            if missing:
                stack.extend(reversed(missing))
            else:
                self.scope[key] = self.instruction(*key)
                stack.pop()
        return self.scope[root]

    def operands(self, node: UOp, dtype: DType | None) -> list[tuple[UOp, DType | None]]:
        """Returns the nodes that a node reads as values, each with the type that it is needed in."""
        src = node.src
        if node.op is Ops.RANGE and dtype is not None:
            return [(node, None)]  # the loop itself, of which the operand is the position
        if node.op in (Ops.BUFFER, Ops.PARAM, Ops.CONST, Ops.RANGE) or _constant(node) is not None:
            return []
        if node.op is Ops.AFTER:
            overwritten = self.overwritten(node)
            read = [overwritten] if overwritten is not None else [src[0], *_effects(node)]
        elif node.op in GroupOp.Movement:
            read = [src[0]]
        elif node.op is Ops.UNSHARD:
            read = [_shards(node)[0]]
        elif node.op in (Ops.FUNCTION, Ops.CALL):
            read = list(src[1:])
        elif node.op is Ops.REDUCE and len(src) > 1:
            raise UnsupportedError("spyre_mlir.tinygrad: a reduction over loops is of a kernel; export the tensors before they are scheduled")
        else:
            read = list(src)
        wanted = self.wanted(node, dtype)
        closed = node.src[1:] if node.op is Ops.END else ()
        return [(operand, None if operand in closed else _own(operand, wanted)) for operand in read]

    @staticmethod
    def wanted(node: UOp, dtype: DType | None) -> DType | None:
        """Returns the type that operands without a width take."""
        if node.op in GroupOp.Comparison:
            return strong_dtype(promo_dtype(node.src))
        if node.op is Ops.STORE:
            return node.src[0].dtype
        if node.op in (Ops.CAST, Ops.BITCAST, Ops.END, Ops.SINK, Ops.GROUP, Ops.TUPLE, Ops.FUNCTION, Ops.CALL):
            return None
        if node.op is Ops.INDEX:
            return dtypes.int32
        return dtype or node.dtype

    def overwritten(self, node: UOp) -> UOp | None:
        """Returns the value of an assignment to a whole tensor that no later assignment changes in part."""
        target = node.src[0]
        stores = _effects(node)
        whole = len(stores) == 1 and stores[0].op is Ops.STORE and stores[0].src[0] is target
        return stores[0].src[1] if whole and node not in self.stored_into else None

    def instruction(self, node: UOp, dtype: DType | None) -> int:
        """Writes one node after its operands."""
        value = _constant(node)
        if value is not None:
            return self.constant(value, dtype or node.dtype)
        src = [self.scope[operand] for operand in self.operands(node, dtype)]
        match node.op:
            case Ops.BUFFER | Ops.PARAM:
                return self.memory(node)
            case Ops.RANGE:
                return self.loop(node) if dtype is None else self.node("Cast", _dtype(dtype), [], src, dtype=_dtype(dtype))
            case Ops.FUNCTION | Ops.CALL:
                return self.call(node, src)
            case Ops.TUPLE | Ops.SINK | Ops.GROUP:
                return self.node(node.op.name.title(), "void", None, src)
            case Ops.END:
                return self.node("End", "void", None, src)
            case Ops.STORE:
                target, stored = node.src
                shape = _extents(target.shape)
                return self.node("Store", "void", None, [src[0], self.broadcast(src[1], stored, shape, _dtype(target.dtype))])
            case Ops.UNSHARD:
                return self.unshard(node, src[0])
        return self.tensor(node, src, dtype or node.dtype)

    def tensor(self, node: UOp, src: list[int], own_dtype: DType) -> int:
        """Writes an operation on tensors with elements of a type with a width."""
        shape, dtype = _extents(node.shape), _dtype(own_dtype)
        if node.op in _ELEMENTWISE:
            operands = [
                self.broadcast(number, operand, shape, _dtype(own or operand.dtype))
                for number, (operand, own) in zip(src, self.operands(node, own_dtype))
            ]
            return self.node(_ELEMENTWISE[node.op], dtype, shape, operands)
        if node.op in _MARKERS:
            return self.node(_MARKERS[node.op], dtype, shape, src)
        if node.op in GroupOp.Movement:
            return self.movement(node, src[0], dtype, shape)
        match node.op:
            case Ops.AFTER:
                whole = self.overwritten(node)
                return self.node("After", dtype, shape, src) if whole is None else self.broadcast(src[0], whole, shape, dtype)
            case Ops.CAST | Ops.BITCAST:
                return self.node(node.op.name.title(), dtype, shape, src, dtype=dtype)
            case Ops.REDUCE:
                combination, axes = node.arg
                kept = self.node(
                    "Reduce", dtype, [1] * axes + shape, src, op=_COMBINATIONS[combination], axes=list(range(axes))
                )
                return self.node("Reshape", dtype, shape, [kept], shape=shape)
            case Ops.COPY:
                devices = _devices(node)
                self.devices = self.devices or list(devices)
                return self.node("Copy", dtype, shape, src, device=list(devices)) if devices else src[0]
            case Ops.STACK:
                return self.node("Stack", dtype, shape, src)
            case Ops.INDEX:
                return self.node("Index", dtype, shape, src)
            case Ops.GETTUPLE:
                return self.node("GetTuple", dtype, shape, src, index=node.arg)
        raise UnsupportedError(
            f"spyre_mlir.tinygrad: {node.op.name} has no form in the file: it is of a graph that is scheduled or lowered; "
            "export tensors before they are realized"
        )

    def constant(self, value: bool | int | float, dtype: DType) -> int:
        """Writes a constant."""
        strong = strong_dtype(dtype)
        exact = bool(value) if strong is dtypes.bool else int(value) if dtypes.is_int(strong) else float(value)
        return self.node("Const", _dtype(dtype), [], [], value=_number(exact))

    def memory(self, node: UOp) -> int:
        """Writes a buffer, or a parameter of a body."""
        if node.op is Ops.PARAM:
            return self.node("Param", _dtype(node.dtype), _extents(node.shape), [], slot=node.arg.slot)
        if node.arg.addrspace is not AddrSpace.GLOBAL:
            raise UnsupportedError(f"spyre_mlir.tinygrad: the variable {node.arg.name} has no value; bind it to one")
        devices = _devices(node)
        shape = [len(devices) * node.shape[0]] if devices else _extents(node.shape)
        placed = {"device": list(devices)} if devices else {}
        self.devices = self.devices or list(devices)
        return self.node("Buffer", _dtype(node.dtype), shape, [], slot=self.slot(node), **placed)

    def loop(self, node: UOp) -> int:
        """Writes a loop of a kernel; its value is the position."""
        *number, kind = node.arg
        if kind not in _AXIS_TYPES or len(number) != 1:
            raise UnsupportedError(f"spyre_mlir.tinygrad: a loop {node.arg} has no form in the file")
        return self.node("Range", "index", [], [], bound=int(node.vmax) + 1, axis_id=number[0], axis_type=_AXIS_TYPES[kind])

    def call(self, node: UOp, arguments: list[int]) -> int:
        """Writes a call, after its body in a separate scope."""
        outside, self.scope = self.scope, {}
        self.note_stores([node.src[0]])
        body = self.write(node.src[0])
        self.scope = outside
        if node.op is Ops.CALL:
            # The parameters of a kernel are flat buffers, whatever the shapes of the tensors are.
            shapes = {p.arg.slot: _extents(p.shape) for p in node.src[0].toposort() if p.op is Ops.PARAM}
            for slot, argument in enumerate(node.src[1:]):
                old, new = _extents(argument.shape), shapes.get(slot)
                if new is not None and new != old:
                    arguments[slot] = self.node("Reshape", _dtype(argument.dtype), new, [arguments[slot]], shape=new)
        return self.node(node.op.name.title(), "void", None, [body, *arguments])

    def movement(self, node: UOp, source: int, dtype: str, shape: list[int]) -> int:
        """Writes a movement of elements."""
        match node.op:
            case Ops.RESHAPE:
                return self.node("Reshape", dtype, shape, [source], shape=shape)
            case Ops.EXPAND:
                return self.expand(source, _extents(node.src[0].shape), shape, dtype)
            case Ops.PERMUTE:
                return self.node("Permute", dtype, shape, [source], perm=list(node.arg))
            case Ops.FLIP:
                return self.node("Flip", dtype, shape, [source], axes=list(node.arg))
        offset = _extents(tuple(begin for begin, _ in node.marg))
        return self.node(node.op.name.title(), dtype, shape, [source], offset=offset, shape=shape)

    def expand(self, source: int, old: list[int], new: list[int], dtype: str) -> int:
        """Writes axes in front, and repeats elements along axes of one."""
        if old == new:
            return source
        if len(old) != len(new):
            old = [1] * (len(new) - len(old)) + old
            source = self.node("Reshape", dtype, old, [source], shape=old)
        return source if old == new else self.node("Expand", dtype, new, [source], shape=new)

    def broadcast(self, number: int, operand: UOp, shape: list[int], dtype: str) -> int:
        """Writes an operand with the extents of the result."""
        return self.expand(number, _extents(operand.shape), shape, dtype)

    def unshard(self, node: UOp, source: int) -> int:
        """Writes the whole of a tensor that has its parts on several devices."""
        shards, is_whole = _shards(node)
        if is_whole:
            return source
        (axis,), shape, dtype = node.arg, _extents(node.shape), _dtype(node.dtype)
        part = _extents(node.src[0].shape)
        count = len(_devices(shards))
        joined = self.node("Reshape", dtype, [count, *part], [source], shape=[count, *part])
        order = [*range(1, axis + 1), 0, *range(axis + 1, len(part) + 1)]
        between = [[count, *part][i] for i in order]
        moved = self.node("Permute", dtype, between, [joined], perm=order)
        return self.node("Reshape", dtype, shape, [moved], shape=shape)


def _own(node: UOp, wanted: DType | None) -> DType | None:
    """Returns the type that a node without a width is needed in, and None for all others."""
    return (wanted or strong_dtype(node.dtype)) if node.dtype in dtypes.weaks else None


def _constant(node: UOp) -> bool | int | float | None:
    """Returns the value of a constant, or of arithmetic on constants without a width, which tinygrad computes exactly."""
    if node.op is Ops.CAST and node.src[0].dtype in dtypes.weaks and node.src[0].shape == ():
        value = _constant(node.src[0])
        return None if value is None else node.dtype.const(value)
    if node.op is not Ops.CONST:
        if node.dtype not in dtypes.weaks or node.op not in GroupOp.ALU or node.shape != ():
            return None
        node = node.simplify()
        if node.op is not Ops.CONST:
            return None
    if node.is_invalid:
        raise UnsupportedError("spyre_mlir.tinygrad: Invalid is no value; it is of a graph that is lowered")
    return node.arg


def _effects(node: UOp) -> list[UOp]:
    """Returns the nodes that an AFTER executes first; an AFTER among them executes its nodes."""
    nested: Iterator[list[UOp]] = (_effects(effect) if effect.op is Ops.AFTER else [effect] for effect in node.src[1:])
    return list(itertools.chain.from_iterable(nested))


def _targets(node: UOp) -> list[UOp]:
    """Returns the nodes that a store goes through to its buffer."""
    nodes = [node]
    while nodes[-1].op in GroupOp.Movement or nodes[-1].op in (Ops.AFTER, Ops.BITCAST, Ops.INDEX):
        nodes.append(nodes[-1].src[0])
    return nodes


def _shards(node: UOp) -> tuple[UOp, bool]:
    """Returns the whole of a tensor in parts: the node of which each device takes a part, or one buffer of all, and which it is."""
    source = node.src[0]
    if len(node.arg) == 1:
        if source.op is Ops.SHRINK and source.src[0].shape == node.shape:
            return source.src[0], True
        while source.op is Ops.RESHAPE:
            source = source.src[0]
        if source.op is Ops.BUFFER and _devices(source):
            return source, False
    raise UnsupportedError(
        f"spyre_mlir.tinygrad: a tensor of {tuple(node.shape)} is sharded after an operation on its parts; shard what is realized"
    )
