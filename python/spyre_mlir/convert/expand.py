"""Operations of StableHLO that IREE's passes do not convert, or convert to wrong numbers, in terms of others.

* `stablehlo.sort`: a network of comparisons (`sort`).
* `stablehlo.scatter`: a loop over updates (`scatter`).
* Products and convolutions of unsigned integers and truth values with wider results: operands are cast first.  Structured
  operations cast narrow integers as signed ones, so 200 of `ui8` would be -56.
* The algorithm that a product requests (`jax.nn.dot_product_attention`): its accumulation type is the type of the result.
* A cast from real to complex numbers, and complex constants: their parts, which `iree-stablehlo-preprocessing-lower-complex`
  goes on with, and operations that move complex elements: the same on both parts.
* `stablehlo.fft`: products with matrices of cosines and sines (`fourier`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .errors import ConvertError
from .fourier import KINDS, fourier_function
from .iree import Module, location_text
from .scatter import ScatterDimensions, scatter_function
from .sort import sort_function
from .tensors import Body, Region, Tensor, function_text

Operation = Any  # iree.compiler.ir.Operation, which has no type annotations

_TENSOR = re.compile(r"tensor<((?:\d+x)*)([^x<>,]+|complex<f\d+>)>")
_NUMBERS = {
    "update_window_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims",
    "index_vector_dim",
}


def expand_operations(module: Module, name: str) -> None:
    """Replace the operations of the module that this file is about by calls of functions that compute them."""
    operations: list[Operation] = []

    def collect(operation: Operation) -> Any:
        from iree.compiler import ir

        if operation.name in _EXPANSIONS:
            operations.append(operation)
        return ir.WalkResult.ADVANCE

    with module.context:
        module.operation.walk(collect)
        for number, operation in enumerate(operations):
            try:
                _EXPANSIONS[operation.name](module, operation.operation, f"spyre_{operation.name.partition('.')[2]}_{number}")
            except Unsupported as reason:
                raise ConvertError(f"{location_text(str(operation.location), name)}: '{operation.name}' {reason}") from reason


class Unsupported(Exception):
    """Why an operation has no expansion."""


def tensor_type(text: str) -> Tensor:
    """Return the type that MLIR writes as `text`, a ranked tensor of static extents."""
    match = _TENSOR.fullmatch(text)
    if match is None:
        raise Unsupported(f"has a tensor of extents that are not known, {text}: lower the program for known shapes")
    return Tensor(tuple(int(extent) for extent in match[1].split("x")[:-1]), match[2])


def scatter_dimensions(attribute: str) -> ScatterDimensions:
    """Return the dimension numbers that MLIR writes as `#stablehlo.scatter<update_window_dims = [1], ...>`."""
    lists = {key: tuple(map(int, re.findall(r"\d+", dims))) for key, dims in re.findall(r"(\w+) = \[([\d, ]*)\]", attribute)}
    numbers = {key: int(number) for key, number in re.findall(r"(\w+) = (\d+)", attribute)}
    unknown = {*lists, *numbers} - _NUMBERS
    if unknown:
        raise Unsupported(f"has dimension numbers that this release does not know: {', '.join(sorted(unknown))}")
    empty: tuple[int, ...] = ()
    return ScatterDimensions(
        update_window_dims=lists.get("update_window_dims", empty),
        inserted_window_dims=lists.get("inserted_window_dims", empty),
        input_batching_dims=lists.get("input_batching_dims", empty),
        scatter_indices_batching_dims=lists.get("scatter_indices_batching_dims", empty),
        scatter_dims_to_operand_dims=lists.get("scatter_dims_to_operand_dims", empty),
        index_vector_dim=numbers.get("index_vector_dim", 0),
    )


def _types(values: Any) -> list[Tensor]:
    return [tensor_type(str(value.type)) for value in values]


def _region(operation: Operation) -> Region:
    """Return the region of an operation as text."""
    # Values are named by one print of the operation, since names of a block alone are numbered otherwise.
    header, *lines = _generic_text(operation).splitlines()[1:-1]
    *inside, last = (line.strip() for line in lines)
    values = operation.regions[0].blocks[0].operations[-1].operation.operands
    return Region(
        header=header.strip(),
        operations=(*map(_generic_text, _captured_constants(operation)), *inside),
        returned=tuple(re.findall(r"%[\w#]+", last.partition(")")[0])),
        results=tuple(type.element for type in _types(values)),
    )


def _captured_constants(operation: Operation) -> list[Operation]:
    """Return the constants outside of the operation that its region reads: passes move constants out of regions."""
    from iree.compiler import ir

    inside = {argument for region in operation.regions for block in region.blocks for argument in block.arguments}
    captured: dict[str, Operation] = {}

    def visit(inner: Operation) -> Any:
        inside.update(inner.results)
        inside.update(argument for region in inner.regions for block in region.blocks for argument in block.arguments)
        for value in inner.operands:
            if value in inside:
                continue
            if isinstance(value.owner, ir.Block) or value.owner.name != "stablehlo.constant":
                raise Unsupported("has a region that reads values from outside of it")
            captured[value.get_name()] = value.owner
        return ir.WalkResult.ADVANCE

    for inner in operation.regions[0].blocks[0].operations:
        inner.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return list(captured.values())


def _generic_text(operation: Operation) -> str:
    return str(operation.operation.get_asm(print_generic_op_form=True))


def replace_by_call(module: Module, operation: Operation, name: str, text: str) -> None:
    """Replace an operation by a call of the function `name` of this text, with the operands of the operation."""
    from iree.compiler import ir

    with module.context, operation.location:
        parsed = ir.Module.parse(text)
        for function in list(parsed.body.operations):
            module.body.append(function)  # moves it
        call = ir.Operation.create(
            "func.call",
            results=[result.type for result in operation.results],
            operands=list(operation.operands),
            attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
            ip=ir.InsertionPoint(operation),
        )
    for old, new in zip(operation.results, call.results):
        old.replace_all_uses_with(new)
    operation.erase()


def _expand_sort(module: Module, operation: Operation, name: str) -> None:
    from iree.compiler import ir

    types = _types(operation.operands)
    dimension = ir.IntegerAttr(operation.attributes["dimension"]).value
    if not 0 <= dimension < len(types[0].shape):
        raise Unsupported(f"sorts along dimension {dimension} of rank {len(types[0].shape)}")
    replace_by_call(module, operation, name, sort_function(name, types, dimension, _region(operation)))


def _expand_scatter(module: Module, operation: Operation, name: str) -> None:
    types = _types(operation.operands)
    count = (len(types) - 1) // 2
    numbers = scatter_dimensions(str(operation.attributes["scatter_dimension_numbers"]))
    text = scatter_function(name, types[:count], types[count], types[count + 1 :], numbers, _region(operation))
    replace_by_call(module, operation, name, text)


def _expand_product(module: Module, operation: Operation, name: str) -> None:
    if "algorithm" in operation.attributes:
        _drop_algorithm(module, operation)  # of floats
    else:
        _widen_operands(module, operation, name)


def _drop_algorithm(module: Module, operation: Operation) -> None:
    """Compute in the accumulation type that a product requests, which IREE's passes ignore.

    The other parts of a request, a precision of the operands below their type and a number of products, only allow less.
    """
    from iree.compiler import ir

    accumulation = re.search(r"accumulation_type = (\w+)", str(operation.attributes["algorithm"]))
    del operation.attributes["algorithm"]
    result = operation.results[0]
    element = str(ir.RankedTensorType(result.type).element_type)
    if accumulation is None or element_width(accumulation[1]) <= element_width(element):
        return
    with module.context, operation.location:
        wide = ir.Type.parse(str(tensor_type(str(result.type)).with_element(accumulation[1])))
        attributes = {attribute.name: attribute.attr for attribute in _named_attributes(operation)}
        point = ir.InsertionPoint(operation)
        product = ir.Operation.create(
            operation.name, results=[wide], operands=list(operation.operands), attributes=attributes, ip=point
        )
        cast = ir.Operation.create("stablehlo.convert", results=[result.type], operands=[product.results[0]], ip=point)
    result.replace_all_uses_with(cast.results[0])
    operation.erase()


def element_width(element: str) -> int:
    """Return the number of bits of an element type: 16 for `bf16`, 19 for `tf32`."""
    number = re.search(r"\d+", element)
    if element == "tf32":
        return 19
    return int(number[0]) if number else 0


def _widen_operands(module: Module, operation: Operation, name: str) -> None:
    """Cast unsigned and truth-value operands to the wider integers of the result."""
    from iree.compiler import ir

    result = ir.RankedTensorType(operation.results[0].type)
    for number, operand in enumerate(operation.operands):
        type = ir.RankedTensorType(operand.type)
        if not must_widen(str(type.element_type), str(result.element_type)):
            continue
        with module.context, operation.location:
            wide = ir.RankedTensorType.get(type.shape, result.element_type)
            cast = ir.Operation.create("stablehlo.convert", results=[wide], operands=[operand], ip=ir.InsertionPoint(operation))
        operation.operands[number] = cast.results[0]


def must_widen(operand: str, result: str) -> bool:
    """Return whether a product of these elements needs a cast: one that structured operations would make as a signed one."""
    widths = [re.fullmatch(r"(ui|i)(\d+)", element) for element in (operand, result)]
    if widths[0] is None or widths[1] is None:
        return False
    unsigned = widths[0][1] == "ui" or operand == "i1"
    return unsigned and int(widths[0][2]) < int(widths[1][2])


def _expand_convert(module: Module, operation: Operation, name: str) -> None:
    """Write a cast from real to complex numbers as their parts."""
    source, target = str(operation.operands[0].type), str(operation.results[0].type)
    if "complex" in source or "complex" not in target:
        return
    type, complex_type = tensor_type(source), tensor_type(target)
    body = Body()
    real, value = type.with_element(complex_type.element[len("complex<") : -1]), "%x0"
    if real != type:
        value = body.value(f"stablehlo.convert {value} : ({type}) -> {real}")
    zero = body.constant("0.0", real)
    result = body.value(f"stablehlo.complex {value}, {zero} : {complex_type}")
    replace_by_call(module, operation, name, function_text(name, [("%x0", type)], body, [(result, complex_type)]))


def _expand_constant(module: Module, operation: Operation, name: str) -> None:
    """Write a complex constant of equal elements as its parts."""
    target = str(operation.results[0].type)
    if "complex" not in target:
        return
    # The bindings have no attribute of complex elements, so its text is read from the operation.
    splat = re.search(r"dense<\(([^,()]+),\s*([^,()]+)\)>", _generic_text(operation))
    if splat is None:
        return
    complex_type = tensor_type(target)
    real = complex_type.with_element(complex_type.element[len("complex<") : -1])
    body = Body()
    parts = [body.constant(part, real) for part in splat.groups()]
    result = body.value(f"stablehlo.complex {', '.join(parts)} : {complex_type}")
    replace_by_call(module, operation, name, function_text(name, [], body, [(result, complex_type)]))


def _move_parts(module: Module, operation: Operation, name: str) -> None:
    """Move real and imaginary parts apart, where an operation moves complex elements."""
    from iree.compiler import ir

    result = str(operation.results[0].type)
    if "complex" not in result:
        return
    point = ir.InsertionPoint(operation)
    with module.context, operation.location:
        attributes = {attribute.name: attribute.attr for attribute in _named_attributes(operation)}
        parts = []
        for part in ("stablehlo.real", "stablehlo.imag"):
            operands = []
            for value in operation.operands:
                if "complex" in str(value.type):
                    type = ir.Type.parse(_part_type(str(value.type)))
                    value = ir.Operation.create(part, results=[type], operands=[value], ip=point).results[0]
                operands.append(value)
            type = ir.Type.parse(_part_type(result))
            moved = ir.Operation.create(operation.name, results=[type], operands=operands, attributes=attributes, ip=point)
            parts.append(moved.results[0])
        joined = ir.Operation.create("stablehlo.complex", results=[operation.results[0].type], operands=parts, ip=point)
    operation.results[0].replace_all_uses_with(joined.results[0])
    operation.erase()


def _named_attributes(operation: Operation) -> list[Any]:
    return [operation.attributes[index] for index in range(len(operation.attributes))]


def _part_type(text: str) -> str:
    """Return the type of the real parts of a tensor of this type."""
    return re.sub(r"complex<(f\d+)>", r"\1", text)


def _expand_fourier(module: Module, operation: Operation, name: str) -> None:
    from iree.compiler import ir

    kind = re.search(r"fft_type (\w+)", str(operation.attributes["fft_type"]))
    if kind is None or kind[1] not in KINDS:
        raise Unsupported(f"is of none of the kinds {', '.join(KINDS)}")
    lengths = list(ir.DenseI64ArrayAttr(operation.attributes["fft_length"]))
    (operand,), (result,) = _types(operation.operands), _types(operation.results)
    replace_by_call(module, operation, name, fourier_function(name, kind[1], lengths, operand, result))


_EXPANSIONS: dict[str, Callable[[Module, Operation, str], None]] = {
    "stablehlo.sort": _expand_sort,
    "stablehlo.scatter": _expand_scatter,
    "stablehlo.dot_general": _expand_product,
    "stablehlo.convolution": _widen_operands,
    "stablehlo.convert": _expand_convert,
    "stablehlo.constant": _expand_constant,
    "stablehlo.fft": _expand_fourier,
    **dict.fromkeys(
        (
            "stablehlo.broadcast_in_dim",
            "stablehlo.concatenate",
            "stablehlo.pad",
            "stablehlo.reshape",
            "stablehlo.reverse",
            "stablehlo.select",
            "stablehlo.slice",
            "stablehlo.transpose",
        ),
        _move_parts,
    ),
}
