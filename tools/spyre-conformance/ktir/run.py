"""Runs kernels of KTIR on the interpreter ktir-cpu and compares the results with arrays.

    python run.py KTIR_CPU PLANNED.mlir KERNEL.mlir FOLDER EXPECTED [TOLERANCE [NAME=EXTENT ...]]
    python run.py KTIR_CPU --serve TOLERANCE

KTIR_CPU is a checkout of the interpreter. PLANNED.mlir is the planned program, printed with --mlir-print-local-scope:
its signature has the layouts. KERNEL.mlir is the result of --convert-spyre-to-ktir. FOLDER has input_0.npy and so on,
the arguments without a constant in order, and output_0.npy and so on in EXPECTED, the expected results. Extents of
dynamic dimensions are arguments of the kernel after the results, in the order of their names; arrays have the extents,
and not the room that PLANNED.mlir has for the largest ones.

The kernel runs twice: cores from the first one on, where results and pools start as NaN, and from the last one on,
where they start as numbers, so that an element that should be NaN has to be stored. After each run, inputs must be as
before, no memory may have been allocated, and each core must have run. Both runs must have the same results, bit for
bit. The last line is a JSON object with the largest error, |a - b| / (1 + |b|), and whether all bits are equal.

With --serve, each line of the standard input is an object with a `folder` that has planned.mlir, kernel.mlir, and the
arrays. Each is answered by a line: an object as above, or one with `failed`, the kind of the failure, and `message`.
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

    def to_device(self, array):
        # Padding of inputs is not defined on the card; NaN would be found in every product over it.
        device = np.zeros(self.elements, dtype=self.dtype)
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


class Failure(Exception):
    """A kernel that does not run as it has to: a kind, which has no numbers, and details."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


def require(condition, kind, message):
    if not condition:
        raise Failure(kind, message)


def undefined(elements, dtype, is_reversed):
    """Returns memory before the first store."""
    if dtype.kind == "f":
        value = -173.0 if is_reversed else np.nan
    else:
        value = 0x25252525 if is_reversed else 0x5A5A5A5A
    return np.full(elements, value, dtype=dtype)


def readable(text):
    """Returns a kernel in the spelling that the interpreter reads: each of several results has a name, and an empty
    line is before an operation without results, which it would take for a part of the operation before."""

    def names(match):
        return ", ".join(f"%{match.group(1)}_{number}" for number in range(int(match.group(2)))) + " ="

    text = re.sub(r"%(\w+):(\d+) =", names, text)
    text = re.sub(r"%(\w+)#(\d+)", r"%\1_\2", text)
    return re.sub(r"\n( *(?:scf|ktdp|linalg|return)\b)", r"\n\n\1", text)


class Launch:
    """An interpreter of one function. Of a module with several functions, the interpreter would take the last body for
    all of them."""

    def __init__(self, interpreter_class, function):
        self.interpreter = interpreter_class()
        # The interpreter counts temporaries of its evaluation, which no plan has; the use is reported.
        self.interpreter._latency_config = types.SimpleNamespace(lx_size_mb=4096)
        self.interpreter.load(readable(f"module {{\n{function}\n}}\n"))
        header = r"  func\.func @([\w.$-]+)\([^)]*\) attributes \{[^}]*?grid = \[(\d+)\]"
        self.name, grid = re.match(header, function).groups()
        self.grid = int(grid)
        self.names = self.interpreter.arg_names(self.name)
        self.execute_op = self.interpreter._execute_op
        self.prepare = self.interpreter._prepare_execution

    def run(self, given, is_reversed):
        """Runs the function on arguments, by name. Returns the memory after the run, and the largest use of a
        scratchpad."""
        ran, peak = set(), 0

        def watched(op, context):
            nonlocal peak
            ran.add(context.core_id)
            result = self.execute_op(op, context)
            peak = max(peak, context.lx.used)
            return result

        def prepared(grid):
            self.prepare(grid)
            if is_reversed:
                self.interpreter.grid_executor.cores.reverse()

        self.interpreter._execute_op = watched
        self.interpreter._prepare_execution = prepared
        after = self.interpreter.execute_function(self.name, **given)
        require(ran == set(range(self.grid)), "cores", f"{sorted(ran)} of {self.grid} ran")
        arrays = sum(isinstance(value, np.ndarray) for value in given.values())
        count = len(self.interpreter.memory.hbm.memory)
        require(count == arrays, "a store missed", f"{count} arrays in memory, {arrays} expected")
        return after, peak


class Kernel:
    """A program as the launches of a kernel, and the tensors of its signature."""

    def __init__(self, interpreter_class, planned, text):
        self.arguments, self.results = signature(planned)
        functions = re.findall(r"^  func\.func @.*?^  \}$", text, re.DOTALL | re.MULTILINE)
        self.launches = [Launch(interpreter_class, function) for function in functions]
        stated = re.search(r"pool_types = \[([\w, ]*)\]", text)
        bytes_of_pool = re.search(r"pool_bytes = (\d+)", text)
        self.pools = []
        for kind in stated.group(1).split(", ") if stated else []:
            dtype = np.dtype(TYPES[kind])
            self.pools.append((int(bytes_of_pool.group(1)) // dtype.itemsize, dtype))

    def run(self, inputs, sizes, is_reversed):
        """Runs the launches one after the other on the same memory. Returns the results, and the largest use of a
        scratchpad."""
        tensors = inputs + [undefined(result.elements, result.dtype, is_reversed) for result in self.results]
        pools = [undefined(elements, dtype, is_reversed) for elements, dtype in self.pools]
        memory, peak = tensors + sizes + pools, 0
        for launch in self.launches:
            require(len(launch.names) == len(memory), "arguments", f"{len(launch.names)}, {len(memory)} expected")
            after, use = launch.run(dict(zip(launch.names, memory)), is_reversed)
            memory = [after.get(name, value) for name, value in zip(launch.names, memory)]
            peak = max(peak, use)
        for number, (before, now) in enumerate(zip(inputs, memory)):
            require(bits(before) == bits(now), "an input has changed", f"input {number}")
        stored = memory[len(inputs) :]
        return [result.to_host(array) for result, array in zip(self.results, stored)], peak


def bits(array):
    """Returns the bytes of an array; all NaNs have the same ones."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, dtype=array.dtype), array)
    return array.tobytes()


def errors(actual, expected):
    """Returns the error of each element; infinite where only one of both is a number."""
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    return np.nan_to_num(np.where(same, 0.0, np.abs(actual - expected) / (1 + np.abs(expected))), nan=np.inf)


def difference(actual, expected):
    """Returns the element with the largest error as text."""
    wrong = errors(actual, expected)
    place = tuple(int(coordinate) for coordinate in np.unravel_index(int(wrong.argmax()), wrong.shape))
    numbers = f"{actual[place]}, {expected[place]} expected"
    return f"{np.count_nonzero(wrong)} of {wrong.size} elements differ, the most {list(place)}: {numbers}"


def compared(interpreter_class, planned, kernel, folders, tolerance, sizes=()):
    """Runs a kernel in both orders of cores and compares the results. `planned` and `kernel` are files, `folders` those
    of the inputs and of the expected results, `sizes` the extents. Returns the summary."""
    with open(planned) as file:
        planned = file.read()
    with open(kernel) as file:
        text = file.read()
    kernel = Kernel(interpreter_class, planned, text)
    inputs, given = [], 0
    for tensor, value in kernel.arguments:
        if value is None:
            value = np.load(f"{folders[0]}/input_{given}.npy")
            given += 1
            if value.shape != tensor.shape:
                tensor.resize(value.shape)
        inputs.append(tensor.to_device(value))
    expected_results = []
    for number, tensor in enumerate(kernel.results):
        expected = np.load(f"{folders[1]}/output_{number}.npy")
        if expected.shape != tensor.shape:
            tensor.resize(expected.shape)
        expected_results.append(expected)
    results, peak = kernel.run(inputs, list(sizes), is_reversed=False)
    worst, is_equal = 0.0, True
    for number, (actual, expected) in enumerate(zip(results, expected_results)):
        worst = max(worst, float(errors(actual, expected).max(initial=0.0)))
        is_equal = is_equal and bits(actual) == bits(expected)
        require(worst <= tolerance, "differs", f"result {number}: {difference(actual, expected)}")
    others, _ = kernel.run(inputs, list(sizes), is_reversed=True)
    for number, (actual, other) in enumerate(zip(results, others)):
        require(bits(actual) == bits(other), "order of cores", f"result {number}: {difference(other, actual)}")
    launches = kernel.launches
    return {
        "error": worst,
        "equal": is_equal,
        "cores": launches[0].grid,
        "launches": len(launches),
        "lx": peak,
    }


def guarded(run):
    """Returns the summary of a run. Errors of the interpreter are failures by the operation, which it prints."""
    buffer = io.StringIO()
    try:
        with contextlib.redirect_stdout(buffer):
            return run()
    except Failure:
        raise
    except Exception as err:
        # The innermost operation is the first one printed.
        printed = re.match(r"Error executing (\S+) on core \d+: ", buffer.getvalue())
        kind = f"{type(err).__name__} in {printed.group(1) if printed else 'the interpreter'}"
        raise Failure(kind, str(err)) from err


def serve(interpreter_class, tolerance):
    """Answers the requests of the standard input."""
    for line in sys.stdin:
        folder = json.loads(line)["folder"]
        try:
            answer = guarded(
                lambda: compared(
                    interpreter_class, f"{folder}/planned.mlir", f"{folder}/kernel.mlir", [folder, folder], tolerance
                )
            )
        except Failure as failure:
            answer = {"failed": failure.kind, "message": failure.message}
        print(json.dumps(answer), flush=True)


def main():
    folder_of_interpreter = sys.argv[1]
    sys.path.insert(0, folder_of_interpreter)
    warnings.filterwarnings("ignore")
    from ktir_cpu import KTIRInterpreter

    if sys.argv[2] == "--serve":
        return serve(KTIRInterpreter, float(sys.argv[3]))
    planned, kernel, folder, expectations = sys.argv[2:6]
    tolerance = float(sys.argv[6]) if len(sys.argv) > 6 else 0.0
    # Attributes are sorted by name, and so are the extents of the kernel.
    sizes = [int(size.split("=")[1]) for size in sorted(sys.argv[7:])]
    folders = [folder, expectations]
    try:
        summary = guarded(lambda: compared(KTIRInterpreter, planned, kernel, folders, tolerance, sizes))
    except Failure as failure:
        sys.exit(str(failure))
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
