import { lookup } from '#core/values/lookup.ts';
import type { GraphProto, NodeProto, TensorProto } from '#gen/onnx/v1/onnx_pb.ts';
import { readNumber } from '#core/onnx/attributes.ts';
import { INT64 } from '#core/onnx/element-types.ts';
import { type RankOf, valueRanks } from './value-ranks.ts';

/**
 * Where the row of each text is in a value. `axis` is the axis of rows of a value whose first axis is that of texts.
 * Without it, the value has two axes, and the rows of all texts are one below the other; a Reshape to `shape`
 * separates texts.
 */
export type Place =
  | { readonly axis: number; readonly rank: number; readonly shape?: string | undefined }
  | { readonly axis?: undefined; readonly shape: string };

/** What a node needs of an input: the row at a place, or everything. */
export type Need = Place | 'all';

/** What a node needs of its inputs if only one row of its result is needed: the row at a place, or everything. */
export type Needs = readonly Need[];

/** Finds out what the nodes of a graph need of their inputs to compute the first row of each text alone. */
export class RowRules {
  readonly #rankOf: RankOf;
  readonly #initializers: ReadonlyMap<string, TensorProto>;
  readonly #producers: ReadonlyMap<string, NodeProto>;

  constructor(graph: GraphProto) {
    this.#rankOf = valueRanks(graph);
    this.#initializers = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
    this.#producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node])));
  }

  /** The node that computes a value; undefined for inputs and constants. */
  producer(name: string): NodeProto | undefined {
    return this.#producers.get(name);
  }

  /** Whether a node selects the first row of each text. */
  selectsFirstRow(node: NodeProto): boolean {
    if (node.opType !== 'Gather' || readNumber(node, 'axis', 0) !== 1) return false;
    const [data = '', index = ''] = node.input;
    return this.#rankOf(data) === 3 && this.#rankOf(index) === 0 && this.#integers(index)?.[0] === 0;
  }

  /** The needs of a node of whose results only the row at `place` is needed; undefined if it must compute all rows. */
  needsOf(node: NodeProto, place: Place): Needs | undefined {
    const needs = this.#ruleOf(node, place);
    return needs?.every((need, at) => this.#isAt(node.input[at] ?? '', need)) === true ? needs : undefined;
  }

  /** Whether a value has as many axes as its place requires, so that the row can be selected. */
  #isAt(name: string, need: Need): boolean {
    if (need === 'all') return true;
    return this.#rankOf(name) === (need.axis === undefined ? 2 : need.rank);
  }

  #ruleOf(node: NodeProto, place: Place): Needs | undefined {
    const rule = ROW_BY_ROW[node.opType];
    if (rule)
      return rule === 'unary'
        ? [place, ...node.input.slice(1).map(() => 'all' as const)]
        : this.#binary(node, place);
    switch (node.opType) {
      case 'LayerNormalization':
      case 'SimplifiedLayerNormalization':
      case 'Softmax':
      case 'Split':
        return this.#isLastAxis(node, place) ? [place, 'all', 'all'] : undefined;
      case 'MatMul':
      case 'FusedMatMul':
        return this.#product(node, place);
      case 'Gemm':
      case 'FusedGemm':
        return this.#gemm(node, place);
      case 'Transpose':
        return transposed(node, place);
      case 'Reshape':
        return this.#reshape(node, place);
      case 'RotaryEmbedding':
        return this.#rotary(node, place);
      case 'MultiHeadAttention':
        return this.#attention(node, place);
      default:
        return undefined;
    }
  }

  /** Constants of one axis apply to every row. */
  #binary({ input }: NodeProto, place: Place): Needs | undefined {
    const needs = input.map((name) => {
      const tensor = this.#initializers.get(name);
      if (!tensor) return place;
      return tensor.dims.length <= 1 ? 'all' : undefined;
    });
    return needs.every((need) => need !== undefined) ? needs : undefined;
  }

  #isLastAxis(node: NodeProto, place: Place): boolean {
    const last = (place.axis === undefined ? 2 : place.rank) - 1;
    const axis = readNumber(node, 'axis', node.opType === 'Split' ? 0 : -1);
    return (axis === -1 || axis === last) && place.axis !== last;
  }

  #product(node: NodeProto, place: Place): Needs | undefined {
    if (['transA', 'transBatchA', 'transBatchB'].some((name) => readNumber(node, name, 0) !== 0))
      return undefined;
    const [left = '', right = ''] = node.input;
    if (place.axis === undefined) return this.#rankOf(right) === 2 ? [place, 'all'] : undefined;
    const isRow = place.axis === place.rank - 2 || this.#rankOf(right) === 2;
    return isRow && place.axis < place.rank - 1 && this.#rankOf(left) === place.rank
      ? [place, 'all']
      : undefined;
  }

  #gemm(node: NodeProto, place: Place): Needs | undefined {
    const [, , bias] = node.input;
    const isWhole = bias === undefined || (this.#rankOf(bias) ?? 2) <= 1;
    return place.axis === undefined && isWhole && readNumber(node, 'transA', 0) === 0
      ? [place, 'all', 'all']
      : undefined;
  }

  #reshape(node: NodeProto, place: Place): Needs | undefined {
    const [value = '', shape = ''] = node.input;
    const rank = this.#rankOf(value);
    if (place.axis === undefined) {
      // The result of attention becomes one row per token of all texts.
      const [texts, width] = this.#integers(shape) ?? [];
      const isJoined = rank === 3 && texts === -1 && width !== undefined && this.#isAttention(value);
      return isJoined ? [{ axis: 1, rank: 3, shape: place.shape }, 'all'] : undefined;
    }
    if (place.axis !== 1) return undefined;
    if (rank === 2) return this.#separated(shape, place);
    return rank !== undefined && rank > 2 && this.#keepsRows(node) && this.#keepsTexts(node)
      ? [{ axis: 1, rank }, 'all']
      : undefined;
  }

  /** Rows of all texts become texts x rows: the first row of each text can be selected by this very shape. */
  #separated(
    shape: string,
    { rank, shape: wanted = shape }: Place & { readonly axis: number },
  ): Needs | undefined {
    const isShape = rank === 3 && shape === wanted && this.#producers.get(shape)?.opType === 'Concat';
    return isShape ? [{ shape }, 'all'] : undefined;
  }

  #isAttention(value: string): boolean {
    return this.#producers.get(value)?.opType === 'MultiHeadAttention';
  }

  /** The sizes after the axis of rows in the shape of a Reshape, if they are constants. */
  tail(node: NodeProto): readonly number[] | undefined {
    const tail = this.#sizes(node.input[1] ?? '')?.slice(2);
    return tail?.every((size): size is number => size !== undefined && size > 0) === true ? tail : undefined;
  }

  /** Whether a Reshape keeps the axis of rows: it copies its size, or each row keeps its number of values. */
  #keepsRows(node: NodeProto): boolean {
    const [value = '', shape = ''] = node.input;
    const tail = this.tail(node);
    if (!tail) return false;
    return this.#sizes(shape)?.[1] === 0 || this.#width(value, MAX_STEPS) === product(tail);
  }

  /** Number of values per text and row. */
  #width(value: string, steps: number): number | undefined {
    const node = this.#producers.get(value);
    if (!node || steps === 0) return undefined;
    const [first = '', second = ''] = node.input;
    const next = (name: string): number | undefined => this.#width(name, steps - 1);
    if (node.opType === 'Transpose') return next(first);
    if (node.opType === 'Reshape') {
      const tail = this.tail(node);
      return tail && product(tail);
    }
    if (node.opType === 'MatMul') {
      const weight = this.#initializers.get(second);
      return weight ? Number(weight.dims.at(-1)) : next(second);
    }
    if (!KEEPS_TEXTS.has(node.opType) || node.opType === 'Softmax' || node.opType === 'FusedMatMul')
      return undefined;
    const values = node.input.find((name) => !this.#initializers.has(name));
    return values === undefined ? undefined : next(values);
  }

  /** Whether the first axis, that of texts, is the same before and after a Reshape. */
  #keepsTexts(node: NodeProto): boolean {
    const [value = '', shape = ''] = node.input;
    const sizes = this.#sizes(shape);
    if (sizes?.[0] === 0) return true;
    const concat = this.#producers.get(shape);
    const source = concat?.opType === 'Concat' ? this.#sizeSource(concat.input[0] ?? '') : undefined;
    return source !== undefined && this.#sharesTexts(value, source, MAX_STEPS);
  }

  /** The value whose first size a shape begins with. */
  #sizeSource(part: string): string | undefined {
    const unsqueeze = this.#producers.get(part);
    const gather = this.#producers.get(unsqueeze?.input[0] ?? '');
    const shape = this.#producers.get(gather?.input[0] ?? '');
    const isFirst =
      unsqueeze?.opType === 'Unsqueeze' &&
      gather?.opType === 'Gather' &&
      shape?.opType === 'Shape' &&
      readNumber(shape, 'start', 0) === 0 &&
      this.#integers(gather.input[1] ?? '')?.[0] === 0;
    return isFirst ? shape.input[0] : undefined;
  }

  /** Whether `value` is computed from `source` by operators that keep the first axis. */
  #sharesTexts(value: string, source: string, steps: number): boolean {
    if (value === source) return true;
    const node = this.#producers.get(value);
    if (!node || steps === 0) return false;
    const isKept =
      KEEPS_TEXTS.has(node.opType) ||
      (node.opType === 'Transpose' && permutation(node)[0] === 0) ||
      (node.opType === 'Reshape' && this.#keepsTexts(node));
    const next = node.input.find((name) => !this.#initializers.has(name));
    return isKept && next !== undefined && this.#sharesTexts(next, source, steps - 1);
  }

  /** The first row has the position 0, with which all positions begin if their list is this one number. */
  #rotary({ input }: NodeProto, place: Place): Needs | undefined {
    const positions = this.#integers(input[1] ?? '');
    const startsAtZero = positions?.length === 1 && positions[0] === 0;
    return place.axis === 1 && place.rank === 3 && startsAtZero ? [place, 'all', 'all', 'all'] : undefined;
  }

  /** Attention of one query per text to all keys. Causal attention depends on the position of the query. */
  #attention(node: NodeProto, place: Place): Needs | undefined {
    const [query = '', key = '', value = '', ...others] = node.input;
    const [bias, mask, attentionBias, ...cache] = others;
    if (place.axis !== 1 || !key || !value || cache.some(Boolean) || bias) return undefined;
    if (readNumber(node, 'unidirectional', 0) !== 0 || this.#rankOf(query) !== 3) return undefined;
    if (mask && this.#rankOf(mask) !== 2) return undefined;
    const { shape } = place;
    if (shape !== undefined && this.#separatingShape(query) !== shape) return undefined;
    return [place, 'all', 'all', 'all', 'all', ...(attentionBias ? [{ axis: 2, rank: 4 } as const] : [])];
  }

  /** The shape that separated the texts of a value of attention. */
  #separatingShape(value: string): string | undefined {
    const node = this.#producers.get(value);
    if (node?.opType === 'RotaryEmbedding') return this.#separatingShape(node.input[0] ?? '');
    return node?.opType === 'Reshape' ? node.input[1] : undefined;
  }

  /** The numbers in a list that is a constant. */
  #integers(name: string): number[] | undefined {
    const tensor = this.#initializers.get(name);
    return tensor && integersIn(tensor);
  }

  /** The sizes in a shape, as far as they are constants. */
  #sizes(shape: string): readonly (number | undefined)[] | undefined {
    const constant = this.#integers(shape);
    if (constant) return constant;
    const node = this.#producers.get(shape);
    if (node?.opType !== 'Concat') return undefined;
    return node.input.flatMap((part) => this.#integers(part) ?? [undefined]);
  }
}

/** Maximum number of operators between a value and the value whose size its shape contains. */
const MAX_STEPS = 16;

/** Operators that compute each row from the same row of their first input, or of two inputs. */
const ROW_BY_ROW = lookup<'unary' | 'binary'>({
  Add: 'binary',
  BiasGelu: 'unary',
  Div: 'binary',
  Erf: 'unary',
  FastGelu: 'unary',
  Gelu: 'unary',
  Mul: 'binary',
  QuickGelu: 'unary',
  Relu: 'unary',
  Sigmoid: 'unary',
  Sub: 'binary',
  Tanh: 'unary',
});

/** Operators whose result has the first axis of their first input that is not a constant. */
const KEEPS_TEXTS = new Set([
  ...Object.keys(ROW_BY_ROW),
  'FusedMatMul',
  'LayerNormalization',
  'MatMul',
  'SimplifiedLayerNormalization',
  'Softmax',
]);

const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

const permutation = (node: NodeProto): number[] =>
  node.attribute.find(({ name }) => name === 'perm')?.ints.map(Number) ?? [];

function transposed(node: NodeProto, place: Place): Needs | undefined {
  const perm = permutation(node);
  const axis = place.axis === undefined ? undefined : perm[place.axis];
  return axis === undefined || place.axis === undefined ? undefined : [{ axis, rank: place.rank }];
}

function integersIn({ dataType, rawData, dims }: TensorProto): number[] | undefined {
  const count = dims.reduce((product, size) => product * Number(size), 1);
  if (dataType !== INT64 || rawData.length !== count * BigInt64Array.BYTES_PER_ELEMENT) return undefined;
  return Array.from(new BigInt64Array(Uint8Array.from(rawData).buffer), Number);
}

export const isSame = (a: Place, b: Place): boolean => a.axis === b.axis && a.shape === b.shape;
