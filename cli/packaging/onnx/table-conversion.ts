import { create } from '@bufbuild/protobuf';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProtoSchema,
} from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { castNode } from './cast-node.ts';
import { FLOAT32 } from './element-types.ts';
import { intAttribute } from './int-attribute.ts';

/** Nodes that convert a table of integers, in order; each one reads the result of the one before. */
export interface TableConversion {
  readonly table: string;
  readonly nodes: readonly NodeProto[];
  /** Tensors with one row for each row of the table, which have to be looked up with its rows. */
  readonly perRow: readonly string[];
}

/** The graph by names. */
export interface GraphIndex {
  readonly graph: GraphProto;
  readonly weights: ReadonlyMap<string, TensorProto>;
  readonly made: ReadonlyMap<string, NodeProto>;
}

/**
 * Finds how a table is converted to floating-point numbers, given the last node. Undefined for anything that cannot be applied to single
 * rows as well. Can add tensors to the graph.
 */
export function findTableConversion(last: NodeProto, index: GraphIndex): TableConversion | undefined {
  if (last.opType === 'DequantizeLinear') return dequantization(last, index);
  return last.opType === 'Mul' ? multiplication(last, index) : undefined;
}

function multiplication(last: NodeProto, { weights, made }: GraphIndex): TableConversion | undefined {
  const [from = '', scale = ''] = last.input;
  const cast = made.get(from);
  const [source = ''] = cast?.input ?? [];
  if (cast?.opType !== 'Cast' || readInt(cast, 'to', 0) !== FLOAT32) return undefined;
  const [factor, integers] = [weights.get(scale), weights.get(source)];
  if (!factor || integers?.dims.length !== 2) return undefined;
  const nodes = [cast, last];
  if (isPerColumn(factor)) return { table: source, nodes, perRow: [] };
  const isPerRow = factor.dims.length === 2 && factor.dims[1] === 1n && factor.dims[0] === integers.dims[0];
  return isPerRow ? { table: source, nodes, perRow: [scale] } : undefined;
}

function dequantization(node: NodeProto, index: GraphIndex): TableConversion | undefined {
  const [table = '', scaleName = '', zeroName = ''] = node.input;
  const [integers, scale, zero] = [table, scaleName, zeroName].map((name) => index.weights.get(name));
  if (integers?.dims.length !== 2 || !scale || (zeroName !== '' && !zero)) return undefined;
  if (scale.dims.every((size) => size === 1n)) return { table, nodes: [node], perRow: [] };
  const axis = (readInt(node, 'axis', 1) + 2) % 2;
  const others = zeroName === '' ? [scaleName] : [scaleName, zeroName];
  if (axis === 1) {
    // The rows of a lookup have more axes than the table, so the last one is counted from the end.
    const perRow = scale.dims.length === 2 ? others : [];
    return { table, nodes: [withAxis(node, -1n)], perRow };
  }
  if (scale.dims.length !== 1) return undefined;
  return byRow(node, { table, scale, zero }, index.graph);
}

/** DequantizeLinear with a scale per row, as nodes that accept a scale for each row of a lookup. */
function byRow(
  { output: [result = ''] }: NodeProto,
  { table, scale, zero }: { table: string; scale: TensorProto; zero: TensorProto | undefined },
  graph: GraphProto,
): TableConversion {
  const column = (tensor: TensorProto): string => {
    const name = `${result}_${tensor.name}_column`;
    graph.initializer.push(create(TensorProtoSchema, { ...tensor, name, dims: [...tensor.dims, 1n] }));
    return name;
  };
  const type = scale.dataType;
  const [cast, difference] = [`${result}_cast`, `${result}_difference`];
  const nodes = [castNode(cast, table, cast, type)];
  const perRow = [column(scale)];
  if (zero) {
    const zeros = column(zero);
    perRow.push(zeros);
    nodes.push(
      castNode(`${zeros}_cast`, zeros, `${zeros}_cast`, type),
      operation('Sub', [cast, `${zeros}_cast`], difference),
    );
  }
  nodes.push(operation('Mul', [zero ? difference : cast, ...perRow.slice(0, 1)], result));
  return { table, nodes, perRow };
}

const operation = (opType: string, input: string[], name: string): NodeProto =>
  create(NodeProtoSchema, { opType, name, input, output: [name] });

const withAxis = (node: NodeProto, axis: bigint): NodeProto => {
  const others = node.attribute.filter(({ name }) => name !== 'axis');
  return create(NodeProtoSchema, { ...node, attribute: [...others, intAttribute('axis', axis)] });
};

const readInt = ({ attribute }: NodeProto, wanted: string, otherwise: number): number =>
  Number(attribute.find(({ name }) => name === wanted)?.i ?? otherwise);

/** Whether a factor is the same for every row, so that it fits rows in any arrangement. */
const isPerColumn = ({ dims }: TensorProto): boolean =>
  dims.length < 2 || (dims.length === 2 && dims[0] === 1n);
