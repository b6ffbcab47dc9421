"""quantize.py <model.onnx> <output.onnx>: ONNX Runtime's dynamic int8, one scale per output channel of the weights."""

import sys

from onnx import TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic

quantize_dynamic(
    sys.argv[1],
    sys.argv[2],
    weight_type=QuantType.QInt8,
    per_channel=True,
    # For graphs whose types cannot be inferred.
    extra_options={"DefaultTensorType": TensorProto.FLOAT},
)
