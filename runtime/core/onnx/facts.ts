import type { GraphProto, ModelProto, TensorProto, NodeProto } from '#gen/onnx/v1/onnx_pb.ts';
import { ELEMENT_TYPES } from './element-types.ts';
import { least } from '#core/numbers/extremes.ts';

/** The ONNX opset version that a model uses; 0 if the model does not state it. */
export const opsetOf = ({ opsetImport }: ModelProto): number =>
  Number(opsetImport.find(({ domain }) => domain === '')?.version ?? 0n);

/** Returns the element type of the majority of the weights, by size in bytes. */
export function precisionOf(graph: GraphProto): string {
  const bytes = new Map<string, number>();
  for (const tensor of graph.initializer) {
    const type = ELEMENT_TYPES[tensor.dataType];
    if (type) bytes.set(type.name, (bytes.get(type.name) ?? 0) + (elements(tensor) * type.bits) / 8);
  }
  const [heaviest] = [...bytes].sort(([, a], [, b]) => b - a);
  return heaviest?.[0] ?? 'unknown';
}

/** Number of rows of the embedding table that this input indexes; undefined if the graph does not show it. */
export function embeddingRows(graph: GraphProto, idsName: string): number | undefined {
  const rows = lookedUpTables(graph, idsName).flatMap(({ dims: [size] }) =>
    size === undefined ? [] : [Number(size)],
  );
  return rows.length === 0 ? undefined : least(rows);
}

/** Returns the tables in which this input selects rows, directly or after a type conversion. */
export function lookedUpTables(graph: GraphProto, input: string): TensorProto[] {
  const casts = graph.node.filter((node) => node.opType === 'Cast' && node.input[0] === input);
  const ids = new Set([input, ...casts.flatMap(({ output }) => output)]);
  const lookups = graph.node.filter((node) => node.opType === 'Gather' && ids.has(node.input[1] ?? ''));
  return lookups.flatMap((node) => graph.initializer.filter((tensor) => tensor.name === node.input[0]));
}

const elements = (tensor: TensorProto): number =>
  tensor.dims.reduce((product, size) => product * Number(size), 1);

/** Whether a node looks up rows: it selects along the first axis, which is the default. */
export const isRowLookup = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'Gather' && attribute.every(({ name, i }) => name !== 'axis' || i === 0n);
