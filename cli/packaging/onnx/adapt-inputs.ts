import { create } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { type GraphProto, type NodeProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { castNode } from '#core/onnx/attributes.ts';
import { BOOL, INT64, isFloat, isInteger, typeName } from '#core/onnx/element-types.ts';
import type { MatchedInput } from './match-inputs.ts';
import { renameValue } from './nested-nodes.ts';

/**
 * Changes the inputs to the names and types of the tensors that the runtime passes: the standard
 * names, and int64. If an input has another type or name, a node that converts it is added.
 * Modifies the graph, and returns one line per kind of change.
 */
export function adaptInputs(graph: GraphProto, inputs: readonly MatchedInput[], file: string): string[] {
  const changes: string[] = [];
  const nodes: NodeProto[] = [];
  for (const input of inputs) {
    const { name, value } = input;
    const type = typeOf(input);
    checkType(name, type, file);
    if (value.name !== name) changes.push(`Input ${value.name} is mapped to ${name}`);
    if (type !== INT64) {
      changes.push(`Input ${name} is cast from int64 to ${typeName(type)}`);
      nodes.push(castInput(graph, input));
    } else if (value.name !== name) nodes.push(renameInput(graph, input));
  }
  graph.node = [...nodes, ...graph.node];
  return changes;
}

/** `ids` becomes `input_ids`: input_ids -> Identity -> ids -> the nodes that read it. */
function renameInput(graph: GraphProto, { name, value }: MatchedInput): NodeProto {
  const own = value.name;
  freeName(graph, name);
  value.name = name;
  return create(NodeProtoSchema, {
    opType: 'Identity',
    name: `${name}_as_${own}`,
    input: [name],
    output: [own],
  });
}

/** `input_ids` of int32 becomes int64: input_ids -> Cast -> input_ids_converted, or its other name -> the nodes that read it. */
function castInput(graph: GraphProto, input: MatchedInput): NodeProto {
  const { name, value } = input;
  const type = typeOf(input);
  const own = value.name === name ? `${name}_converted` : value.name;
  if (own === value.name) freeName(graph, name);
  else renameValue(graph, name, own);
  value.name = name;
  const tensor = value.type?.tensorType;
  if (tensor) tensor.elemType = INT64;
  return castNode(`${name}_to_${typeName(type)}`, name, own, type);
}

/** Renames another value in the graph that already has the input's new name. */
const freeName = (graph: GraphProto, name: string): void => renameValue(graph, name, `${name}_inner`);

const typeOf = ({ value }: MatchedInput): number => value.type?.tensorType?.elemType ?? 0;

function checkType(name: string, type: number, file: string): void {
  if (isInteger(type)) return;
  // A mask can also be a float or bool, because graphs multiply, add or select with it; token ids
  // must be integers.
  if (name === 'attention_mask' && (isFloat(type) || type === BOOL)) return;
  const rule = name === 'attention_mask' ? 'an integer, a floating-point type or bool' : 'int64 or int32';
  throw configError(
    `${file}: input \`${name}\` has type ${typeName(type)}, but ${rule} is required. Export the model again.`,
  );
}
