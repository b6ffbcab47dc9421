import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type GraphProto,
  GraphProtoSchema,
  type ModelProto,
  ModelProtoSchema,
  type NodeProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { int, ints, readNumber } from './attributes.ts';
import { FLOAT32 } from './element-types.ts';
import { GraphAppender } from './graph-appender.ts';

/**
 * Rewrites a graph for GPUs: ONNX Runtime's fused attention does not support the mask of padding on
 * WebGPU, so it is replaced with operators that do (docs/decisions/0191). The weights, inputs and
 * outputs stay the same. Attention in a form that cannot be rewritten is kept.
 */
export function gpuGraph(bytes: Uint8Array): Uint8Array {
  const model = fromBinary(ModelProtoSchema, bytes);
  const { graph } = model;
  if (!graph?.node.some(isAttention)) return bytes;
  const { node: nodes } = graph;
  const rewritten = create(GraphProtoSchema, { initializer: graph.initializer });
  const writer = new AttentionWriter(model, rewritten);
  const shapes = new StatedShapes(graph);
  for (const node of nodes) {
    const parts = isAttention(node) ? attentionParts(node, shapes) : undefined;
    if (parts) writer.add(parts);
    else rewritten.node.push(node);
  }
  graph.node = rewritten.node;
  graph.initializer = rewritten.initializer;
  return toBinary(ModelProtoSchema, model);
}

const isAttention = ({ opType }: NodeProto): boolean => opType === 'MultiHeadAttention';

/** The parts of an attention operator whose inputs have one row per token. */
interface AttentionParts {
  readonly query: string;
  readonly key: string;
  readonly value: string;
  /** A mask with one integer per token, or empty. */
  readonly padding: string;
  /** Values to add to the scores, or empty. */
  readonly bias: string;
  readonly heads: number;
  /** The factor of the scores; undefined if it depends on a width that the graph does not state. */
  readonly scale: number | undefined;
  /** The value that is added to the scores of padding. */
  readonly masked: number;
  readonly isCausal: boolean;
  readonly output: string;
}

/** Undefined for forms that are not rewritten, for example with a cache of keys. */
function attentionParts(node: NodeProto, shapes: StatedShapes): AttentionParts | undefined {
  const [query = '', key = '', value = '', joinedBias = '', padding = '', bias = '', ...cache] = node.input;
  const [output = '', ...others] = node.output;
  const heads = readNumber(node, 'num_heads', 0);
  if (heads < 1 || key === '' || value === '' || joinedBias !== '') return undefined;
  if ([...cache, ...others].some((name) => name !== '')) return undefined;
  // A shape that the graph does not state is usually this one; otherwise, the results are rejected
  // when they are compared with those of the CPU.
  const hasUsualShapes = [query, key, value].every((rows) => shapes.hasAxes(rows, 3));
  if (!hasUsualShapes || !shapes.hasAxes(padding, 2)) return undefined;
  const width = shapes.width(query);
  const scale = readNumber(node, 'scale', width === undefined ? 0 : Math.sqrt(heads / width));
  return {
    query,
    key,
    value,
    padding,
    bias,
    heads,
    scale: scale === 0 ? undefined : scale,
    masked: readNumber(node, 'mask_filter_value', MASKED),
    isCausal: readNumber(node, 'unidirectional', 0) === 1,
    output,
  };
}

/** The operator's default. */
const MASKED = -10_000;
/** Later tokens are excluded, even if all other tokens are masked. */
const EXCLUDED = -1e30;

/** The shapes of values that a graph states. */
class StatedShapes {
  readonly #shapes = new Map<string, readonly number[]>();

  constructor({ input, valueInfo }: GraphProto) {
    for (const { name, type } of [...input, ...valueInfo]) {
      const axes = type?.tensorType?.shape?.dim;
      if (axes)
        this.#shapes.set(
          name,
          axes.map(({ dimValue }) => Number(dimValue)),
        );
    }
  }

  /** Whether a value has this number of axes, or an unknown number. */
  hasAxes(name: string, count: number): boolean {
    return (this.#shapes.get(name)?.length ?? count) === count;
  }

  /** The size of the last axis; undefined if it is unknown. */
  width(name: string): number | undefined {
    return this.#shapes.get(name)?.at(-1) || undefined;
  }
}

/** Writes attention with operators that each do one step. */
class AttentionWriter {
  readonly #graph: GraphProto;
  readonly #append: GraphAppender;
  /** Masks that several layers share, by their definition. */
  readonly #masks = new Map<string, string>();

  constructor(model: ModelProto, graph: GraphProto) {
    this.#graph = graph;
    this.#append = new GraphAppender(model, graph, 'gpu');
  }

  add({ query, key, value, heads, scale, output, ...masks }: AttentionParts): void {
    const append = this.#append;
    const part = (rows: string, ...perm: number[]): string =>
      append.op(
        'Transpose',
        [append.op('Reshape', [rows, append.integers([0, 0, heads, -1])])],
        ints('perm', perm),
      );
    const queries = part(query, 0, 2, 1, 3);
    const factor = scale === undefined ? this.#usualScale(queries) : append.float(scale);
    const scaled = append.op('Mul', [queries, factor]);
    let scores = append.op('MatMul', [scaled, part(key, 0, 2, 3, 1)]);
    for (const mask of this.#masksOf(masks, query, key)) scores = append.op('Add', [scores, mask]);
    const shares = append.op('Softmax', [scores], int('axis', -1));
    const mixed = append.op('MatMul', [shares, part(value, 0, 2, 1, 3)]);
    const byToken = append.op('Transpose', [mixed], ints('perm', [0, 2, 1, 3]));
    append.op('Reshape', [byToken, append.integers([0, 0, -1])]);
    const last = this.#graph.node.at(-1);
    if (last) last.output = [output];
  }

  /** One divided by the square root of the width of a head. */
  #usualScale(queries: string): string {
    const append = this.#append;
    const width = append.op('Gather', [append.op('Shape', [queries]), append.integers([3], [])]);
    const root = append.op('Sqrt', [append.op('Cast', [width], int('to', FLOAT32))]);
    return append.op('Div', [append.float(1), root]);
  }

  #masksOf(
    { padding, bias, masked, isCausal }: Pick<AttentionParts, 'padding' | 'bias' | 'masked' | 'isCausal'>,
    query: string,
    key: string,
  ): string[] {
    return [
      ...(bias === '' ? [] : [bias]),
      ...(padding === ''
        ? []
        : [this.#shared(`${padding} ${masked}`, () => this.#paddingMask(padding, masked))]),
      // All causal layers of an encoder read the same tokens.
      ...(isCausal ? [this.#shared('causal', () => this.#causalMask(query, key))] : []),
    ];
  }

  #shared(definition: string, write: () => string): string {
    const mask = this.#masks.get(definition) ?? write();
    this.#masks.set(definition, mask);
    return mask;
  }

  #paddingMask(padding: string, masked: number): string {
    const append = this.#append;
    const tokens = append.op('Cast', [padding], int('to', FLOAT32));
    const hidden = append.op('Sub', [append.float(1), tokens]);
    const added = append.op('Mul', [hidden, append.float(masked)]);
    return append.op('Reshape', [added, append.integers([0, 1, 1, -1])]);
  }

  #causalMask(query: string, key: string): string {
    const append = this.#append;
    const positions = (rows: string, shape: readonly number[]): string => {
      const sizes = append.op('Shape', [rows]);
      const count = append.op('Gather', [sizes, append.integers([1], [])]);
      const range = append.op('Range', [append.integers([0], []), count, append.integers([1], [])]);
      return append.op('Reshape', [range, append.integers(shape)]);
    };
    const isLater = append.op('Less', [positions(query, [-1, 1]), positions(key, [1, -1])]);
    const tokens = append.op('Cast', [isLater], int('to', FLOAT32));
    return append.op('Mul', [tokens, append.float(EXCLUDED)]);
  }
}
