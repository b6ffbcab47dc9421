import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { FLOAT32 } from './element-types.ts';

/**
 * Converts only the rows of an int8 embedding table that a text uses: a lookup in a converted table becomes a lookup in the table
 * with its result converted. The numbers stay the same, and a run no longer converts the whole vocabulary. Modifies the graph; nodes
 * that nothing reads any more are left.
 */
export function dequantizeLate(graph: GraphProto): void {
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const made = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  graph.node = graph.node.flatMap((node) => {
    const table = made.get(node.input[0] ?? '');
    const conversion = isRowLookup(node) && table ? conversionOf(table, weights, made) : undefined;
    return conversion ? lookUpFirst(node, conversion) : [node];
  });
}

/** Nodes that convert a table of integers, in order. */
interface Conversion {
  readonly table: string;
  readonly nodes: readonly NodeProto[];
  /** A factor of each row, which is looked up with the rows; undefined if all rows have the same one. */
  readonly rowScale?: string;
}

function conversionOf(
  last: NodeProto,
  weights: ReadonlyMap<string, TensorProto>,
  made: ReadonlyMap<string, NodeProto>,
): Conversion | undefined {
  const [from = '', scale = ''] = last.input;
  const table = weights.get(from);
  if (last.opType === 'DequantizeLinear' && table) {
    return isOneNumber(weights.get(scale)) ? { table: from, nodes: [last] } : undefined;
  }
  if (last.opType !== 'Mul') return undefined;
  const cast = made.get(from);
  const [source = ''] = cast?.input ?? [];
  if (cast?.opType !== 'Cast' || castType(cast) !== FLOAT32 || !weights.has(source)) return undefined;
  const [factor, integers] = [weights.get(scale), weights.get(source)];
  if (isPerColumn(factor, integers)) return { table: source, nodes: [cast, last] };
  return isPerRow(factor, integers) ? { table: source, nodes: [cast, last], rowScale: scale } : undefined;
}

function lookUpFirst(lookup: NodeProto, { table, nodes, rowScale }: Conversion): NodeProto[] {
  const [, ids = ''] = lookup.input;
  const [result = ''] = lookup.output;
  let value = `${result}_rows`;
  const first = create(NodeProtoSchema, { ...lookup, input: [table, ids], output: [value] });
  const scaleOfRows = `${result}_scale`;
  const scales = rowScale
    ? [
        create(NodeProtoSchema, {
          ...lookup,
          name: `${lookup.name}_scale`,
          input: [rowScale, ids],
          output: [scaleOfRows],
        }),
      ]
    : [];
  const converted = nodes.map((node, at) => {
    const to = at === nodes.length - 1 ? result : `${result}_step_${at}`;
    const copy = create(NodeProtoSchema, {
      ...node,
      name: `${node.name}_of_${result}`,
      input: [value, ...node.input.slice(1).map((name) => (name === rowScale ? scaleOfRows : name))],
      output: [to],
    });
    value = to;
    return copy;
  });
  return [first, ...scales, ...converted];
}

/** A lookup along the first axis, which is the default. */
const isRowLookup = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'Gather' && attribute.every(({ name, i }) => name !== 'axis' || i === 0n);

const castType = ({ attribute }: NodeProto): number =>
  Number(attribute.find(({ name }) => name === 'to')?.i ?? 0n);

const isOneNumber = (tensor: TensorProto | undefined): boolean =>
  tensor !== undefined && tensor.dims.every((size) => size === 1n);

/** Whether a factor is the same for every row, so that it fits rows in any arrangement. */
function isPerColumn(factor: TensorProto | undefined, table: TensorProto | undefined): boolean {
  if (!factor || !table || factor.dims.length > table.dims.length) return false;
  const [rows] = factor.dims.length === table.dims.length ? factor.dims : [1n];
  return table.dims.length === 2 && rows === 1n;
}

/** Whether a factor is one number for each row. */
const isPerRow = (factor: TensorProto | undefined, table: TensorProto | undefined): boolean =>
  factor?.dims.length === 2 &&
  factor.dims[1] === 1n &&
  table?.dims.length === 2 &&
  factor.dims[0] === table.dims[0];
