"""Runs a kernel of KTIR on the interpreter ktir-cpu and compares the results with arrays.

    python run.py KTIR_CPU PLANNED.mlir KERNEL.mlir FOLDER EXPECTED [TOLERANCE [NAME=EXTENT ...]]

KTIR_CPU is a checkout of the interpreter. PLANNED.mlir is the planned program, printed with --mlir-print-local-scope:
its signature has the layouts. KERNEL.mlir is the result of --convert-spyre-to-ktir. FOLDER has input_0.npy and so on,
the arguments without a constant in order, and output_0.npy and so on in EXPECTED, the expected results. Extents of
dynamic dimensions are arguments of the kernel after the results, in the order of their names; arrays have the extents,
and not the room that PLANNED.mlir has for the largest ones.

Results and the pool start as NaN. After the run, inputs must be as before, no memory may have been allocated, and
each core must have run. The last line is a JSON object with the largest error, |a - b| / (1 + |b|).
"""

import contextlib
import io
import json
import re
import sys
import types
import warnings

import numpy as np

TYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32}


def split_top(text, separator=","):
    """Splits a list at separators outside of brackets and strings."""
    parts, depth, start, quoted = [], 0, 0, False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in "([{" or (char == "<"):
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    rest = text[start:].strip()
    return [part.strip() for part in parts] + ([rest] if rest else [])


def balanced(text, start):
    """Returns the text between the parenthesis at `start` and its partner, and the place after it."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return text[start + 1 : at], at + 1
    raise ValueError("a parenthesis is open")


class Tensor:
    """A tensor of the signature: its shape, its type, and the place of each element in device memory."""

    def __init__(self, text):
        text = text.strip()
        match = re.match(r"tensor<((?:\d+x)*)(\w+)", text)
        self.text = text
        self.element = match.group(2)
        self.dtype = np.dtype(TYPES[self.element])
        self.resize(tuple(int(extent) for extent in match.group(1).split("x")[:-1]))

    def resize(self, shape):
        """Sets the shape, and the places of elements."""
        text = self.text
        self.shape = shape
        stick = 128 // self.dtype.itemsize
        start = text.find("#spyre.layout<")
        count = int(np.prod(self.shape, dtype=np.int64))
        points = np.indices(self.shape).reshape(len(self.shape), count)
        if start < 0:
            raise ValueError(f"{text} has no layout")
        coords, after = balanced(text, text.index("(", text.index("->", start)))
        names = {f"d{dim}": points[dim] for dim in range(len(self.shape))}
        coordinates = [self.evaluate(part, names, count) for part in split_top(coords)]
        sizes = [int(coordinate.max()) + 1 for coordinate in coordinates]
        sizes[-1] = stick
        stated = re.search(r"size = \[([\d, ]+)\]", text[after:])
        if stated:
            sizes = [int(size) for size in stated.group(1).split(",")]
        self.places = np.zeros(count, dtype=np.int64)
        for coordinate, size in zip(coordinates, sizes):
            self.places = self.places * size + coordinate
        self.elements = int(np.prod(sizes, dtype=np.int64))

    @staticmethod
    def evaluate(text, names, count):
        text = text.replace("floordiv", "//").replace(" mod ", " % ")
        value = eval(text, {"__builtins__": {}}, names)
        return np.broadcast_to(np.asarray(value, dtype=np.int64), (count,))

    def poison(self):
        value = np.nan if self.dtype.kind == "f" else 0x5A5A5A5A
        return np.full(self.elements, value, dtype=self.dtype)

    def to_device(self, array):
        device = self.poison()
        # Padding of inputs is not defined on the card; NaN would be found in every product over it.
        device[:] = 0
        device[self.places] = array.astype(self.dtype).ravel()
        return device

    def to_host(self, device):
        return device[self.places].reshape(self.shape)


def constant(text, tensor):
    """Returns the array of `dense<...>`."""
    payload = re.match(r"dense<(.*?)> : tensor", text, re.S).group(1)

    def number(word):
        word = word.strip()
        if word.startswith("0x"):
            bits = np.array([int(word, 16)], dtype=f"u{tensor.dtype.itemsize}")
            return bits.view(tensor.dtype)[0]
        return {"true": 1, "false": 0}.get(word) if word in ("true", "false") else float(word)

    if payload.startswith("["):
        words = payload.replace("[", "").replace("]", "").split(",")
        return np.array([number(word) for word in words], dtype=tensor.dtype).reshape(tensor.shape)
    return np.full(tensor.shape, number(payload), dtype=tensor.dtype)


def signature(planned):
    """Returns the arguments, each with its constant or None, and the results."""
    start = re.search(r"func\.func @[\w.$-]+\(", planned).end() - 1
    inputs, after = balanced(planned, start)
    arguments = []
    for argument in split_top(inputs):
        tensor = Tensor(argument.split(":", 1)[1])
        stated = re.search(r"spyre\.constant = (dense<.*?> : tensor)", argument, re.S)
        arguments.append((tensor, constant(stated.group(1), tensor) if stated else None))
    header = planned[after : planned.index("\n", after)]
    header = re.sub(r" attributes \{.*", "", header).rstrip(" {")
    results = header.split("->", 1)[1].strip()
    if results.startswith("("):
        results = balanced(results, 0)[0]
    return arguments, [Tensor(result) for result in split_top(results)]


def execute(kernels, arrays, sizes, tensors):
    """Runs the functions one after the other on the same memory: `tensors` inputs and results, then extents, then pools.
    Returns the arrays and the largest use of scratchpads."""
    peak = 0
    for interpreter, kernel, grid in kernels:
        names = interpreter.arg_names(kernel)
        count = len(arrays) + len(sizes)
        assert len(names) == count, f"{kernel} has {len(names)} arguments, {count} expected"
        given = arrays[:tensors] + sizes + arrays[tensors:]
        ran = set()
        original = interpreter._execute_op

        def watched(op, context, original=original, ran=ran):
            nonlocal peak
            ran.add(context.core_id)
            result = original(op, context)
            peak = max(peak, context.lx.used)
            return result

        interpreter._execute_op = watched
        try:
            out = interpreter.execute_function(kernel, **dict(zip(names, given)))
        finally:
            interpreter._execute_op = original
        assert ran == set(range(grid)), f"cores {sorted(ran)} of {grid} ran"
        count = len(interpreter.memory.hbm.memory)
        assert count == len(arrays), f"{count} arrays in memory, {len(arrays)} expected: a store missed them"
        addresses = names[:tensors] + names[tensors + len(sizes) :]
        arrays = [out[name] for name in addresses]
    return arrays, peak


def readable(text):
    """Returns a kernel in the spelling that the interpreter reads: each of several results has a name, and an empty line
    is before an operation without results, which it would take for a part of the operation before."""

    def names(match):
        return ", ".join(f"%{match.group(1)}_{number}" for number in range(int(match.group(2)))) + " ="

    text = re.sub(r"%(\w+):(\d+) =", names, text)
    text = re.sub(r"%(\w+)#(\d+)", r"%\1_\2", text)
    return re.sub(r"\n( *(?:scf|ktdp|linalg|return)\b)", r"\n\n\1", text)


def load(interpreter_class, function):
    """Returns an interpreter of one function, its name and its cores. Of a module with several functions, the interpreter
    would take the last body for all of them."""
    interpreter = interpreter_class()
    # The interpreter counts temporaries of its evaluation, which no plan has; the use is reported.
    interpreter._latency_config = types.SimpleNamespace(lx_size_mb=4096)
    interpreter.load(readable(f"module {{\n{function}\n}}\n"))
    name, grid = re.match(r"  func\.func @([\w.$-]+)\([^)]*\) attributes \{[^}]*?grid = \[(\d+)\]", function).groups()
    return interpreter, name, int(grid)


def main():
    folder_of_interpreter, planned, kernel, folder, expectations = sys.argv[1:6]
    tolerance = float(sys.argv[6]) if len(sys.argv) > 6 else 0.0
    # Attributes are sorted by name, and so are the extents of the kernel.
    sizes = [int(size.split("=")[1]) for size in sorted(sys.argv[7:])]
    sys.path.insert(0, folder_of_interpreter)
    warnings.filterwarnings("ignore")
    from ktir_cpu import KTIRInterpreter

    with open(planned) as file:
        arguments, results = signature(file.read())
    with open(kernel) as file:
        text = file.read()
    functions = re.findall(r"^  func\.func @.*?^  \}$", text, re.DOTALL | re.MULTILINE)
    pool_bytes = re.search(r"pool_bytes = (\d+)", text)
    buffer = io.StringIO()
    arrays, given = [], 0
    for tensor, value in arguments:
        if value is None:
            value = np.load(f"{folder}/input_{given}.npy")
            given += 1
            if value.shape != tensor.shape:
                tensor.resize(value.shape)
        arrays.append(tensor.to_device(value))
    inputs = [array.copy() for array in arrays]
    expected_results = [np.load(f"{expectations}/output_{number}.npy") for number in range(len(results))]
    for tensor, expected in zip(results, expected_results):
        if expected.shape != tensor.shape:
            tensor.resize(expected.shape)
    arrays += [tensor.poison() for tensor in results]
    with contextlib.redirect_stdout(buffer):
        try:
            kernels = [load(KTIRInterpreter, function) for function in functions]
            interpreter, name, _ = kernels[0]
            tensors = len(arrays)
            count = len(interpreter.arg_names(name)) - tensors - len(sizes)
            elements = re.search(r"pool_types = \[([\w, ]*)\]", text)
            kinds = elements.group(1).split(", ") if elements else ["f16"] * count
            for kind in kinds[:count]:
                dtype = np.dtype(TYPES[kind])
                size = int(pool_bytes.group(1)) // dtype.itemsize
                arrays.append(np.full(size, np.nan if dtype.kind == "f" else 0x5A5A5A5A, dtype=dtype))
            arrays, peak = execute(kernels, arrays, sizes, tensors)
        except Exception as error:
            lines = buffer.getvalue().strip().splitlines()
            print(*lines[:1], file=sys.stderr)
            raise error
    for number, (before, after) in enumerate(zip(inputs, arrays)):
        assert np.array_equal(before, after, equal_nan=True), f"input {number} has changed"
    worst = 0.0
    for number, (tensor, expected) in enumerate(zip(results, expected_results)):
        actual = tensor.to_host(arrays[len(arguments) + number]).astype(np.float64)
        expected = expected.astype(np.float64)
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
        error = np.where(same, 0.0, np.abs(actual - expected) / (1 + np.abs(expected)))
        error = float(np.nan_to_num(error, nan=np.inf).max(initial=0.0))
        worst = max(worst, error)
    launches = len(kernels)
    print(json.dumps({"error": worst, "cores": kernels[0][2], "launches": launches, "lx": peak}))
    if not worst <= tolerance:
        sys.exit(f"the largest error is {worst}, above {tolerance}")


if __name__ == "__main__":
    main()
