import { int, ints } from '#core/onnx/attributes.ts';
import { type EncoderGraph, MASKED } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** Layers in which words and entity types attend to each other, after both have been encoded. */
export interface EntityFusion {
  /** The steps of each layer. */
  readonly steps: readonly FusionStep[];
  readonly layers: number;
  readonly heads: number;
}

/** Who attends to whom: labels (l) or text (t). */
export const FUSION_STEPS = ['l2l', 't2t', 'l2t', 't2l'] as const;
type FusionStep = (typeof FUSION_STEPS)[number];

/** Words and entity types, each texts x items x width. */
export interface EntityVectors {
  readonly words: Value;
  readonly types: Value;
}

/** Writes the layers. `counts` has the number of words of each text, texts x 1. Types are shared by all texts. */
export function fuseEntities(
  g: EncoderGraph,
  { words, types }: EntityVectors,
  counts: Value,
  { steps, layers, heads }: EntityFusion,
): EntityVectors {
  const { writer } = g;
  const texts = writer.op('Shape', [words], int('start', 0), int('end', 1));
  const shape = writer.op('Concat', [texts, writer.integers([1, 1])], int('axis', 0));
  const vectors = { l: writer.op('Expand', [types, shape]), t: words };
  const masks = { l: undefined, t: maskOf(g, words, counts) };
  for (let layer = 0; layer < layers; layer += 1) {
    for (const [at, step] of steps.entries()) {
      const [from, to] = step.split('2') as [keyof typeof vectors, keyof typeof vectors];
      const block: Block = { name: `cross_fuser.layers.${layer}.${at}`, heads, mask: masks[to] };
      const query = g.norm(vectors[from], `${block.name}.pre_norm`, EPSILON);
      const attended =
        from === to ? attendToSelf(g, query, block) : attendToOther(g, query, vectors[to], block);
      vectors[from] = g.norm(g.add(query, attended), `${block.name}.post_norm`, EPSILON);
    }
  }
  return { words: vectors.t, types: vectors.l };
}

const EPSILON = 1e-5;

interface Block {
  readonly name: string;
  readonly heads: number;
  /** A large negative number for items that are not attended to, texts x 1 x 1 x items. */
  readonly mask: Value | undefined;
}

/** A large negative number for padding, texts x 1 x 1 x words. */
function maskOf(g: EncoderGraph, words: Value, counts: Value): Value {
  const { writer } = g;
  const most = writer.op('Squeeze', [writer.op('Shape', [words], int('start', 1), int('end', 2))]);
  const numbers = writer.op('Range', [writer.integer(0), most, writer.integer(1)]);
  const isWord = writer.op('Less', [numbers, counts]);
  const bias = writer.op('Where', [isWord, writer.float(0), writer.float(MASKED)]);
  return writer.op('Unsqueeze', [bias, writer.integers([1, 2])]);
}

const attendToSelf = (g: EncoderGraph, items: Value, block: Block): Value => {
  const { name } = block;
  const [query, key, value] = ['q', 'k', 'v'].map((part) => g.dense(items, `${name}.${part}_proj`));
  return attend(g, [query ?? '', key ?? '', value ?? ''], `${name}.self_attn`, block);
};

const attendToOther = (g: EncoderGraph, query: Value, others: Value, block: Block): Value =>
  attend(g, [query, others, g.dense(others, `${block.name}.v_proj`)], `${block.name}.cross_attn`, block);

function attend(
  g: EncoderGraph,
  [query, key, value]: readonly [Value, Value, Value],
  name: string,
  { heads, mask }: Block,
): Value {
  const { writer } = g;
  const [width = 0] = g.weights.get(`${name}.query_layer.weight`).shape;
  const headWidth = width / heads;
  const byHead = (items: Value, layer: string, order: readonly number[]): Value => {
    const split = writer.op('Reshape', [
      g.dense(items, `${name}.${layer}`),
      writer.integers([0, 0, heads, headWidth]),
    ]);
    return writer.op('Transpose', [split], ints('perm', order));
  };
  const scores = writer.op('MatMul', [
    byHead(query, 'query_layer', [0, 2, 1, 3]),
    byHead(key, 'key_layer', [0, 2, 3, 1]),
  ]);
  const scaled = g.multiply(scores, writer.float(1 / Math.sqrt(headWidth)));
  const weights = writer.op('Softmax', [mask === undefined ? scaled : g.add(scaled, mask)], int('axis', -1));
  const attended = writer.op('MatMul', [weights, byHead(value, 'value_layer', [0, 2, 1, 3])]);
  const joined = writer.op('Transpose', [attended], ints('perm', [0, 2, 1, 3]));
  return writer.op('Reshape', [joined, writer.integers([0, 0, width])]);
}
