import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { isRowLookup } from '#core/onnx/facts.ts';
import { castNode, int, readNumber } from '#core/onnx/attributes.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';

/**
 * Changes a graph so that a run only converts the rows of an integer embedding table that the texts
 * use, instead of the whole vocabulary: rows are looked up before they are converted. The results
 * stay the same. Other integer tables get the nodes that convert them fastest. Modifies the graph;
 * nodes that are no longer used remain in it.
 */
export function dequantizeLate(graph: GraphProto): void {
  const weights = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const made = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const conversions = new Map(
    graph.node.map((node) => [node, findTableConversion(node, { graph, weights, made })]),
  );
  graph.node = graph.node.flatMap((node) => {
    const last = made.get(node.input[0] ?? '');
    const lookedUp = isRowLookup(node) && last ? conversions.get(last) : undefined;
    if (lookedUp) return lookUpFirst(node, lookedUp);
    return node.opType === 'DequantizeLinear' ? (conversions.get(node)?.nodes ?? [node]) : [node];
  });
}

function lookUpFirst(lookup: NodeProto, { table, nodes, perRow }: TableConversion): NodeProto[] {
  const [, ids = ''] = lookup.input;
  const [result = ''] = lookup.output;
  const renamed = new Map<string, string>();
  const lookups = [table, ...perRow].map((name) => {
    const rows = `${result}_rows_of_${name}`;
    renamed.set(name, rows);
    return create(NodeProtoSchema, { ...lookup, name: rows, input: [name, ids], output: [rows] });
  });
  const converted = nodes.map((node, at) => {
    const [own = ''] = node.output;
    const input = node.input.map((name) => renamed.get(name) ?? name);
    const output = at === nodes.length - 1 ? result : `${result}_from_${own}`;
    renamed.set(own, output);
    return create(NodeProtoSchema, { ...node, name: output, input, output: [output] });
  });
  return [...lookups, ...converted];
}

/** The nodes that convert an integer table, in order. Each node reads the result of the previous one. */
interface TableConversion {
  readonly table: string;
  readonly nodes: readonly NodeProto[];
  /** Tensors with one row for each row of the table. Their rows must be looked up, too. */
  readonly perRow: readonly string[];
}

/** A graph, with its initializers and nodes by the names of their values. */
interface GraphIndex {
  readonly graph: GraphProto;
  readonly weights: ReadonlyMap<string, TensorProto>;
  readonly made: ReadonlyMap<string, NodeProto>;
}

/**
 * Returns how a table is converted to floating-point numbers, given the last node of the
 * conversion; undefined if single rows cannot be converted in the same way. Can add tensors to the
 * graph.
 */
function findTableConversion(last: NodeProto, index: GraphIndex): TableConversion | undefined {
  if (last.opType === 'DequantizeLinear') return dequantization(last, index);
  return last.opType === 'Mul' ? multiplication(last, index) : undefined;
}

function multiplication(last: NodeProto, { weights, made }: GraphIndex): TableConversion | undefined {
  const [from = '', scale = ''] = last.input;
  const cast = made.get(from);
  const [source = ''] = cast?.input ?? [];
  if (cast?.opType !== 'Cast' || readNumber(cast, 'to', 0) !== FLOAT32) return undefined;
  const [factor, integers] = [weights.get(scale), weights.get(source)];
  if (!factor || integers?.dims.length !== 2) return undefined;
  const nodes = [cast, last];
  if (isPerColumn(factor)) return { table: source, nodes, perRow: [] };
  const isPerRow = factor.dims.length === 2 && factor.dims[1] === 1n && factor.dims[0] === integers.dims[0];
  return isPerRow ? { table: source, nodes, perRow: [scale] } : undefined;
}

function dequantization(node: NodeProto, { graph, weights }: GraphIndex): TableConversion | undefined {
  const [table = '', scaleName = '', zeroName = ''] = node.input;
  const [integers, scale, zero] = [table, scaleName, zeroName].map((name) => weights.get(name));
  if (integers?.dims.length !== 2 || !EIGHT_BITS.has(integers.dataType)) return undefined;
  if (!scale || (zeroName !== '' && !zero)) return undefined;
  const axis = (readNumber(node, 'axis', 1) + 2) % 2;
  if (scale.dims.length < 2) return product(node, { table, scale, zero }, axis, graph);
  // This table has one scale per block of a row. The axis is counted from the end, because the
  // result of a lookup has more axes than the table.
  const perRow = zeroName === '' ? [scaleName] : [scaleName, zeroName];
  return axis === 1 ? { table, nodes: [withAxis(node, -1n)], perRow } : undefined;
}

/**
 * Replaces DequantizeLinear with simpler nodes, which accept a scale for each looked-up row and
 * take half the time.
 */
function product(
  { output: [result = ''] }: NodeProto,
  { table, scale, zero }: { table: string; scale: TensorProto; zero: TensorProto | undefined },
  axis: number,
  graph: GraphProto,
): TableConversion {
  const isPerRow = axis === 0 && scale.dims.some((size) => size !== 1n);
  const factor = (tensor: TensorProto): string => {
    if (!isPerRow) return tensor.name;
    const name = `${result}_${tensor.name}_column`;
    graph.initializer.push(create(TensorProtoSchema, { ...tensor, name, dims: [...tensor.dims, 1n] }));
    return name;
  };
  const factors = [scale, ...(zero ? [zero] : [])].map(factor);
  const [scales = '', zeros] = factors;
  const [cast, difference, castZeros] = [`${result}_cast`, `${result}_difference`, `${result}_zeros`];
  const minuend = castNode(cast, table, cast, scale.dataType);
  const subtraction =
    zeros === undefined
      ? []
      : [
          castNode(castZeros, zeros, castZeros, scale.dataType),
          operation('Sub', [cast, castZeros], difference),
        ];
  const last = operation('Mul', [zeros === undefined ? cast : difference, scales], result);
  return { table, nodes: [minuend, ...subtraction, last], perRow: isPerRow ? factors : [] };
}

/** uint8 and int8 by their number in TensorProto.DataType. */
const EIGHT_BITS = new Set([2, 3]);

const operation = (opType: string, input: string[], name: string): NodeProto =>
  create(NodeProtoSchema, { opType, name, input, output: [name] });

const withAxis = (node: NodeProto, axis: bigint): NodeProto => {
  const others = node.attribute.filter(({ name }) => name !== 'axis');
  return create(NodeProtoSchema, { ...node, attribute: [...others, int('axis', axis)] });
};

/** Whether a factor is the same for all rows, so that it can be applied to rows in any arrangement. */
const isPerColumn = ({ dims }: TensorProto): boolean =>
  dims.length < 2 || (dims.length === 2 && dims[0] === 1n);
