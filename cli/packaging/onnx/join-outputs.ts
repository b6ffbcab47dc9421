import { create } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import {
  type GraphProto,
  NodeProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { int } from '#core/onnx/attributes.ts';
import { isFloat, typeName } from '#core/onnx/element-types.ts';
import { rankOf } from './select-output.ts';

/** The outputs that are joined have the shape batch x rows x values. */
const AXES = 3;

/**
 * Joins the values of outputs with the same rows to one output, so that a run returns all of them. Does nothing
 * if the graph already has the joined output. Modifies the graph.
 */
export function joinOutputs(graph: GraphProto, names: readonly string[], joined: string, file: string): void {
  if (graph.output.some((output) => output.name === joined)) return;
  const parts = names.map((name) => requireOutput(graph, name, names, file));
  const [type, ...others] = parts.map((output) => output.type?.tensorType?.elemType ?? 0);
  if (type === undefined || !isFloat(type) || others.some((other) => other !== type)) {
    throw configError(
      `The outputs ${listed(names)} of ${file} must have the same floating-point type, not ${[type ?? 0, ...others].map(typeName).join(' and ')}. Export the model to ONNX again.`,
    );
  }
  graph.node.push(
    create(NodeProtoSchema, {
      opType: 'Concat',
      name: joined,
      input: [...names],
      output: [joined],
      attribute: [int('axis', -1)],
    }),
  );
  graph.output.push(
    create(ValueInfoProtoSchema, {
      name: joined,
      type: {
        tensorType: { elemType: type, shape: { dim: Array.from({ length: AXES }, () => ({})) } },
      },
    }),
  );
}

function requireOutput(
  graph: GraphProto,
  name: string,
  all: readonly string[],
  file: string,
): ValueInfoProto {
  const output = graph.output.find((candidate) => candidate.name === name);
  if (output && (rankOf(output) ?? AXES) === AXES) return output;
  const found = graph.output.slice(0, SHOWN).map((one) => one.name);
  throw configError(
    `${file} must have the outputs ${listed(all)}, each of the shape [batch, queries, values]; its outputs are ${listed(found)}. Export the model to ONNX for object detection.`,
  );
}

const SHOWN = 6;

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
