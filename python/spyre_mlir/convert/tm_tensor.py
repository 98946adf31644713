"""Operations of `tm_tensor`, which torch-mlir leaves where it has no linalg: sorts, scans and scatters.

`TopK`, `CumSum`, `ScatterND`, `ScatterElements` and `NonZero` of ONNX are made of them.  Each is replaced by a function of
StableHLO, as the same operations of JAX are, and the passes of `from_stablehlo` go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .expand import Operation, Unsupported, replace_by_call, tensor_type
from .iree import Module
from .scatter import ScatterDimensions, scatter_function
from .sort import sort_function
from .tensors import Body, Region, Tensor, function_text

_BINARY = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.mulf": "multiply",
    "arith.muli": "multiply",
    "arith.maximumf": "maximum",
    "arith.maxsi": "maximum",
    "arith.minimumf": "minimum",
    "arith.minsi": "minimum",
}
# The predicates of arith.cmpf and arith.cmpi by their numbers; `u` of floats is true for NaN.
_FLOAT_PREDICATES = {1: "EQ", 2: "GT", 3: "GE", 4: "LT", 5: "LE"}
_INTEGER_PREDICATES = {0: "EQ", 1: "NE", 2: "LT", 3: "LE", 4: "GT", 5: "GE"}


def expand_tm_tensor(module: Module) -> bool:
    """Replace operations that have an expansion by calls of functions of StableHLO, and return whether there were any."""
    from iree.compiler import ir

    operations: list[Operation] = []

    def collect(operation: Operation) -> Any:
        if operation.name in _EXPANSIONS:
            operations.append(operation)
        return ir.WalkResult.ADVANCE

    expanded = False
    with module.context:
        module.operation.walk(collect)
        for number, operation in enumerate(operations):
            name = f"spyre_{operation.name.partition('.')[2]}_{number}"
            try:
                text = _EXPANSIONS[operation.name](operation, name)
            except Unsupported:
                continue  # it stays, and the caller warns of the remaining operations
            replace_by_call(module, operation, name, text)
            expanded = True
    return expanded


def scan_function(name: str, types: list[Tensor], dimension: int, combiner: Region) -> str:
    """Return the text of a function for an inclusive scan along a dimension.

    Its arguments are the operand, a tensor that the result is written to, and the start, which is the identity of the
    combiner.  A scan of n elements is log2(n) stages of elementwise operations: at first with the neighbor, then with the element
    two before, then four (Hillis and Steele, "Data parallel algorithms", 1986).
    """
    body = Body()
    type, _, last_type = types
    extent = type.shape[dimension]
    value = "%x0"
    shift = 1
    while shift < extent:
        ranges = [(0, size) for size in type.shape]
        pieces = {}
        for place, bounds in (("head", (0, shift)), ("before", (0, extent - shift)), ("tail", (shift, extent))):
            ranges[dimension] = bounds
            pieces[place] = body.slice(value, type, ranges)
        (head, head_type), (before, part_type), (tail, _) = pieces.values()
        combined = body.map([before, tail], [part_type, part_type], combiner, part_type)[0]
        value, _ = body.concatenate([head, combined], [head_type, part_type], dimension)
        shift *= 2
    ranges = [(0, size) for size in type.shape]
    ranges[dimension] = (extent - 1, extent)
    last, row_type = body.slice(value, type, ranges)
    last = body.reshape(last, row_type, last_type)
    arguments = [(f"%x{number}", argument) for number, argument in enumerate(types)]
    return function_text(name, arguments, body, [(value, type), (last, last_type)])


def _scan(operation: Operation, name: str) -> str:
    from iree.compiler import ir

    types = [tensor_type(str(value.type)) for value in operation.operands]
    dimension = ir.IntegerAttr(operation.attributes["dimension"]).value
    if len(types) != 3 or not ir.BoolAttr(operation.attributes["inclusive"]).value or types[0].shape[dimension] == 0:
        raise Unsupported("is no inclusive scan of one operand")
    return scan_function(name, types, dimension, _scalar_region(operation, (0, 1)))


def _sort(operation: Operation, name: str) -> str:
    from iree.compiler import ir

    types = [tensor_type(str(value.type)) for value in operation.operands]
    dimension = ir.IntegerAttr(operation.attributes["dimension"]).value
    return sort_function(name, types, dimension, _scalar_region(operation, range(2 * len(types))))


def _scatter(operation: Operation, name: str) -> str:
    from iree.compiler import ir

    updates, indices, operand = (tensor_type(str(value.type)) for value in operation.operands)
    mapped = tuple(ir.DenseI64ArrayAttr(operation.attributes["dimension_map"]))
    if len(updates.shape) != 1 + len(operand.shape) - len(mapped):
        raise Unsupported("has updates of another rank")
    numbers = ScatterDimensions(tuple(range(1, len(updates.shape))), mapped, (), (), mapped, 1)
    # The region has the update first, then the element of the tensor.
    text = scatter_function(f"{name}_of", [operand], indices, [updates], numbers, _scalar_region(operation, (1, 0)))
    body = Body()
    call = body.value(f"func.call @{name}_of(%x2, %x1, %x0) : ({operand}, {indices}, {updates}) -> {operand}")
    arguments = [("%x0", updates), ("%x1", indices), ("%x2", operand)]
    return function_text(name, arguments, body, [(call, operand)]) + text


def _scalar_region(operation: Operation, order: Any) -> Region:
    """Return the region of an operation, of one or no binary operation, in StableHLO; arguments stand in this order."""
    block = operation.regions[0].blocks[0]
    *inside, last = (inner.operation for inner in block.operations)
    arguments = [(f"%arg{number}", Tensor((), str(argument.type))) for number, argument in enumerate(block.arguments)]
    names = {argument: name for argument, (name, _) in zip(block.arguments, arguments)}
    header = ", ".join("{}: {}".format(*arguments[number]) for number in order)
    lines: tuple[str, ...] = ()
    if len(inside) > 1 or any(value not in names for inner in inside for value in inner.operands):
        raise Unsupported("has a region of several operations")
    for inner in inside:
        names[inner.results[0]] = "%0"
        left, right = (names[value] for value in inner.operands)
        type = Tensor((), str(inner.operands[0].type))
        lines = (_scalar_operation(inner, left, right, type),)
    result = last.operands[0]
    if result not in names:
        raise Unsupported("has a region that returns a value from outside of it")
    return Region(f"^bb0({header}):", lines, (names[result],), (str(result.type),))


def _scalar_operation(inner: Operation, left: str, right: str, type: Tensor) -> str:
    from iree.compiler import ir

    if inner.name in _BINARY:
        return f"%0 = stablehlo.{_BINARY[inner.name]} {left}, {right} : {type}"
    predicates = {"arith.cmpf": _FLOAT_PREDICATES, "arith.cmpi": _INTEGER_PREDICATES}.get(inner.name, {})
    predicate = predicates.get(ir.IntegerAttr(inner.attributes["predicate"]).value) if predicates else None
    if predicate is None:
        raise Unsupported(f"has a region with '{inner.name}'")
    return f"%0 = stablehlo.compare {predicate}, {left}, {right} : ({type}, {type}) -> {type.with_element('i1')}"


_EXPANSIONS: dict[str, Callable[[Operation, str], str]] = {
    "tm_tensor.scan": _scan,
    "tm_tensor.scatter": _scatter,
    "tm_tensor.sort": _sort,
}
