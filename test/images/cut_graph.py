"""cut_graph.py: writes the part of an ONNX graph between its input and another value, as the output last_hidden_state.

Arguments: the graph, the node whose first input is the value, and the file to write.
"""

import sys

import onnx

source, node, target = sys.argv[1:]
graph = onnx.load(source).graph
(value,) = [one.input[0] for one in graph.node if one.name == node]
onnx.utils.extract_model(source, target, [graph.input[0].name], [value], check_model=False)
model = onnx.load(target)
for one in model.graph.node:
    one.output[:] = ["last_hidden_state" if name == value else name for name in one.output]
    one.input[:] = ["last_hidden_state" if name == value else name for name in one.input]
axes = ["batch", "positions", "values"]
shape = onnx.helper.make_tensor_value_info("last_hidden_state", onnx.TensorProto.FLOAT, axes)
del model.graph.output[:]
model.graph.output.append(shape)
onnx.save(model, target)
