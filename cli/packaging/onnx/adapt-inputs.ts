import { create } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import { type GraphProto, type NodeProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { castNode } from './cast-node.ts';
import { BOOL, INT64, isFloat, isInteger, typeName } from './element-types.ts';
import type { MatchedInput } from './matched-input.ts';
import { renameValue } from './rename-value.ts';

/**
 * Gives the inputs the names and the type that the runtime feeds: int64 under their usual names. An input of another type or name
 * gets a node that converts it. Modifies the graph, and returns one line per kind of change.
 */
export function adaptInputs(graph: GraphProto, inputs: readonly MatchedInput[], file: string): string[] {
  const changes: string[] = [];
  const nodes: NodeProto[] = [];
  for (const { name, value } of inputs) {
    const tensor = value.type?.tensorType;
    const type = tensor?.elemType ?? 0;
    checkType(name, type, file);
    if (value.name === name && type === INT64) continue;
    const own = value.name === name ? `${name}_converted` : value.name;
    renameValue(graph, name, own === value.name ? `${name}_inner` : own);
    nodes.push(
      type === INT64
        ? create(NodeProtoSchema, {
            opType: 'Identity',
            name: `${name}_as_${own}`,
            input: [name],
            output: [own],
          })
        : castNode(`${name}_to_${typeName(type)}`, name, own, type),
    );
    if (value.name !== name) changes.push(`Input ${value.name} is fed as ${name}`);
    if (type !== INT64) changes.push(`Input ${name} of ${typeName(type)} is cast from int64`);
    value.name = name;
    if (tensor) tensor.elemType = INT64;
  }
  graph.node = [...nodes, ...graph.node];
  return changes;
}

function checkType(name: string, type: number, file: string): void {
  if (isInteger(type)) return;
  // A mask of numbers is multiplied or added, and one of bool selects; ids of another type than integers are not ids.
  if (name === 'attention_mask' && (isFloat(type) || type === BOOL)) return;
  const rule = name === 'attention_mask' ? 'an integer, a floating-point type or bool' : 'int64 or int32';
  throw configError(
    `${file}: input \`${name}\` has type ${typeName(type)}, but ${rule} is required. Export the model again.`,
  );
}
