import { create } from '@bufbuild/protobuf';
import {
  DimensionProtoSchema,
  type GraphProto,
  NodeProtoSchema,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { int } from '#core/onnx/attributes.ts';
import { integerConstant } from '#core/onnx/constants.ts';

const START = 'start_logits';
const END = 'end_logits';
/** Keeps the text and token axes, and adds an axis. */
const SHAPE = [0, -1, 1];

/**
 * Joins the two outputs of an exported question answering model to one output with two values per
 * token, because the runtime reads one output. Modifies the graph; returns whether the graph had
 * these two outputs.
 */
export function joinAnswerOutputs(graph: GraphProto, name: string): boolean {
  const [start, end] = [START, END].map((wanted) => graph.output.find((output) => output.name === wanted));
  const tensor = start?.type?.tensorType;
  if (!tensor || !end || graph.output.some((output) => output.name === name)) return false;
  const shape = `${name}_shape`;
  graph.initializer.push(integerConstant(shape, SHAPE));
  for (const from of [START, END]) {
    graph.node.push(
      create(NodeProtoSchema, {
        opType: 'Reshape',
        name: `${from}_column`,
        input: [from, shape],
        output: [`${from}_column`],
      }),
    );
  }
  graph.node.push(
    create(NodeProtoSchema, {
      opType: 'Concat',
      name,
      input: [`${START}_column`, `${END}_column`],
      output: [name],
      attribute: [int('axis', 2)],
    }),
  );
  const dim = [...(tensor.shape?.dim ?? []), create(DimensionProtoSchema, { dimValue: 2n })];
  graph.output.push(
    create(ValueInfoProtoSchema, {
      name,
      type: { tensorType: { elemType: tensor.elemType, ...(tensor.shape ? { shape: { dim } } : {}) } },
    }),
  );
  return true;
}
