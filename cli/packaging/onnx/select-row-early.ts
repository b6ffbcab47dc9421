import { create } from '@bufbuild/protobuf';
import {
  type AttributeProto,
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { int } from '#core/onnx/attributes.ts';
import { INT64 } from '#core/onnx/element-types.ts';
import { dropUnusedNodes } from './keep-outputs.ts';
import { nestedGraphs } from './nested-nodes.ts';
import { isSame, type Need, type Needs, type Place, RowRules } from './row-rules.ts';

/**
 * Many models only use the first row of the last layer: the classifier reads the first token of each text. If a
 * graph selects this row at its end, it is selected before the last layer instead: its queries, the layers after
 * attention and the norms are then computed for one token of each text and not for all (docs/decisions/0193).
 * Returns whether the graph was changed.
 */
export function selectRowEarly(graph: GraphProto): boolean {
  const selection = new RowSelection(graph);
  const isWorthIt = selection.nodes.some(({ opType }) => opType === 'MatMul' || opType === 'Gemm');
  if (isWorthIt) {
    selection.apply();
    dropUnusedNodes(graph);
  }
  return isWorthIt;
}

/** The nodes of a graph of whose results only the first row is needed. */
class RowSelection {
  readonly #graph: GraphProto;
  readonly #rules: RowRules;
  /** For each value, what its readers need. */
  readonly #needs = new Map<string, Need[]>();
  /** Nodes that compute one row, with the needs of their inputs, the last node first. */
  readonly #selected = new Map<NodeProto, Needs>();
  readonly #starts = new Set<NodeProto>();

  constructor(graph: GraphProto) {
    this.#graph = graph;
    this.#rules = new RowRules(graph);
    for (const inner of nestedGraphs(graph)) {
      for (const { name } of inner.output) this.#need(name, 'all');
      if (inner !== graph)
        for (const { input } of inner.node) for (const name of input) this.#need(name, 'all');
    }
    // Nodes are in topological order, so all readers of a value are visited before the node that computes it.
    for (const node of graph.node.toReversed()) this.#visit(node);
  }

  get nodes(): NodeProto[] {
    return [...this.#selected.keys()];
  }

  #visit(node: NodeProto): void {
    const needs = this.#rules.selectsFirstRow(node) ? this.#firstRow(node) : this.#ofOneRow(node);
    if (needs) this.#selected.set(node, needs);
    for (const [at, name] of node.input.entries()) this.#need(name, needs?.[at] ?? 'all');
  }

  #need(name: string, need: Need): void {
    const needs = this.#needs.get(name);
    if (needs) needs.push(need);
    else this.#needs.set(name, [need]);
  }

  #firstRow(node: NodeProto): Needs {
    this.#starts.add(node);
    return [{ axis: 1, rank: 3 }, 'all'];
  }

  /** The needs of a node if all readers of its result need the same row; undefined if they need more. */
  #ofOneRow(node: NodeProto): Needs | undefined {
    const [first, ...rest] = node.output.flatMap((name) => this.#needs.get(name) ?? []);
    if (first === undefined || first === 'all') return undefined;
    if (rest.some((need) => need === 'all' || !isSame(need, first))) return undefined;
    if (node.opType !== 'Split' && node.output.slice(1).some((name) => this.#needs.has(name)))
      return undefined;
    return this.#rules.needsOf(node, first);
  }

  /** Changes the graph. */
  apply(): void {
    const nodes: NodeProto[] = [];
    const rows = new Map<string, string>();
    for (const node of this.#graph.node) {
      const needs = this.#selected.get(node);
      if (needs) {
        for (const [at, name] of node.input.entries()) {
          const need = needs[at];
          if (need === undefined || need === 'all' || this.#isOneRow(name)) continue;
          const key = `${name} ${need.axis ?? need.shape}`;
          const row = rows.get(key) ?? this.#selectRow(name, need, nodes);
          rows.set(key, row);
          node.input[at] = row;
        }
        if (node.opType === 'Reshape' && !this.#starts.has(node)) this.#shapeOfOneRow(node, needs[0]);
      }
      nodes.push(node);
    }
    this.#graph.node = nodes;
  }

  /** Whether the node that computes a value now computes one row. */
  #isOneRow(name: string): boolean {
    const producer = this.#rules.producer(name);
    return producer !== undefined && this.#selected.has(producer) && !this.#starts.has(producer);
  }

  /** Adds nodes that select the first row of a value, and returns the name of the result. */
  #selectRow(name: string, place: Place, nodes: NodeProto[]): string {
    const gather = (from: string, axis: number, index: string): string => {
      const result = `${name}_first_row_${axis}`;
      this.#add(nodes, 'Gather', [from, index], result, int('axis', axis));
      return result;
    };
    // A list as the index keeps the axis, with the size 1.
    if (place.axis !== undefined) return gather(name, place.axis, this.#constant([0]));
    const separated = `${name}_by_text`;
    this.#add(nodes, 'Reshape', [name, place.shape], separated);
    return gather(separated, 1, this.#constant([0], []));
  }

  #add(
    nodes: NodeProto[],
    opType: string,
    input: string[],
    output: string,
    ...attribute: AttributeProto[]
  ): void {
    nodes.push(create(NodeProtoSchema, { opType, name: output, input, output: [output], attribute }));
  }

  /** Replaces the shape of a Reshape whose input has become one row of each text. */
  #shapeOfOneRow(node: NodeProto, input: Need | undefined): void {
    if (input === undefined || input === 'all') return;
    const [value = ''] = node.input;
    if (input.axis === undefined) node.input = [value, this.#constant([0, 1, -1])];
    else if (input.shape === undefined)
      node.input = [value, this.#constant([0, 1, ...(this.#rules.tail(node) ?? [])])];
  }

  #constant(values: readonly number[], shape: readonly number[] = [values.length]): string {
    const name = `first_row_${shape.length === 0 ? 'index' : 'list'}_${values.join('_')}`;
    if (!this.#graph.initializer.some((tensor) => tensor.name === name)) {
      const rawData = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
      this.#graph.initializer.push(
        create(TensorProtoSchema, { name, dims: shape.map(BigInt), dataType: INT64, rawData }),
      );
    }
    return name;
  }
}
