import { create } from '@bufbuild/protobuf';
import { type GraphProto, type NodeProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { isRowLookup } from './is-row-lookup.ts';
import { findTableConversion, type TableConversion } from './table-conversion.ts';

/**
 * Converts only the rows of an integer embedding table that a text uses: a lookup in a converted table becomes a lookup in the table
 * with its result converted. The numbers stay the same, and a run no longer converts the whole vocabulary. Other tables get the nodes
 * that convert them fastest. Modifies the graph; nodes that nothing reads any more are left.
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
