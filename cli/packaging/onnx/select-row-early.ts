import { create } from '@bufbuild/protobuf';
import { ROWS_INPUT } from '#contract/manifest.ts';
import {
  type AttributeProto,
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { int } from '#core/onnx/attributes.ts';
import { integerConstant } from '#core/onnx/constants.ts';
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
  const selection = new RowSelection(graph, (node, rules) => rules.selectsFirstRow(node));
  return apply(graph, selection, () => constantList(graph, [1]));
}

/**
 * Adds an input for the number of rows, counted from the first, that the output has for each text. The last layer is then
 * computed for these rows alone (docs/decisions/0203). Returns whether this saves work; if not, the graph is unchanged.
 */
export function selectRowsByInput(graph: GraphProto, output: string): boolean {
  const all = `${output}_of_all_rows`;
  const producer = graph.node.find((node) => node.output.includes(output));
  const dims = graph.output.find(({ name }) => name === output)?.type?.tensorType?.shape?.dim;
  if (!producer || !dims) return false;
  producer.output = producer.output.map((name) => (name === output ? all : name));
  const slice = sliceNode(all, output, ROWS_INPUT, graph);
  graph.node.splice(graph.node.indexOf(producer) + 1, 0, slice);
  const selection = new RowSelection(graph, (node) => node === slice);
  if (!apply(graph, selection, () => ROWS_INPUT)) {
    graph.node.splice(graph.node.indexOf(slice), 1);
    producer.output = producer.output.map((name) => (name === all ? output : name));
    // Also removes the constants of the Slice.
    dropUnusedNodes(graph);
    return false;
  }
  graph.input.push(listInput(ROWS_INPUT));
  const [, rows] = dims;
  if (rows) Object.assign(rows, { dimValue: 0n, dimParam: ROWS_INPUT });
  return true;
}

/** Changes a graph if this saves matrix products. `count` returns the name of the number of rows. */
function apply(graph: GraphProto, selection: RowSelection, count: () => string): boolean {
  const isWorthIt = selection.nodes.some(({ opType }) => opType === 'MatMul' || opType === 'Gemm');
  if (isWorthIt) {
    selection.apply(count());
    dropUnusedNodes(graph);
  }
  return isWorthIt;
}

/** The nodes of a graph of whose results only the first rows are needed. */
class RowSelection {
  readonly #graph: GraphProto;
  readonly #rules: RowRules;
  readonly #isStart: (node: NodeProto, rules: RowRules) => boolean;
  /** For each value, what its readers need. */
  readonly #needs = new Map<string, Need[]>();
  /** Nodes that compute the first rows, with the needs of their inputs, the last node first. */
  readonly #selected = new Map<NodeProto, Needs>();
  readonly #starts = new Set<NodeProto>();

  /** `isStart` returns whether a node selects the rows of a value of texts x rows x width. */
  constructor(graph: GraphProto, isStart: (node: NodeProto, rules: RowRules) => boolean) {
    this.#graph = graph;
    this.#rules = new RowRules(graph);
    this.#isStart = isStart;
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
    const needs = this.#isStart(node, this.#rules) ? this.#firstRows(node) : this.#ofSomeRows(node);
    if (needs) this.#selected.set(node, needs);
    for (const [at, name] of node.input.entries()) this.#need(name, needs?.[at] ?? 'all');
  }

  #need(name: string, need: Need): void {
    const needs = this.#needs.get(name);
    if (needs) needs.push(need);
    else this.#needs.set(name, [need]);
  }

  #firstRows(node: NodeProto): Needs {
    this.#starts.add(node);
    return [{ axis: 1, rank: 3 }];
  }

  /** The needs of a node if all readers of its result need the same rows; undefined if they need more. */
  #ofSomeRows(node: NodeProto): Needs | undefined {
    const [first, ...rest] = node.output.flatMap((name) => this.#needs.get(name) ?? []);
    if (first === undefined || first === 'all') return undefined;
    if (rest.some((need) => need === 'all' || !isSame(need, first))) return undefined;
    if (node.opType !== 'Split' && node.output.slice(1).some((name) => this.#needs.has(name)))
      return undefined;
    return this.#rules.needsOf(node, first);
  }

  /** Changes the graph. `count` is the name of a list with the number of rows. */
  apply(count: string): void {
    const nodes: NodeProto[] = [];
    const known = new Map<string, string>();
    for (const node of this.#graph.node) {
      const needs = this.#selected.get(node);
      if (needs) {
        for (const [at, name] of node.input.entries()) {
          const need = needs[at];
          if (need === undefined || need === 'all' || this.#isSelected(name)) continue;
          const key = `${name} ${need.axis ?? need.shape}`;
          const rows = known.get(key) ?? this.#selectRows(name, need, count, nodes);
          known.set(key, rows);
          node.input[at] = rows;
        }
        if (node.opType === 'Reshape' && !this.#starts.has(node))
          this.#shapeOfRows(node, needs[0], count, nodes);
      }
      nodes.push(node);
    }
    this.#graph.node = nodes;
  }

  /** Whether the node that computes a value now computes the first rows only. */
  #isSelected(name: string): boolean {
    const producer = this.#rules.producer(name);
    return producer !== undefined && this.#selected.has(producer) && !this.#starts.has(producer);
  }

  /** Adds nodes that select the first rows of a value, and returns the name of the result. */
  #selectRows(name: string, place: Place, count: string, nodes: NodeProto[]): string {
    if (place.axis !== undefined) {
      const selected = `${name}_first_rows_${place.axis}`;
      nodes.push(sliceNode(name, selected, count, this.#graph, place.axis));
      return selected;
    }
    const [separated, selected, joined] = [
      `${name}_by_text`,
      `${name}_first_rows`,
      `${name}_first_rows_joined`,
    ];
    nodes.push(
      nodeOf('Reshape', [name, place.shape], separated),
      sliceNode(separated, selected, count, this.#graph),
      nodeOf('Flatten', [selected], joined, int('axis', 2)),
    );
    return joined;
  }

  /** Replaces the shape of a Reshape whose input has become the first rows of each text. */
  #shapeOfRows(node: NodeProto, input: Need | undefined, count: string, nodes: NodeProto[]): void {
    if (input === undefined || input === 'all') return;
    const [value = '', shape = ''] = node.input;
    if (input.axis === undefined) {
      const [texts, width, ofRows] = ['texts', 'width', 'shape'].map((part) => `${node.output[0]}_${part}`);
      if (texts === undefined || width === undefined || ofRows === undefined) return;
      nodes.push(
        nodeOf('Gather', [shape, constantList(this.#graph, [0])], texts),
        nodeOf('Gather', [shape, constantList(this.#graph, [2])], width),
        nodeOf('Concat', [texts, count, width], ofRows, int('axis', 0)),
      );
      node.input = [value, ofRows];
    } else if (input.shape === undefined)
      node.input = [value, constantList(this.#graph, [0, 0, ...(this.#rules.tail(node) ?? [])])];
  }
}

const nodeOf = (opType: string, input: string[], output: string, ...attribute: AttributeProto[]): NodeProto =>
  create(NodeProtoSchema, { opType, name: output, input, output: [output], attribute });

/** Selects the first rows of a value. `count` is the name of a list with their number. */
const sliceNode = (from: string, to: string, count: string, graph: GraphProto, axis = 1): NodeProto =>
  nodeOf('Slice', [from, constantList(graph, [0]), count, constantList(graph, [axis])], to);

/** Adds a list of integers to the constants of a graph, and returns its name. */
function constantList(graph: GraphProto, values: readonly number[]): string {
  const name = `first_rows_list_${values.join('_')}`;
  if (!graph.initializer.some((tensor) => tensor.name === name))
    graph.initializer.push(integerConstant(name, values));
  return name;
}

/** An input that is a list with one integer. */
const listInput = (name: string): ValueInfoProto =>
  create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: INT64, shape: { dim: [{ dimValue: 1n }] } } },
  });
