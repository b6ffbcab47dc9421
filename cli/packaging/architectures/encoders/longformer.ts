import { int } from '#core/onnx/attributes.ts';
import { INT64 } from '#core/onnx/element-types.ts';
import { configError } from '#contract/errors.ts';
import { addPositionsAfterPadding, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import { type EncoderGraph, MASKED } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import type { HeadName } from '../heads.ts';
import { bertLayerNames } from '../layer-names.ts';
import { postNormSublayers } from '../post-norm-layer.ts';
import { isOutside, windowBias } from '../windows.ts';

/**
 * Longformer: a RoBERTa whose tokens attend to nearby tokens. In classifiers, the first token also
 * attends to all others, and all others to it; in models for answers, these are the tokens of the
 * question.
 */
export function longformer(g: EncoderGraph, head?: HeadName): Value {
  const { config } = g;
  config.refuseUnless('position_embedding_type', ['absolute']);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const activation = config.text('hidden_act', 'gelu');
  const layers = config.size('num_hidden_layers', 12);
  const globals = head === 'textHead' ? firstToken(g) : head === 'answerHead' ? question(g) : undefined;
  const embedded = addPositionsAfterPadding(g, wordEmbeddings(g), config.number('pad_token_id', 1));
  let rows = g.byToken(g.norm(addTokenTypes(g, embedded), 'embeddings.LayerNorm', epsilon), width);
  for (let at = 0; at < layers; at += 1) {
    const self = `encoder.layer.${at}.attention.self`;
    const reach = windowOf(config.value('attention_window') ?? 512, at, layers) / 2;
    const part = (name: string): Value => g.byText(g.linear(rows, `${self}.${name}`));
    const parts = [part('query'), part('key'), part('value')] as const;
    const bias = globals ? biasAround(g, globals, reach) : windowBias(g, reach);
    const local = g.attention(parts, heads, width, { bias });
    const attended = globals ? withGlobals(g, globals, { rows, local, self, heads, width }) : local;
    rows = postNormSublayers(g, rows, attended, bertLayerNames(at), { epsilon, activation });
  }
  return rows;
}

/** The number of tokens around a token that it attends to: one for all layers, or one for each. */
function windowOf(setting: unknown, layer: number, layers: number): number {
  const window: unknown = Array.isArray(setting) ? setting[layer] : setting;
  const isComplete = !Array.isArray(setting) || setting.length === layers;
  if (isComplete && Number.isSafeInteger(window) && Number(window) > 0 && Number(window) % 2 === 0)
    return Number(window);
  throw configError(
    `\`attention_window\` in config.json must be an even number above 0, or one for each of ${layers} layers, not ${JSON.stringify(setting)}.`,
  );
}

/** The tokens that all tokens attend to, and that attend to all tokens: those at the start of a text. */
interface Globals {
  /** Whether a token is one of them, texts x length. */
  readonly isGlobal: Value;
  /** Their number in the text with most of them, as a list with one number. */
  readonly longest: Value;
}

const globalsBefore = (g: EncoderGraph, ends: Value, longest: Value): Globals => ({
  isGlobal: g.writer.op('Less', [g.writer.op('Unsqueeze', [g.positions, g.writer.integers([0])]), ends]),
  longest,
});

const firstToken = (g: EncoderGraph): Globals => {
  const ends = g.writer.op('Expand', [
    g.writer.integer(1),
    g.writer.op(
      'Concat',
      [g.writer.op('Shape', [g.inputIds], int('end', 1)), g.writer.integers([1])],
      int('axis', 0),
    ),
  ]);
  return globalsBefore(g, ends, g.writer.integers([1]));
};

/** The tokens before the first separator. */
function question(g: EncoderGraph): Globals {
  const { config, writer } = g;
  const separator = writer.integer(config.number('sep_token_id', 2));
  const isSeparator = writer.op('Cast', [writer.op('Equal', [g.inputIds, separator])], int('to', INT64));
  const ends = writer.op('ArgMax', [isSeparator], int('axis', 1), int('keepdims', 1));
  // At least one token, because a product without rows fails.
  const longest = writer.op('Max', [writer.op('ReduceMax', [ends], int('keepdims', 0)), writer.integer(1)]);
  return globalsBefore(g, ends, writer.op('Reshape', [longest, writer.integers([1])]));
}

/** 0 for nearby tokens and for global ones, texts x 1 x length x length. */
const biasAround = (g: EncoderGraph, { isGlobal }: Globals, reach: number): Value => {
  const { writer } = g;
  return writer.once(`window of ${reach} and global tokens`, () => {
    const isOther = writer.op('Unsqueeze', [writer.op('Not', [isGlobal]), writer.integers([1, 2])]);
    const isExcluded = writer.op('And', [isOther, isOutside(g, reach)]);
    return writer.op('Where', [isExcluded, writer.float(MASKED), writer.float(0)]);
  });
};

interface Attended {
  readonly rows: Value;
  /** The result of attention for tokens that are not global. */
  readonly local: Value;
  readonly self: string;
  readonly heads: number;
  readonly width: number;
}

/** Replaces the results of global tokens, which have projections of their own. Returns rows. */
function withGlobals(
  g: EncoderGraph,
  { isGlobal, longest }: Globals,
  { rows, local, self, heads, width }: Attended,
): Value {
  const { writer } = g;
  const [start, axis] = [writer.integers([0]), writer.integers([1])];
  const upTo = (value: Value): Value => writer.op('Slice', [value, start, longest, axis]);
  const first = upTo(g.byText(rows));
  const count = writer.op('Shape', [first], int('start', 1), int('end', 2));
  const query = writer.op('Reshape', [
    g.linear(g.byToken(first, width), `${self}.query_global`),
    writer.op('Concat', [writer.integers([-1]), count, writer.integers([width])], int('axis', 0)),
  ]);
  const part = (name: string): Value => g.byText(g.linear(rows, `${self}.${name}_global`));
  const all = writer.op('Reshape', [
    g.attention([query, part('key'), part('value')], heads, width),
    writer.op('Concat', [writer.integers([-1]), count, writer.integers([width])], int('axis', 0)),
  ]);
  const isFirst = writer.op('Unsqueeze', [upTo(isGlobal), writer.integers([2])]);
  const chosen = writer.op('Where', [isFirst, all, upTo(g.byText(local))]);
  const end = writer.integers([Number.MAX_SAFE_INTEGER]);
  const others = writer.op('Slice', [g.byText(local), longest, end, axis]);
  return g.byToken(writer.op('Concat', [chosen, others], int('axis', 1)), width);
}
