import { lookup } from '#core/values/lookup.ts';
import { needsExport } from '../exports/needs-export.ts';
import { FLOAT32 } from '#core/onnx/element-types.ts';
import { float, int, ints } from '#core/onnx/attributes.ts';
import type { ConfigReader } from './config-reader.ts';
import { GraphWriter, type Value } from './graph-writer.ts';
import type { Weights } from './weights.ts';

const INT32 = 6;

/** Added to the scores of tokens that are not attended to. The lowest float32 would overflow in sums. */
export const MASKED = -1e30;

/** How a layer's attention differs from standard attention. */
export interface AttentionOptions {
  /** Bias for the scores: 1 or texts x 1 or heads x length x length. */
  readonly bias?: Value | undefined;
  /** Factor for the scores. Default: 1 / sqrt(head width). */
  readonly scale?: number;
  /** Whether a token attends only to itself and earlier tokens. */
  readonly isCausal?: boolean;
  /** The limit that scores approach, before the bias is added. Default: none. */
  readonly softCap?: number | undefined;
}

/**
 * The building blocks of encoders. Hidden states are a matrix with one row for each token of all
 * texts. With this shape, ONNX Runtime does not fuse residual and norm into SkipLayerNormalization,
 * which is several times slower on CPUs.
 */
export class EncoderGraph {
  readonly weights: Weights;
  readonly config: ConfigReader;
  readonly writer: GraphWriter;
  /** Whether the adapters of tasks are part of the graph. */
  readonly hasAdapters: boolean = false;
  /** Whether some rows are padding, which no token attends to. */
  readonly hasPadding: boolean = true;

  constructor(weights: Weights, config: ConfigReader, writer = new GraphWriter()) {
    this.weights = weights;
    this.config = config;
    this.writer = writer;
  }

  /** Another encoder in the same graph. The names of its inputs get a prefix. */
  part(weightPrefix: string, config: ConfigReader, namePrefix: string): EncoderGraph {
    return new EncoderGraph(this.weights.part(weightPrefix), config, this.writer.part(namePrefix));
  }

  weight(name: string): Value {
    return this.writer.weight(name, this.weights.get(name));
  }

  hasWeight(name: string): boolean {
    return this.weights.has(name);
  }

  get inputIds(): Value {
    return this.writer.input('input_ids');
  }

  /** 1 for each token and 0 for padding, texts x length. */
  get mask(): Value {
    return this.writer.input('attention_mask');
  }

  /** Number of tokens in the longest text, as a list with one number. */
  get length(): Value {
    return this.writer.once('length', () =>
      this.writer.op('Shape', [this.inputIds], int('start', 1), int('end', 2)),
    );
  }

  /** Converts rows to texts x length x width. */
  byText(rows: Value): Value {
    return this.writer.op('Reshape', [rows, this.textShape]);
  }

  /** Number of texts, their length, and -1, as a list. */
  protected get textShape(): Value {
    const { writer } = this;
    return writer.once('shape of texts', () =>
      writer.op('Concat', [writer.op('Shape', [this.inputIds]), writer.integers([-1])], int('axis', 0)),
    );
  }

  /** Converts texts x length x width to rows, one per token. */
  byToken(value: Value, width: number): Value {
    return this.writer.op('Reshape', [value, this.writer.integers([-1, width])]);
  }

  /** A linear layer on rows. The weight is used as stored: outputs x inputs. */
  linear(rows: Value, name: string): Value {
    const inputs = [rows, this.weight(`${name}.weight`)];
    if (this.weights.has(`${name}.bias`)) inputs.push(this.weight(`${name}.bias`));
    return this.writer.op('Gemm', inputs, int('transB', 1));
  }

  /** A linear layer on the last axis of a value with any number of axes. */
  dense(value: Value, name: string): Value {
    const { writer } = this;
    const [outputs = 0, inputs = 0] = this.weights.get(`${name}.weight`).shape;
    const others = writer.op('Shape', [value], int('start', 0), int('end', -1));
    const shape = writer.op('Concat', [others, writer.integers([outputs])], int('axis', 0));
    return writer.op('Reshape', [this.linear(this.byToken(value, inputs), name), shape]);
  }

  norm(value: Value, name: string, epsilon: number): Value {
    const inputs = [value, this.weight(`${name}.weight`)];
    if (this.weights.has(`${name}.bias`)) inputs.push(this.weight(`${name}.bias`));
    return this.writer.op('LayerNormalization', inputs, int('axis', -1), float('epsilon', epsilon));
  }

  /** A norm that does not subtract the mean. `offset` is added to the stored weight. */
  rmsNorm(value: Value, name: string, epsilon: number, offset = 0): Value {
    const stored = this.weight(`${name}.weight`);
    const inputs = [value, offset === 0 ? stored : this.add(stored, this.writer.float(offset))];
    return this.writer.op('SimplifiedLayerNormalization', inputs, int('axis', -1), float('epsilon', epsilon));
  }

  add(a: Value, b: Value): Value {
    return this.writer.op('Add', [a, b]);
  }

  multiply(a: Value, b: Value): Value {
    return this.writer.op('Mul', [a, b]);
  }

  /** An activation function, by its name in transformers. */
  activation(value: Value, name: string): Value {
    const make = ACTIVATIONS[name];
    if (make) return make(this.writer, value);
    throw needsExport(
      `The activation ${JSON.stringify(name)} in config.json must be one of ${Object.keys(ACTIVATIONS).join(', ')}.`,
    );
  }

  /** Attention: scores of queries and keys, softmax, weighted sum of values. Input and output are rows. */
  attention(
    [query, key, value]: readonly [Value, Value, Value],
    heads: number,
    width: number,
    options: AttentionOptions = {},
  ): Value {
    if (options.softCap !== undefined)
      return this.#cappedAttention([query, key, value], heads, width, options);
    const { writer } = this;
    const { bias = '', scale, isCausal = false } = options;
    const mask = this.hasPadding
      ? writer.once('mask as int32', () => writer.op('Cast', [this.mask], int('to', INT32)))
      : '';
    const inputs = [query, key, value, '', mask, bias];
    while (inputs.at(-1) === '') inputs.pop();
    const attributes = [int('num_heads', heads)];
    if (scale !== undefined) attributes.push(float('scale', scale));
    if (isCausal) attributes.push(int('unidirectional', 1));
    return this.byToken(writer.fused('MultiHeadAttention', inputs, ...attributes), width);
  }

  /** Attention with scores that are limited by tanh, which ONNX Runtime's operator does not support. */
  #cappedAttention(
    [query, key, value]: readonly [Value, Value, Value],
    heads: number,
    width: number,
    { bias, scale = Math.sqrt(heads / width), isCausal = false, softCap = 1 }: AttentionOptions,
  ): Value {
    const { writer } = this;
    const headWidth = width / heads;
    const part = (rows: Value): Value => this.byHead(rows, heads, headWidth);
    const swapped = writer.op('Transpose', [part(key)], ints('perm', [0, 1, 3, 2]));
    const scores = writer.op('MatMul', [part(query), swapped]);
    const limited = writer.op('Tanh', [this.multiply(scores, writer.float(scale / softCap))]);
    const masks = [
      ...(this.hasPadding ? [this.#paddingBias] : []),
      ...(isCausal ? [this.#causalBias] : []),
      ...(bias ? [bias] : []),
    ];
    const masked = masks.reduce(
      (sum, mask) => this.add(sum, mask),
      this.multiply(limited, writer.float(softCap)),
    );
    const weights = writer.op('Softmax', [masked], int('axis', -1));
    const attended = writer.op('MatMul', [weights, part(value)]);
    return this.byToken(writer.op('Transpose', [attended], ints('perm', [0, 2, 1, 3])), width);
  }

  /** A large negative number for padding, texts x 1 x 1 x length. */
  get #paddingBias(): Value {
    const { writer } = this;
    return writer.once('bias of padding', () => {
      const isPadding = writer.op('Equal', [this.mask, writer.integer(0)]);
      const bias = writer.op('Where', [isPadding, writer.float(MASKED), writer.float(0)]);
      return writer.op('Unsqueeze', [bias, writer.integers([1, 2])]);
    });
  }

  /** A large negative number for later tokens, length x length. */
  get #causalBias(): Value {
    const { writer } = this;
    return writer.once('bias of later tokens', () => {
      const isLater = writer.op('Greater', [this.distances, writer.integer(0)]);
      return writer.op('Where', [isLater, writer.float(MASKED), writer.float(0)]);
    });
  }

  /** Looks up each token's row in a table. */
  lookUp(table: string, ids: Value): Value {
    return this.writer.op('Gather', [this.weight(`${table}.weight`), ids]);
  }

  /** 1 for tokens and 0 for padding as float32, texts x length x 1. */
  get floatMask(): Value {
    return this.writer.once('mask as float32', () =>
      this.writer.op('Unsqueeze', [
        this.writer.op('Cast', [this.mask], int('to', FLOAT32)),
        this.writer.integers([2]),
      ]),
    );
  }

  /** The positions of the tokens in the longest text: 0, 1, 2 … */
  get positions(): Value {
    const { writer } = this;
    return writer.once('positions', () =>
      writer.op('Range', [writer.integer(0), writer.op('Squeeze', [this.length]), writer.integer(1)]),
    );
  }

  /** The distance of each key from each query, length x length. */
  get distances(): Value {
    const { writer } = this;
    return writer.once('distances', () => {
      const axis = (at: number): Value => writer.op('Unsqueeze', [this.positions, writer.integers([at])]);
      return writer.op('Sub', [axis(0), axis(1)]);
    });
  }

  /**
   * Splits the last axis of a value into heads and swaps the head and token axes: texts x heads x
   * length x head width.
   */
  byHead(rows: Value, heads: number, headWidth: number): Value {
    const { writer } = this;
    const split = writer.op('Reshape', [this.byText(rows), writer.integers([0, 0, heads, headWidth])]);
    return writer.op('Transpose', [split], ints('perm', [0, 2, 1, 3]));
  }
}

const exactGelu = (writer: GraphWriter, value: Value): Value => writer.op('Gelu', [value]);
const tanhGelu = (writer: GraphWriter, value: Value): Value => writer.fused('FastGelu', [value]);
const silu = (writer: GraphWriter, value: Value): Value =>
  writer.fused('QuickGelu', [value], float('alpha', 1));

const ACTIVATIONS = lookup<(writer: GraphWriter, value: Value) => Value>({
  gelu: exactGelu,
  gelu_python: exactGelu,
  gelu_new: tanhGelu,
  gelu_fast: tanhGelu,
  gelu_pytorch_tanh: tanhGelu,
  quick_gelu: (writer, value) => writer.fused('QuickGelu', [value], float('alpha', 1.702)),
  silu,
  swish: silu,
  relu: (writer, value) => writer.op('Relu', [value]),
  tanh: (writer, value) => writer.op('Tanh', [value]),
  sigmoid: (writer, value) => writer.op('Sigmoid', [value]),
});
