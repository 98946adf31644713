"""Tests of the differences of two bundles, in words."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

import spyre_mlir
from native import ROOT, needs_native
from spyre_mlir.difference import differences


def sdsc(number: int, name: str, cores: int = 32, place: str = "lx", address: str = "0", **fields: Any) -> bytes:
    """Returns the parts of a file that differences are of."""
    node = {
        "nodeType_": "allocate", "ldsIdx_": 0, "component_": place, "layoutDimOrder_": ["mb", "out"],
        "startAddressCoreCorelet_": {"data_": {"[0, 0, 0]": address}},
    }  # fmt: skip
    if place == "hbm":
        node["isStartAddrSymbolic_"] = 1
    dsc = {
        "N_": {"name_": "n", "mb_": 64},
        "scheduleTree_": [node],
        "labeledDs_": [{"ldsIdx_": 0, "dataFormat_": "SEN169_FP16"}],
    }
    root = {"numCoresUsed_": cores, "numWkSlicesPerDim_": {"mb": cores}, "dscs_": [{name: {**dsc, **fields}}]}
    return json.dumps({f"{number}_{name}": root}).encode()


class Words(unittest.TestCase):
    def compare(self, first: list[bytes], second: list[bytes], loops: tuple[int, int] = (4, 4)) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, (files, count) in enumerate(zip((first, second), loops, strict=True)):
                path = Path(folder, str(number))
                path.mkdir()
                lines = [f"%bound = arith.constant {count} : index", "%one = arith.constant 1 : index"]
                lines.append("scf.for %i = %zero to %bound step %one {")
                for file, data in enumerate(files):
                    (path / f"sdsc_{file}.json").write_bytes(data)
                    lines.append(f'sdscbundle.sdsc_execute () {{sdsc_filename="sdsc_{file}.json"}}')
                (path / "bundle.mlir").write_text("\n".join([*lines, "}"]))
                paths.append(path)
            return differences(*paths)

    def test_equal_bundles_have_none(self) -> None:
        self.assertEqual(self.compare([sdsc(0, "add")], [sdsc(0, "add")]), [])

    def test_the_division_and_the_loops(self) -> None:
        self.assertEqual(
            self.compare([sdsc(0, "mul", 32)], [sdsc(0, "mul", 16)], (4, 8)),
            ["sdsc_0 mul: loops 4 -> 8", "sdsc_0 mul: cores along mb 32 -> 16"],
        )

    def test_places_and_addresses_of_tensors(self) -> None:
        self.assertEqual(
            self.compare([sdsc(0, "mul", place="hbm", address="-1")], [sdsc(0, "mul", address="2048")]),
            ["sdsc_0 mul: Tensor0 in hbm -> lx at 2048"],
        )

    def test_numbers_of_symbols_are_no_difference(self) -> None:
        first, second = (sdsc(0, "mul", place="hbm", address=symbol) for symbol in ("-1", "-7"))
        self.assertEqual(self.compare([first], [second]), [])

    def test_an_added_operation_does_not_shift_the_others(self) -> None:
        first = [sdsc(0, "add"), sdsc(1, "mul", 32)]
        second = [sdsc(0, "add"), sdsc(1, "relufwd"), sdsc(2, "mul", 8)]
        self.assertEqual(
            self.compare(first, second), ["sdsc_1 relufwd: added", "sdsc_1 mul (sdsc_2): cores along mb 32 -> 8"]
        )
        self.assertEqual(self.compare([sdsc(0, "add")], [sdsc(0, "sub")]), ["sdsc_0: add -> sub"])

    def test_other_fields_are_named_by_their_place(self) -> None:
        self.assertEqual(
            self.compare([sdsc(0, "add", fidelity="a")], [sdsc(0, "add", fidelity="b")]),
            ['sdsc_0 add: /dscs_/0/add/fidelity "a" -> "b"'],
        )

    def test_what_is_no_bundle(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(FileNotFoundError, "it is no bundle"):
            differences(folder, folder)

    @needs_native
    def test_programs_of_host_and_device(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = (ROOT / "examples" / "host.mlir").read_text()
            paths = []
            for name, program in (("a", text), ("b", text.replace("math.tanh", "math.exp"))):
                paths.append(spyre_mlir.compile(program, name="host").save(Path(folder, name)))
            self.assertIn("angle_device_0: sdsc_1: tanh -> exp", differences(*paths))
            self.assertEqual(differences(paths[0], paths[0]), [])


if __name__ == "__main__":
    unittest.main()
