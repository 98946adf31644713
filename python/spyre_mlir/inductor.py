"""Capture of the loop-level IR of PyTorch Inductor as JSON ("inductor-loop-ir", version 1).

Every compilation is read at three moments: when `GraphLowering.finalize` is called the loops are
lowered and layouts are still open, at `config._pre_fusion_custom_pass` the scheduler has built and
ordered its nodes, at `config._post_fusion_custom_pass` it has fused them.  Decisions between
these moments are recorded by wrapping the methods that make them.

The replaced methods and settings are in `_Recorder.patches` and `_AccessLog.patches`.  All other
code only reads Inductor's objects; the private attributes it reads are `SchedulerNode._body` and
`SchedulerNode._sizes`, and the parameters that `LoopBody` keeps in its shims (`.clone.keywords`).
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import dataclasses
import functools
import json
import logging
import math
import operator
import os
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import sympy
import torch
from torch._dynamo.utils import counters
from torch._inductor import config, dependencies, ir, loop_body, scheduler
from torch._inductor.codegen.cpp import OuterLoopFusedSchedulerNode
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.graph import GraphLowering, SubgraphLowering
from torch._inductor.virtualized import V
from torch.fx.experimental.symbolic_shapes import free_symbols, resolve_unbacked_bindings
from torch.utils._sympy import functions as sym

from .advice import fused_kernels, missing_graphs
from .graphs import Graphs
from .input_names import Argument, arguments_by_input, arguments_of
from .tiles import check_count, check_dimensions, check_mappings, check_names

Json = Any  # what json.dump accepts

_LOG = logging.getLogger("spyre_mlir")

_DTYPES = {
    torch.bool: "i1", torch.uint8: "u8", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
    torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
    torch.float8_e4m3fn: "f8E4M3FN", torch.float8_e5m2: "f8E5M2",
    torch.float8_e4m3fnuz: "f8E4M3FNUZ", torch.float8_e5m2fnuz: "f8E5M2FNUZ", torch.float8_e8m0fnu: "f8E8M0FNU",
    torch.complex32: "complex<f16>", torch.complex64: "complex<f32>", torch.complex128: "complex<f64>",
}  # fmt: skip

_HEADS = {
    sympy.Add: "add", sympy.Mul: "mul", sympy.Pow: "pow", sym.PowByNatural: "pow",
    sym.FloorDiv: "floordiv", sym.CleanDiv: "floordiv", sym.ModularIndexing: "modidx",
    sym.Mod: "mod", sym.PythonMod: "mod", sym.Max: "max", sym.Min: "min", sym.Where: "where",
    sympy.Eq: "eq", sympy.Ne: "ne", sympy.Lt: "lt", sympy.Le: "le", sympy.Gt: "gt", sympy.Ge: "ge",
}  # fmt: skip


def _value(x: Any) -> Json:
    """Write a number, an index expression, an operand, an argument or a container of these."""
    if x is None or isinstance(x, (bool, int, str)):
        return x
    if isinstance(x, float):
        return x if math.isfinite(x) else {"f": str(x)}  # JSON has no infinities
    if isinstance(x, torch.dtype):
        return _DTYPES.get(x, str(x))
    if isinstance(x, sympy.Basic):
        return _expr(x)
    if isinstance(x, torch.SymInt):
        return _expr(x.node.expr)
    if isinstance(x, torch.fx.Node):
        return x.args[0] if x.target == "get_index" else f"%{x.name}"
    if isinstance(x, ir.IRNode):
        return _ref(x)
    if isinstance(x, (list, tuple)):
        return [_value(v) for v in x]
    if isinstance(x, dict):
        return {str(k): _value(v) for k, v in x.items()}
    return str(x)  # torch.device, torch.layout, torch.memory_format, ...


def _expr(e: sympy.Basic) -> Json:
    """Write an expression as an integer, the name of a symbol or [head, operand, ...]."""
    if isinstance(e, sympy.Integer):
        return int(e)
    if isinstance(e, sympy.Symbol):
        return e.name
    if isinstance(e, sympy.Float):
        return _value(float(e))
    return [_HEADS.get(e.func, e.func.__name__.lower()), *map(_value, e.args)]


def _layout(layout: ir.OutputSpec) -> dict[str, Json]:
    """Write the layout of a buffer or of a view."""
    if isinstance(layout, ir.MutationLayoutSHOULDREMOVE):
        return {"kind": "mutation", "target": layout.get_buffer().get_name()}
    if isinstance(layout, ir.MultiOutputLayout):
        return {"kind": "multi_output"}
    if not isinstance(layout, ir.Layout):
        return {"kind": "none"}
    kind = "flexible" if isinstance(layout, ir.FlexibleLayout) else "fixed"
    out: dict[str, Json] = {
        "kind": kind, "dtype": _value(layout.dtype), "device": str(layout.device),
        "size": _value(layout.size), "stride": _value(layout.stride), "offset": _value(layout.offset),
    }  # fmt: skip
    if isinstance(layout, ir.NonOwningLayout):
        view = layout.view
        out |= {"kind": "non_owning", "base": view.get_name(), "base_offset": _value(view.get_layout().offset)}
    return out


def _ref(x: Any) -> Json:
    """Write a reference to a buffer, a view of one, a scalar or a list of these."""
    if x is None or isinstance(x, ir.NoneAsConstantBuffer):
        return None
    if isinstance(x, (list, tuple)):
        return [_ref(v) for v in x]
    if isinstance(x, ir.MutableBox):
        return _ref(x.data)
    if isinstance(x, ir.ShapeAsConstantBuffer):
        return {"expr": _value(x.expr)}
    if isinstance(x, (int, float, sympy.Basic, torch.SymInt)):
        return {"expr": _value(x)}
    if isinstance(x, ir.BaseView):
        return {"buffer": x.get_name(), "view": _layout(x.get_layout())}
    if isinstance(x, ir.Buffer):
        return {"buffer": x.get_name()}
    return {"object": str(x)}


# Operands of `ops.*` calls that are written by name; all others become "args".
_FIELDS = {
    "load": ("buffer", "index"),
    "store": ("buffer", "index", "value", "mode"),
    "store_reduction": ("buffer", "index", "value"),
    "reduction": ("dtype", "src_dtype", "reduction_type", "value"),
    "constant": ("value", "dtype"),
    "index_expr": ("index", "dtype"),
    "to_dtype": ("x", "dtype", "src_dtype", "use_compute_types"),
    "sort": ("dtypes", "values", "stable", "descending"),
    "check_bounds": ("index", "size", "lower", "upper"),
}
_DEFAULTS = {"store": {"mode": None}, "to_dtype": {"src_dtype": None, "use_compute_types": True}}
_WITHOUT_RESULT = {"store", "store_reduction", "check_bounds"}
_DIVISIONS = (sym.FloorDiv, sym.ModularIndexing, sym.Mod, sym.PythonMod)


def _index_class(e: sympy.Expr, loop_vars: set[sympy.Symbol]) -> str:
    """Classify an index by whether an MLIR map can hold it."""
    if any(s.name.startswith("indirect") for s in e.free_symbols):
        return "indirect"
    if _is_affine(e, loop_vars, ()):
        return "affine"
    return "semi_affine" if _is_affine(e, loop_vars, _DIVISIONS) else "other"


def _is_affine(e: sympy.Expr, loop_vars: set[sympy.Symbol], divisions: tuple[type, ...]) -> bool:
    """Check that loop variables occur only linearly, or below one of the given divisions."""
    variable = [a for a in e.args if a.free_symbols & loop_vars]
    if e.is_Symbol or not variable:
        return not e.has(sym.Max, sym.Min, sym.Where)
    if isinstance(e, sympy.Mul) and len(variable) == 1:
        return _is_affine(variable[0], loop_vars, divisions)
    if isinstance(e, sympy.Add):
        return all(_is_affine(a, loop_vars, divisions) for a in variable)
    if isinstance(e, divisions):
        return variable == [e.args[0]] and _is_affine(e.args[0], loop_vars, divisions)
    return False


def _body(body: loop_body.LoopBody, accesses: dict[str, dict[str, Json]] | None = None) -> dict[str, Json]:
    """Write a loop body; `accesses` maps index names to their n-dimensional accesses."""
    loop_vars = set(body.var_ranges)
    index = {}
    for name, e in body.indexing_exprs.items():
        # PyTorch has plain integers among them.
        e = sympy.sympify(e)
        index[name] = {"e": _value(e), "class": _index_class(e, loop_vars), "text": str(e)}
        if accesses and name in accesses:
            index[name]["at"] = accesses[name]
    blocks = {"body": _block(body, body.root_block.graph)}
    for name, block in body.subblocks.items():
        blocks[name] = _block(body, block.graph, is_root=False)
    for name, shim in body.submodules.items():
        if name.startswith("scan"):
            arity = next(len(n.args[0]) for n in body.get_nodes() if n.target == name)
            combine = _trace_combine(shim.clone.keywords["combine_fn"], arity)
            blocks[name] = _block(body, combine, is_root=False)
    nests = {"vars": body.iter_vars, "rvars": body.reduce_vars}  # a loop of one iteration has no variable
    out: dict[str, Json] = {
        key: [[v.name, _value(body.var_ranges[v])] for v in nest if v in body.var_ranges] for key, nest in nests.items()
    }
    out |= {"index": index, "blocks": blocks}
    if body.indirect_vars:
        out["indirect"] = {v.name: _value(size) for v, size in body.indirect_var_ranges.items()}
    return out


def _trace_combine(combine: Callable[..., Any], arity: int) -> torch.fx.Graph:
    """Trace the combine function of a scan over the operands a0.. and b0.. ."""
    tracer = loop_body.LightTracer()
    handler = tracer.create_proxy("placeholder", "ops", (), {})
    names = [[f"{side}{i}" for i in range(arity)] for side in "ab"]
    operands = [tuple(tracer.create_proxy("placeholder", name, (), {}) for name in side) for side in names]
    with V.set_ops_handler(handler):
        result = combine(*operands)
    values = tuple(getattr(r, "value", r) for r in result)  # the functions of V.ops return OpsValue(value)
    tracer.create_proxy("output", "output", (values,), {})
    return tracer.graph


def _block(body: loop_body.LoopBody, graph: torch.fx.Graph, is_root: bool = True) -> list[Json]:
    """Write the instructions of one block in order; a block that is not the root ends in a yield."""
    out: list[Json] = []
    for node in graph.nodes:
        if node.op == "call_method":
            out.append(_instruction(node))
        elif node.op == "call_module" and node.target != "get_index":
            out.append(_module_call(body, node))
        elif node.op == "call_function" and node.target is operator.getitem:
            out.append({"id": node.name, "op": "getitem", "value": _value(node.args[0]), "i": node.args[1]})
        elif node.op == "output" and not is_root:
            out.append({"op": "yield", "args": _value(node.args)})
    return out


def _instruction(node: torch.fx.Node) -> dict[str, Json]:
    """Write one call of an `ops.*` function; its first argument is the handler."""
    name = str(node.target)
    out: dict[str, Json] = {} if name in _WITHOUT_RESULT else {"id": node.name}
    out["op"] = name
    if name in _FIELDS:
        values = _DEFAULTS.get(name, {}) | dict(zip(_FIELDS[name], node.args[1:])) | node.kwargs
        return out | {field: _value(values[field]) for field in _FIELDS[name]}
    out["args"] = _value(node.args[1:])
    if node.kwargs:
        out["kwargs"] = _value(dict(node.kwargs))
    return out


def _module_call(body: loop_body.LoopBody, node: torch.fx.Node) -> dict[str, Json]:
    """Write a call of a submodule: an indirect variable, a masked block or a scan."""
    name = str(node.target)
    if name.startswith("set_"):
        fields = _value(body.submodules[name].clone.keywords)
        return {"op": "set_indirect", "var": fields.pop("var"), "value": _value(node.args[0])} | fields
    first, second = map(_value, node.args)
    if name.startswith("masked_subblock"):
        return {"id": node.name, "op": "masked", "mask": first, "block": name, "other": second}
    return {"id": node.name, "op": "scan", "dtypes": first, "combine": name, "values": second}


class _AccessLog:
    """Records the subscripts that Inductor linearises while a loop body is traced.

    A load calls the indexer of a layout and hands the result to `ops.load` at once, so the newest
    call with that result is the access.  A store calls the indexer that was made first.
    """

    def __init__(self) -> None:
        self.calls: dict[tuple[bool, Any], dict[str, Json]] = {}
        self.indexers = 0
        self.accesses: dict[str, dict[str, Json]] = {}

    def patches(self) -> list[Any]:
        """List the methods of Inductor to wrap during a trace."""
        tracer = loop_body.CaptureIndexing
        return [
            # Lets loops be traced while the layouts of their buffers are open.
            mock.patch.object(ir.FlexibleLayout, "allow_indexing", True),
            _wrap(ir.FixedLayout, "make_indexer", self.make_indexer),
            *(_wrap(tracer, op, functools.partial(self.access, op)) for op in ("load", "store", "store_reduction")),
        ]

    def make_indexer(self, original: Callable[..., Any], layout: ir.FixedLayout) -> Callable[..., Any]:
        """Make an indexer that notes its calls."""
        indexer = original(layout)
        is_store = self.indexers == 0
        self.indexers += 1

        def noting(index: Any) -> Any:
            result = indexer(index)
            written = {"size": layout.size, "stride": layout.stride, "offset": layout.offset, "subscript": index}
            self.calls[is_store, result] = _value(written)
            return result

        return noting

    def access(
        self, operation: str, original: Callable[..., Any], tracer: Any, name: str, index: Any, *rest: Any, **named: Any
    ) -> Any:
        """Attach the subscript of `index` to the name that the body gives to this index."""
        found = self.calls.get((operation != "load", index))
        result = original(tracer, name, index, *rest, **named)
        if found is not None:
            entry = tracer.body.memory_usage[loop_body.MemoryUsageType[operation.upper()]][-1]
            self.accesses.setdefault(entry.index_name, {})[name] = found
        return result


def _lowered_body(op: ir.ComputedBuffer) -> dict[str, Json]:
    """Trace the loops of an operation as they were lowered: not reordered, not merged."""
    args, ranges = dependencies.index_vars_squeeze(op.get_pointwise_size(), op.get_reduction_size(), prefix="i")
    log = _AccessLog()
    with contextlib.ExitStack() as stack:
        for patch in log.patches():
            stack.enter_context(patch)
        stack.enter_context(mock.patch.object(ir.ConstantBuffer, "override_device", op.get_device()))
        called_with = args if op.get_reduction_type() else args[:1]
        body = loop_body.LoopBody(op.get_store_function(), called_with, ranges, *args)
    return _body(body, log.accesses)


_KINDS = (
    (ir.Scan, "scan"), (ir.Sort, "sort"), (ir.Scatter, "scatter"), (ir.Reduction, "reduction"),
    (ir.Pointwise, "pointwise"), (ir.MultiOutput, "multi_output"), (ir.ConcatKernel, "concat"), (ir.NopKernel, "nop"),
)  # fmt: skip


def _operation(op: ir.Operation) -> dict[str, Json]:
    """Write one lowered operation."""
    loops = op.data if isinstance(op, ir.ComputedBuffer) else None
    is_empty = loops is not None and op.is_no_op()  # no element to compute, so no body to trace
    origin = op.get_origin_node()
    outputs = op.get_outputs()
    out: dict[str, Json] = {
        "name": op.get_operation_name(),
        "kind": "nop" if is_empty else next((kind for cls, kind in _KINDS if isinstance(loops or op, cls)), "extern"),
        "buffers": [b.get_name() for b in outputs],
        "origin": None if origin is None else origin.name,
        "origins": sorted(n.name for n in op.get_origins()),
    }
    out |= {"extern": _extern(op)} if loops is None else _loops(loops)
    if loops is not None and not is_empty:
        out["body"] = _lowered_body(op)
    extras = {
        "mutates": [n for b in outputs for n in b.get_mutation_names()],
        "aliases": [n for b in outputs for n in b.get_inputs_that_alias_output()],
    }
    return out | {key: names for key, names in extras.items() if names}


def _loops(data: ir.Loops) -> dict[str, Json]:
    """Write the ranges and the kind of computation of a loop nest."""
    out: dict[str, Json] = {"dtype": _value(data.get_dtype()), "ranges": _value(data.get_size())}
    if isinstance(data, ir.Reduction):
        out["reduction_ranges"] = _value(data.reduction_ranges)
        out["reduction_type"] = data.reduction_type
        out["src_dtype"] = _value(data.src_dtype)
        out["reduction_hint"] = data.reduction_hint.name
    if isinstance(data, ir.MultiOutputReduction):
        out["output_index"] = data.output_index
    if isinstance(data, (ir.Scan, ir.Sort)):
        out["scan_ranges"] = _value(data.get_reduction_size())
    return out


def _argument(x: Any) -> Json:
    """Write an argument of an extern kernel, where an expression must not look like a list."""
    if isinstance(x, (list, tuple)):
        return [_argument(v) for v in x]
    if isinstance(x, dict):
        return {str(k): _argument(v) for k, v in x.items()}
    return {"expr": _value(x)} if isinstance(x, (sympy.Expr, torch.SymInt)) else _value(x)


def _extern(op: Any) -> dict[str, Json]:
    """Write the kernel of an extern operation with its operands and constants."""
    # A template, such as that of flex attention, is no function of Python: it is identified by its name.
    kernel = getattr(op, "python_kernel_name", None) or getattr(getattr(op, "template", None), "name", None)
    out: dict[str, Json] = {"class": type(op).__name__, "kernel": kernel}
    if isinstance(overload := getattr(op, "op_overload", None), torch._ops.OpOverload):
        out["op_overload"] = str(overload)
    constants = getattr(op, "constant_args", ())
    out["inputs"] = _ref(op.inputs)
    out |= {"constant_args": _argument(constants), "kwargs": _argument(getattr(op, "kwargs", {}))}
    if isinstance(op, ir.FallbackKernel):
        args, kwargs = op.unflatten_args(op.inputs, constants)
        out["call"] = {"args": _argument(args), "kwargs": _argument(kwargs)}
    if isinstance(op, ir.MultiOutput):
        out["indices"] = [[container.__name__, i] for container, i in op.indices]
    if defined := op.get_unbacked_symbol_defs():
        env = V.graph.sizevars.shape_env
        paths = resolve_unbacked_bindings(env, getattr(op, "unbacked_bindings", {})) or {}
        out["unbacked"] = {s.name: torch.utils._pytree.keystr(paths.get(s, ())) for s in defined}
    if isinstance(op, ir.AssertScalar):
        out["assert"] = str(op.scalar)
    return out


def _inputs(graph: GraphLowering) -> list[Json]:
    """Write the graph inputs in call order."""
    out: list[Json] = []
    for name, value in graph.graph_inputs.items():
        if buffer := graph.graph_inputs_original.get(name):  # before any mutation
            out.append({"name": name, "kind": "tensor", "layout": _layout(buffer.layout)})
        elif isinstance(value, sympy.Basic):
            out.append({"name": name, "kind": "scalar", "expr": _value(value)})
        else:
            out.append({"name": name, "kind": "object"})
    return out


def _symbols(graph: GraphLowering) -> list[Json]:
    """Write the symbols of the input sizes with the value and the range that are known."""
    used = free_symbols([value for value in graph.graph_inputs.values() if isinstance(value, sympy.Basic)])
    for buffer in graph.graph_inputs_original.values():
        used |= free_symbols((*buffer.get_size(), *buffer.get_stride()))
    env = graph.sizevars.shape_env
    out: list[Json] = []
    for symbol in sorted((s for s in used if s in env.backed_var_to_val), key=str):
        bounds = env.var_to_range[symbol]
        # An open bound is not an Integer but an infinity.
        lower, upper = (int(b) if isinstance(b, sympy.Integer) else None for b in (bounds.lower, bounds.upper))
        out.append({"name": symbol.name, "hint": int(env.backed_var_to_val[symbol]), "min": lower, "max": upper})
    return out


def _constants(graph: GraphLowering) -> list[Json]:
    """Write the constant tensors; a tensor of at most 64 elements has its elements in row-major order."""
    out: list[Json] = []
    for name, tensor in graph.constants.items():
        item: dict[str, Json] = {"name": name, "dtype": _value(tensor.dtype)}
        item |= {"size": _value(tensor.shape), "stride": _value(tensor.stride())}
        if tensor.numel() <= 64 and not tensor.is_complex():
            item["data"] = _value(tensor.detach().reshape(-1).tolist())
        out.append(item)
    return out


def _dep(dep: dependencies.Dep) -> dict[str, Json]:
    """Write one dependency of a scheduler node."""
    if isinstance(dep, dependencies.WeakDep):
        return {"t": "weak", "name": dep.name, "mutating": dep.mutating_buf, "fake": dep.is_fake}
    out: dict[str, Json] = {"t": "star", "name": dep.name}
    if isinstance(dep, dependencies.MemoryDep):
        loop_vars = [[v.name, _value(size)] for v, size in zip(dep.var_names, dep.size)]
        out |= {"t": "mem", "index": _value(dep.index), "vars": loop_vars}
    if dep.mode is not None:
        out["mode"] = dep.mode
    return out


def _deps(node: scheduler.BaseSchedulerNode) -> dict[str, Json]:
    """Write the dependencies of a node in a fixed order."""
    groups = {"reads": node.read_writes.reads, "writes": node.read_writes.writes, "unmet": node.unmet_dependencies}
    return {key: [_dep(d) for d in sorted(deps, key=str)] for key, deps in groups.items()}


def _node(node: scheduler.BaseSchedulerNode) -> dict[str, Json]:
    """Write a scheduler node as it is before fusion."""
    out = {"name": node.get_name(), "class": type(node).__name__, "op_class": type(node.node).__name__}
    out |= _deps(node)
    out |= {"min_order": node.min_order, "max_order": node.max_order, "ancestors": sorted(node.ancestors)}
    out["distance"] = [node.min_input_distance, node.max_input_distance]
    out["outputs"] = []
    for b in node.get_outputs():
        users = [{"node": u.get_name(), "can_inplace": u.can_inplace, "weak": u.is_weak} for u in b.users]
        out["outputs"].append({"name": b.get_name(), "users": users})
    return out | _simplified_loops(node)


def _simplified_loops(node: scheduler.BaseSchedulerNode) -> dict[str, Json]:
    """Write the loops that the scheduler built for an operation; an extern kernel has none."""
    if not isinstance(node, scheduler.SchedulerNode):
        return {}
    out = {"group": _value(node.group), "sizes": _value(node._sizes), "is_reduction": node.is_reduction()}
    if isinstance(node._body, loop_body.LoopBody):
        out["body"] = _body(node._body)
    return out


def _fused(node: scheduler.BaseSchedulerNode) -> dict[str, Json]:
    """Write a scheduler node as it is after fusion."""
    members = node.get_nodes()
    out = {"name": node.get_name(), "class": type(node).__name__, "snodes": [n.get_name() for n in members]}
    out |= _deps(node) | {"min_order": node.min_order, "max_order": node.max_order}
    if isinstance(node, (scheduler.SchedulerNode, scheduler.FusedSchedulerNode)):
        out["group"] = _value(node.group)
    if isinstance(node, OuterLoopFusedSchedulerNode):
        out["outer_loop_fusion_depth"] = node.outer_loop_fusion_depth
        out["outer"] = [[n.get_name() for n in part.get_nodes()] for part in node.get_outer_nodes()]
    loops = (n for n in members if isinstance(n, scheduler.SchedulerNode))
    return out | {"sizes": {n.get_name(): _value(n._sizes) for n in loops}}


_HINTS = "spyre_hints"  # key in node.meta["custom"], which PyTorch copies to all nodes made from a node


def hint(
    x: torch.Tensor,
    tiles: None = None,
    *,
    size: Mapping[str, int] | None = None,
    count: Mapping[str, int] | None = None,
    dims: Sequence[str] | None = None,
) -> torch.Tensor:
    """Return `x` and request a tiling of the operation that produced it.

    `size` maps names of dimensions to the elements in a tile, `count` to the number of tiles, which has to divide the extent.
    `dims` names the dimensions of `x` in order; without `dims` the names in `size`, then the names in `count`, name the first
    dimensions.  A mapping alone would be ambiguous, so `tiles` is refused.
    """
    check_mappings(tiles, size, count)
    check_names(dims)
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"hint: {x!r} is no tensor: give the result of an operation, as spyre_mlir.hint(y, size={{'rows': 4}})")
    sizes, counts = dict(size or {}), dict(count or {})
    names = (*sizes, *counts) if dims is None else tuple(dims)
    check_dimensions(names, (*sizes, *counts), x.ndim, dims is not None)
    positions = {name: names.index(name) for name in (*sizes, *counts)}
    for name, number in counts.items():
        check_count(name, number, x.shape[positions[name]])
        sizes[name] = x.shape[positions[name]] // number
    return _hinted(x, sizes, positions)


@torch.compiler.allow_in_graph
def _hinted(x: torch.Tensor, tiles: dict[str, int], positions: dict[str, int]) -> torch.Tensor:
    """Return `x`; Dynamo keeps the call in its graph until `_HintPass` removes it."""
    return x


class _HintPass(CustomGraphPass):
    """Moves the hints in Dynamo's graph to the nodes before them, then runs the user's passes: from 2.13 on there may be several."""

    def __init__(self, users: Any, observe: Callable[[torch.fx.Graph], None] | None = None) -> None:
        self.observe = observe
        self.users = tuple(users) if isinstance(users, (list, tuple)) else () if users is None else (users,)

    def __call__(self, graph: torch.fx.Graph) -> None:
        """Run on one graph."""
        if self.observe is not None:
            self.observe(graph)
        for node in graph.find_nodes(op="call_function", target=_hinted):
            _annotate(node)
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        for users in self.users:
            users(graph)

    def uuid(self) -> str:
        """Name the pass: Inductor runs a pass without a name earlier than its passes."""
        return "spyre_mlir.hint"


def _annotate(hinted: torch.fx.Node) -> None:
    """Add a hint to the node that produced its operand, and to the tuple this is an element of."""
    x, tiles, positions = hinted.args
    for name, tile in tiles.items():
        if not isinstance(tile, int):
            raise ValueError(
                f"hint: the extent of {name} is open, so count= names no tile: give size={{{name!r}: ...}}, the elements in a tile"
            )
    item = {"dims": tiles, "positions": positions, "shape": list(hinted.meta["example_value"].shape)}
    while x.op not in ("placeholder", "get_attr"):
        custom = x.meta.get("custom", {})
        x.meta["custom"] = custom | {_HINTS: [*custom.get(_HINTS, ()), item]}
        if x.target is not operator.getitem:
            return
        x = x.args[0]
    warnings.warn(f"spyre_mlir.hint: {x.name} is an input, which no operation produces; the hint is ignored")


def _add_hints(graph: GraphLowering, operations: list[dict[str, Json]]) -> None:
    """Give every operation the hints on the FX nodes that it computes.

    The origins of an operation also name nodes that were computed before and are only read through
    views.  These are the nodes that an operation upstream carries, except the newest: it may take
    several operations to compute one node.
    """
    position = {node: i for i, node in enumerate(graph.graph.nodes)}
    hinted = {node for node in position if _HINTS in node.meta.get("custom", {})}
    if not hinted:
        return
    upstream: dict[str, set[torch.fx.Node]] = {}  # by buffer: the hinted nodes in it and before it
    for op, written in zip(graph.operations, operations):
        origins = sorted(op.get_origins(), key=lambda node: position.get(node, -1))
        before = set().union(*(upstream.get(dep.name, ()) for dep in op.get_read_writes().reads))
        hints: list[dict[str, Json]] = []
        for node in (n for n in origins if n in hinted and (n is origins[-1] or n not in before)):
            for item in map(_value, node.meta["custom"][_HINTS]):
                same = [known for known in hints if known.items() >= item.items()]
                if not same:
                    hints.append(item | {"nodes": []})
                (same or hints)[-1]["nodes"].append(node.name)
        if hints:
            written["hints"] = hints
        upstream |= {b.get_name(): before | hinted.intersection(origins) for b in op.get_outputs()}


def _wrap(owner: type, name: str, replacement: Callable[..., Any]) -> Any:
    """Make a patch that calls `replacement(original, self, ...)` for a method."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return replacement(original, self, *args, **kwargs)

    return mock.patch.object(owner, name, method)


@dataclasses.dataclass
class _Compilation:
    """The record of a graph that is being compiled."""

    stage: str = "lowering"
    record: dict[str, Json] = dataclasses.field(default_factory=dict)
    decisions: list[Json] = dataclasses.field(default_factory=list)  # layouts, in the order they froze
    rounds: list[Json] = dataclasses.field(default_factory=list)  # of fusion
    loops: dict[str, Json] = dataclasses.field(default_factory=dict)  # of the nodes before fusion
    values: list[Any] = dataclasses.field(default_factory=list)  # of the inputs
    is_unreadable: bool = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Leave the graph out, with a warning, where reading it fails: any program that compiles also compiles in a capture."""
        try:
            yield
        except Exception as error:
            self.is_unreadable = True
            reason = "".join(str(error).splitlines()[:1])
            warnings.warn(f"spyre_mlir.capture: a graph is left out, as reading it failed: {type(error).__name__}: {reason}")


@dataclasses.dataclass
class _Lowered:
    """The operations of a graph, and the layouts of its buffers before they are decided."""

    buffers: list[ir.Buffer]
    layouts: list[Json]
    operations: list[dict[str, Json]]


def _lowered(graph: GraphLowering) -> _Lowered:
    """Read the operations of a lowered graph before the remaining layouts are decided."""
    # The functions of scores in flex attention are buffers without a name, inside of the kernel.
    buffers = [b for b in graph.buffers if b.name is not None]
    layouts = [_layout(b.get_output_spec()) for b in buffers]
    operations = [_operation(op) for op in graph.operations]
    _add_hints(graph, operations)
    return _Lowered(buffers, layouts, operations)


def _record(graph: GraphLowering, lowered: _Lowered) -> dict[str, Json]:
    """Return the object of a graph whose layouts are decided; the decisions of the scheduler are no part of it."""
    buffers = [
        {"name": b.get_name(), "lowered": before, "fixed": _layout(b.get_output_spec())}
        for b, before in zip(lowered.buffers, lowered.layouts)
    ]
    # The fields before the operations let a reader read these one after the other.
    return {
        "format": "inductor-loop-ir", "version": 1, "torch": torch.__version__, "graph": None, "backend": {},
        "symbols": _symbols(graph), "inputs": _inputs(graph), "constants": _constants(graph), "buffers": buffers,
        "ops": lowered.operations, "outputs": _ref(graph.graph_outputs),
    }  # fmt: skip


class RecordedLowering(GraphLowering):
    """A lowering of a graph of FX that ends where the scheduler would begin; `record` is its object then."""

    record: dict[str, Json] | None = None

    def finalize(self) -> None:
        """Record the operations, and decide the layouts of their buffers."""
        lowered = _lowered(self)
        super().finalize()
        self.record = _record(self, lowered) | {"graph": 0}


def move_hints(graph: torch.fx.Graph) -> None:
    """Move the hints in Dynamo's graph to the nodes that they are for."""
    _HintPass(None)(graph)


class _Recorder:
    """Turns the compilations that happen while its patches are active into JSON objects."""

    def __init__(self, keep_values: bool) -> None:
        self.graphs = Graphs()
        self.keep_values = keep_values
        self.arguments: list[Argument] = []  # of Dynamo's graph that is compiled
        self.compilations: weakref.WeakKeyDictionary[GraphLowering, _Compilation] = weakref.WeakKeyDictionary()

    def patches(self) -> list[Any]:
        """List every method and setting of PyTorch that is replaced while capturing."""
        settings = {
            "force_disable_caches": True,  # a cache hit would not lower anything
            "pre_grad_custom_pass": _HintPass(config.pre_grad_custom_pass, self.note_arguments),
            "_pre_fusion_custom_pass": self.chain("_pre_fusion_custom_pass", self.before_fusion),
            "_post_fusion_custom_pass": self.chain("_post_fusion_custom_pass", self.after_fusion),
        }
        orders = ("fill_order", "stride_order", "same_order", "exact_strides")
        freezing = {"freeze_layout": "contiguous"} | {f"freeze_layout_with_{how}": how for how in orders}
        return [
            config.patch(settings),
            _wrap(GraphLowering, "finalize", self.finalize),
            *(_wrap(ir.Buffer, method, functools.partial(self.freeze, how)) for method, how in freezing.items()),
            _wrap(scheduler.Scheduler, "fuse_nodes_once", self.fusion_round),
            _wrap(scheduler.Scheduler, "get_possible_fusions", self.candidates),
            _wrap(scheduler.Scheduler, "fuse_two_nodes", self.fuse),
            _wrap(scheduler.WhyNoFuse, "__call__", self.refuse),
        ]

    @staticmethod
    def chain(setting: str, own: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Run the user's pass, if the setting holds one, before ours."""
        users = getattr(config, setting)
        return own if users is None else lambda nodes: own(users(nodes))

    def current(self) -> _Compilation | None:
        """Find the compilation of the current graph; subgraphs of control flow and unreadable graphs are not recorded."""
        graph = V.graph
        if not isinstance(graph, GraphLowering) or isinstance(graph, SubgraphLowering):
            return None
        compilation = self.compilations.setdefault(graph, _Compilation())
        return None if compilation.is_unreadable else compilation

    def note_arguments(self, graph: torch.fx.Graph) -> None:
        """Keep the arguments of Dynamo's graph, which is compiled next. Its subgraphs come before it."""
        self.arguments = arguments_of(graph, self.keep_values)

    def name_inputs(self, graph: GraphLowering, record: dict[str, Json]) -> list[Any]:
        """Give the inputs of a graph the names of Dynamo's arguments, and return the values; a gradient has neither.

        A graph has neither where its inputs may be in another order than the arguments, and the log has the reason.
        """
        entries = record["inputs"]
        if graph.is_backward:
            return [None] * len(entries)
        arguments, reason = arguments_by_input(entries, self.arguments)
        if reason is not None:
            _LOG.warning("spyre_mlir.capture: the inputs of a graph have no names and no values: %s", reason)
        for entry, argument in zip(entries, arguments, strict=True):
            if argument is not None and entry["kind"] == "tensor":
                entry["source"] = argument.name
        return [None if argument is None else argument.value for argument in arguments]

    def freeze(self, how: str, original: Callable[..., Any], buffer: ir.Buffer, *args: Any, **kwargs: Any) -> None:
        """Record a Flexible layout that becomes Fixed."""
        # The bodies of flex attention are buffers without a name, which no reader could refer to.
        was_flexible = buffer.name is not None and isinstance(buffer.layout, ir.FlexibleLayout)
        original(buffer, *args, **kwargs)
        compilation = self.current()
        if was_flexible and compilation and not isinstance(buffer.layout, ir.FlexibleLayout):
            with compilation.reading():
                argument = _value(args[0]) if args else None
                compilation.decisions.append([buffer.get_name(), how, argument, compilation.stage])

    def finalize(self, original: Callable[..., Any], graph: GraphLowering) -> None:
        """Record the lowered operations just before the remaining layouts are decided."""
        compilation = self.current()
        if compilation is None:
            return original(graph)
        lowered: _Lowered | None = None
        with compilation.reading():
            lowered = _lowered(graph)
        compilation.stage = "finalize"
        original(graph)
        compilation.stage = "scheduling"
        if compilation.is_unreadable or lowered is None:
            return
        with compilation.reading():
            # The number of the graph and the backends are filled in by `after_fusion`.
            compilation.record = _record(graph, lowered) | {"layout_decisions": compilation.decisions}
            compilation.values = self.name_inputs(graph, compilation.record)

    def before_fusion(self, nodes: list[scheduler.BaseSchedulerNode]) -> list[scheduler.BaseSchedulerNode]:
        """Record the scheduler's nodes."""
        if compilation := self.current():
            with compilation.reading():
                names = {name for n in nodes for name in n.get_operation_names()}
                compilation.loops = {n.get_name(): _simplified_loops(n) for n in nodes}
                compilation.rounds = []
                compilation.record |= {
                    "pre": [_node(n) for n in nodes],
                    "removed_ops": [op["name"] for op in compilation.record["ops"] if op["name"] not in names],
                    "fusion": compilation.rounds,
                }
        return nodes

    def fusion_round(self, original: Callable[..., Any], scheduler_: Any, nodes: list[Any], **options: Any) -> Any:
        """Open the record of one round of fusion."""
        if compilation := self.current():
            size = {"reorder_round": options["is_reorder_round"], "nodes": len(nodes)}
            compilation.rounds.append(size | {"candidates": [], "fused": [], "refused": []})
        return original(scheduler_, nodes, **options)

    def note(self, key: str, item: Json) -> None:
        """Add an item to the current round of fusion."""
        if (compilation := self.current()) and compilation.rounds:
            compilation.rounds[-1][key].append(item)

    def candidates(self, original: Callable[..., Any], scheduler_: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Record the pairs that may be fused, best first, with their scores."""
        pairs = original(scheduler_, *args, **kwargs)
        if compilation := self.current():
            with compilation.reading():
                for first, second in pairs:
                    s = V.choices.score_fusion(scheduler_, first, second)
                    score = (s.template_score, s.node_type_score, s.memory_score, s.buffer_overlap_score, s.proximity_score)
                    self.note("candidates", [first.get_name(), second.get_name(), [int(part) for part in score]])
        return pairs

    def fuse(self, original: Callable[..., Any], scheduler_: Any, first: Any, second: Any, *args: Any) -> Any:
        """Record a pair that is fused."""
        self.note("fused", [first.get_name(), second.get_name()])
        return original(scheduler_, first, second, *args)

    def refuse(self, original: Callable[..., Any], why: scheduler.WhyNoFuse, reason: str, *args: Any) -> None:
        """Record a pair that is not fused, and the reason."""
        self.note("refused", [why.name1, why.name2, reason % args])
        original(why, reason, *args)

    def after_fusion(self, nodes: list[scheduler.BaseSchedulerNode]) -> list[scheduler.BaseSchedulerNode]:
        """Record the fused nodes and complete the graph."""
        compilation = self.current()
        if compilation is None:
            return nodes
        with compilation.reading():
            record = compilation.record
            record["post"] = [_fused(n) for n in nodes]
            record["backend"] = {d.type: type(backend).__name__ for d, backend in V.graph.scheduler.backends.items()}
            members = [n for fused in nodes for n in fused.get_nodes()]
            changed = [_node(n) for n in members if _simplified_loops(n) != compilation.loops.get(n.get_name())]
            if changed:
                record["post_changed"] = changed
            if record["graph"] is None:  # not when a graph is scheduled for the second time
                record["graph"] = len(self.graphs)
                self.graphs.add(record, compilation.values)
                for message in fused_kernels(record):
                    warnings.warn(f"spyre_mlir.capture: {message}")
        return nodes


_active: _Recorder | None = None


def capture() -> contextlib.AbstractContextManager[Graphs]:
    """Collect one JSON object per graph that Inductor compiles inside the block.

    Functions have to be compiled inside the block: code that was compiled before runs as it is.
    A warning reports that no graph was compiled, and the setting of PyTorch that opens layers without loops.
    Inputs have the names of parameters, buffers and arguments, and the list keeps their values for `Graphs.save`.
    """
    return _capture(_Recorder(keep_values=True))


@contextlib.contextmanager
def _capture(recorder: _Recorder) -> Iterator[Graphs]:
    """Let a recorder collect the graphs that are compiled inside the block."""
    global _active
    if _active is not None:
        raise RuntimeError(
            "spyre_mlir is capturing already: leave the enclosing spyre_mlir.capture() block first, "
            "or drop the call of spyre_mlir.install()"
        )
    breaks_before = collections.Counter(counters["graph_break"])
    with contextlib.ExitStack() as stack:
        for patch in recorder.patches():
            stack.enter_context(patch)
        _active = recorder
        try:
            yield recorder.graphs
        finally:
            _active = None
    for message in missing_graphs(len(recorder.graphs), collections.Counter(counters["graph_break"]) - breaks_before):
        warnings.warn(f"spyre_mlir.capture: {message}")


def write(graphs: list[dict[str, Json]], directory: str | os.PathLike[str]) -> None:
    """Write every graph to `graph<i>.loopir.json` so that no reader sees half a file."""
    os.makedirs(directory, exist_ok=True)
    for i, graph in enumerate(graphs):
        path = os.path.join(directory, f"graph{i}.loopir.json")
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(graph, file, allow_nan=False)
        os.replace(temporary, path)


def install(directory: str | os.PathLike[str] = ".") -> None:
    """Capture everything from now on and write it to `directory` when the program ends."""
    stack = contextlib.ExitStack()
    # Values of all inputs of a program until its end would be a second copy of its memory.
    recorder = _Recorder(keep_values=False)
    atexit.register(write, stack.enter_context(_capture(recorder)), os.path.abspath(directory))
    atexit.register(stack.close)  # runs first
