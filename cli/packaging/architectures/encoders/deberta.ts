import { int, ints } from '#core/onnx/attributes.ts';
import type { ConfigReader } from '../config-reader.ts';
import { addPositions, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormSublayers } from '../post-norm-layer.ts';

/** DeBERTa v2 and v3: scores depend on the contents of tokens and on their distance. */
export function debertaV2(g: EncoderGraph): Value {
  const epsilon = g.config.number('layer_norm_eps', 1e-7);
  const prefix = g.config.flag('share_att_key', false) ? '' : 'pos_';
  const embedded = embed(g, epsilon);
  return encode(g, embedded, epsilon, {
    project: (rows, self) => ['query', 'key', 'value'].map((name) => g.linear(rows, `${self}.${name}_proj`)),
    distances: { c2p: `${prefix}key_proj`, p2c: `${prefix}query_proj` },
    afterFirst: (rows) =>
      g.weights.has('encoder.conv.conv.weight') ? convolve(g, embedded, rows, epsilon) : rows,
  });
}

/** DeBERTa v1, which projects queries, keys and values with one matrix, head by head. */
export function debertaV1(g: EncoderGraph): Value {
  g.config.refuseUnless('talking_head', [false]);
  const epsilon = g.config.number('layer_norm_eps', 1e-7);
  return encode(g, embed(g, epsilon), epsilon, {
    project: (rows, self) => projectByHead(g, rows, self),
    distances: { c2p: 'pos_proj', p2c: 'pos_q_proj' },
  });
}

/** The differences between the versions of DeBERTa. */
interface Version {
  /** Returns queries, keys and values. */
  readonly project: (rows: Value, self: string) => readonly Value[];
  /** Names of the projections of the table of distances, by type of score. */
  readonly distances: Readonly<Record<'c2p' | 'p2c', string>>;
  readonly afterFirst?: (rows: Value) => Value;
}

function encode(g: EncoderGraph, embedded: Value, epsilon: number, version: Version): Value {
  const { config } = g;
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const activation = config.text('hidden_act', 'gelu');
  const headWidth = width / heads;
  // Each type of score counts, even if `relative_attention` is false.
  const scale = 1 / Math.sqrt(headWidth * (1 + scoreTypes(config).length));
  const relative = config.flag('relative_attention', false)
    ? new RelativePositions(g, heads, headWidth, { epsilon, scale, names: version.distances })
    : undefined;
  let rows = embedded;
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const self = `${layer}.attention.self`;
    const output = `${layer}.attention.output`;
    const names = {
      attended: `${output}.dense`,
      attentionNorm: `${output}.LayerNorm`,
      up: `${layer}.intermediate.dense`,
      down: `${layer}.output.dense`,
      norm: `${layer}.output.LayerNorm`,
    };
    const [query = '', key = '', value = ''] = version.project(rows, self);
    const options = { bias: relative?.bias(self, query, key), scale };
    const attended = g.attention([g.byText(query), g.byText(key), g.byText(value)], heads, width, options);
    rows = postNormSublayers(g, rows, attended, names, { epsilon, activation });
    if (at === 0 && version.afterFirst) rows = version.afterFirst(rows);
  }
  return rows;
}

/** The types of scores that depend on distances: c2p, p2c or both. */
function scoreTypes(config: ConfigReader): string[] {
  const types = config.value('pos_att_type') ?? [];
  if (typeof types === 'string') return types.split('|');
  return Array.isArray(types) ? types.map(String) : [];
}

interface DistanceSettings {
  readonly epsilon: number;
  readonly scale: number;
  readonly names: Version['distances'];
}

/** Splits the rows of each head into query, key and value. Queries and values have a bias. */
function projectByHead(g: EncoderGraph, rows: Value, self: string): Value[] {
  const { config, writer } = g;
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const byHead = writer.op('Reshape', [
    g.linear(rows, `${self}.in_proj`),
    writer.integers([-1, heads, (3 * width) / heads]),
  ]);
  const [query = '', key = '', value = ''] = writer.split(byHead, 3).map((part) => g.byToken(part, width));
  return [g.add(query, g.weight(`${self}.q_bias`)), key, g.add(value, g.weight(`${self}.v_bias`))];
}

function embed(g: EncoderGraph, epsilon: number): Value {
  const { config } = g;
  const width = config.size('hidden_size', 768);
  const words = wordEmbeddings(g);
  const positioned = config.flag('position_biased_input', true) ? addPositions(g, words) : words;
  const typed = config.number('type_vocab_size', 0) > 0 ? addTokenTypes(g, positioned) : positioned;
  const sized = g.weights.has('embeddings.embed_proj.weight')
    ? g.byText(g.linear(g.byToken(typed, config.size('embedding_size', width)), 'embeddings.embed_proj'))
    : typed;
  return g.byToken(g.multiply(g.norm(sized, 'embeddings.LayerNorm', epsilon), g.floatMask), width);
}

/** The largest models of version 2 have a convolution next to the first layer. */
function convolve(g: EncoderGraph, embedded: Value, rows: Value, epsilon: number): Value {
  const { config, writer } = g;
  const width = config.size('hidden_size', 768);
  const kernel = config.size('conv_kernel_size', 3);
  const padding = (kernel - 1) / 2;
  const swapped = writer.op('Transpose', [g.byText(embedded)], ints('perm', [0, 2, 1]));
  const convolved = writer.op(
    'Conv',
    [swapped, g.weight('encoder.conv.conv.weight'), g.weight('encoder.conv.conv.bias')],
    int('group', config.size('conv_groups', 1)),
    ints('pads', [padding, padding]),
    ints('kernel_shape', [kernel]),
  );
  const byText = writer.op('Transpose', [convolved], ints('perm', [0, 2, 1]));
  const activated = g.activation(g.multiply(byText, g.floatMask), config.text('conv_act', 'tanh'));
  const normed = g.norm(g.add(g.byText(rows), activated), 'encoder.conv.LayerNorm', epsilon);
  return g.byToken(g.multiply(normed, g.floatMask), width);
}

/**
 * The part of DeBERTa's scores that depends on distances. A table has one row per distance, and
 * each layer projects these rows. The projections do not depend on texts, so ONNX Runtime computes
 * them once, when it optimizes the graph.
 */
class RelativePositions {
  readonly #g: EncoderGraph;
  readonly #heads: number;
  /** Scale of all scores. */
  readonly #scale: number;
  readonly #names: Version['distances'];
  readonly #headWidth: number;
  readonly #types: readonly string[];
  readonly #buckets: number;
  readonly #maxDistance: number;
  /** Half the number of table rows. Each half of the table is for one direction. */
  readonly #span: number;
  readonly #table: Value;

  constructor(
    g: EncoderGraph,
    heads: number,
    headWidth: number,
    { epsilon, scale, names }: DistanceSettings,
  ) {
    const { config, writer } = g;
    this.#g = g;
    this.#heads = heads;
    this.#names = names;
    this.#headWidth = headWidth;
    this.#types = scoreTypes(config);
    const limit = config.number('max_relative_positions', -1);
    this.#maxDistance = limit < 1 ? config.size('max_position_embeddings', 512) : limit;
    this.#buckets = config.number('position_buckets', -1);
    this.#span = this.#buckets > 0 ? this.#buckets : this.#maxDistance;
    this.#scale = scale;
    const zero = writer.integers([0]);
    const table = writer.op('Slice', [
      g.weight('encoder.rel_embeddings.weight'),
      zero,
      writer.integers([2 * this.#span]),
      zero,
    ]);
    this.#table = config.text('norm_rel_ebd', 'none').includes('layer_norm')
      ? g.norm(table, 'encoder.LayerNorm', epsilon)
      : table;
  }

  /**
   * The bias for the scores, texts x heads x length x length; undefined if scores only depend on
   * the contents of tokens.
   */
  bias(self: string, query: Value, key: Value): Value | undefined {
    const { writer } = this.#g;
    const parts: Value[] = [];
    if (this.#types.includes('c2p')) {
      parts.push(this.#scores(query, `${self}.${this.#names.c2p}`, this.#rows));
    }
    if (this.#types.includes('p2c')) {
      const rows = writer.once('rows of distances, transposed', () =>
        writer.op('Transpose', [this.#rows], ints('perm', [1, 0])),
      );
      const scores = this.#scores(key, `${self}.${this.#names.p2c}`, rows);
      parts.push(writer.op('Transpose', [scores], ints('perm', [0, 1, 3, 2])));
    }
    const [first, second] = parts;
    return first !== undefined && second !== undefined ? this.#g.add(first, second) : first;
  }

  /** The scores between each token and the table rows for its distances to the others. */
  #scores(tokens: Value, projection: string, rows: Value): Value {
    const { writer } = this.#g;
    const projected = writer.op('Reshape', [
      this.#g.linear(this.#table, projection),
      writer.integers([-1, this.#heads, this.#headWidth]),
    ]);
    const byHead = writer.op('Transpose', [projected], ints('perm', [1, 2, 0]));
    const all = writer.op('MatMul', [
      this.#g.byHead(tokens, this.#heads, this.#headWidth),
      this.#g.multiply(byHead, writer.float(this.#scale)),
    ]);
    const index = writer.once(`${rows} for each head`, () => writer.op('Expand', [rows, this.#shape]));
    return writer.op('GatherElements', [all, index], int('axis', 3));
  }

  get #shape(): Value {
    const { writer, inputIds, length } = this.#g;
    const texts = writer.op('Shape', [inputIds], int('start', 0), int('end', 1));
    return writer.op('Concat', [texts, writer.integers([this.#heads]), length, length], int('axis', 0));
  }

  /** The table row for each pair of tokens, length x length. */
  get #rows(): Value {
    const { writer, config, distances } = this.#g;
    return writer.once('rows of distances', () => {
      // Without a position table, the number of tokens is not limited by the encoder.
      const most = config.flag('position_biased_input', true) ? 512 : 4096;
      const positions = Math.max(config.size('max_position_embeddings', 512), most);
      const rows = Array.from({ length: 2 * positions - 1 }, (_, at) => this.#rowOf(positions - 1 - at));
      const index = this.#g.add(distances, writer.integer(positions - 1));
      return writer.op('Gather', [writer.integers(rows), index]);
    });
  }

  #rowOf(distance: number): number {
    const bucket = this.#buckets > 0 ? bucketOf(distance, this.#buckets, this.#maxDistance) : distance;
    return Math.min(Math.max(bucket + this.#span, 0), 2 * this.#span - 1);
  }
}

/**
 * Each small distance has its own bucket; larger ones share buckets on a logarithmic scale,
 * computed in float32 as in PyTorch.
 */
function bucketOf(distance: number, buckets: number, maxDistance: number): number {
  const middle = Math.floor(buckets / 2);
  const size = Math.abs(distance);
  if (size <= middle) return distance;
  const part = Math.fround(
    Math.fround(Math.log(Math.fround(size / middle))) /
      Math.fround(Math.log(Math.fround((maxDistance - 1) / middle))),
  );
  return (Math.ceil(Math.fround(part * (middle - 1))) + middle) * Math.sign(distance);
}
