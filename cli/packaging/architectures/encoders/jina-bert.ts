import { lookup } from '#core/values/lookup.ts';
import { alibiBias } from '../alibi.ts';
import { addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { bertLayerNames, type LayerNames } from '../layer-names.ts';

/** Activation functions of the gate, by `feed_forward_type`. */
const GATES = lookup<string>({ geglu: 'gelu', reglu: 'relu' });

/**
 * The BERT of Jina v2, whose scores depend on the distance between tokens (ALiBi) instead of
 * position embeddings. Some models, such as the one for code, also normalize queries and keys.
 */
export function jinaBert(g: EncoderGraph): Value {
  const { config, weights } = g;
  config.refuseUnless('position_embedding_type', ['alibi']);
  config.refuseUnless('is_decoder', [false]);
  config.refuseUnless('feed_forward_type', ['original', ...Object.keys(GATES)]);
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-12);
  const bias = alibiBias(g, heads);
  const hasMoreNorms = weights.has('encoder.layer.0.attention.self.layer_norm_q.weight');
  const gate = GATES[config.text('feed_forward_type', hasMoreNorms ? 'geglu' : 'original')];
  const activation = config.text('hidden_act', 'gelu');
  const norm = (value: Value, name: string): Value => g.norm(value, name, epsilon);
  const embedded = addTokenTypes(g, wordEmbeddings(g));
  let rows = g.byToken(norm(embedded, 'embeddings.LayerNorm'), width);
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const bert = bertLayerNames(at);
    const query = g.linear(rows, bert.query);
    const key = g.linear(rows, bert.key);
    const self = `${layer}.attention.self`;
    const attended = g.attention(
      [
        g.byText(hasMoreNorms ? norm(query, `${self}.layer_norm_q`) : query),
        g.byText(hasMoreNorms ? norm(key, `${self}.layer_norm_k`) : key),
        g.byText(g.linear(rows, bert.value)),
      ],
      heads,
      width,
      { bias },
    );
    const mixed = norm(g.add(g.linear(attended, bert.attended), rows), bert.attentionNorm);
    // The residual is added twice in models with more norms.
    const input = hasMoreNorms ? norm(g.add(rows, mixed), `${layer}.layer_norm_1`) : mixed;
    const names = feedForwardNames(layer, gate !== undefined, hasMoreNorms);
    const up = g.linear(input, names.up);
    const inner = gate === undefined ? g.activation(up, activation) : gated(g, up, gate, hasMoreNorms);
    rows = norm(g.add(g.linear(inner, names.down), input), names.norm);
  }
  return rows;
}

const feedForwardNames = (
  layer: string,
  isGated: boolean,
  hasMoreNorms: boolean,
): Pick<LayerNames, 'up' | 'down' | 'norm'> => {
  const mlp = `${layer}.mlp`;
  if (hasMoreNorms) {
    const up = isGated ? 'up_gated_layer' : 'up_layer';
    return { up: `${mlp}.${up}`, down: `${mlp}.down_layer`, norm: `${layer}.layer_norm_2` };
  }
  if (isGated) return { up: `${mlp}.gated_layers`, down: `${mlp}.wo`, norm: `${mlp}.layernorm` };
  const output = `${layer}.output`;
  return { up: `${layer}.intermediate.dense`, down: `${output}.dense`, norm: `${output}.LayerNorm` };
};

/** The gate is the first half of the values, or the second half in models with more norms. */
function gated(g: EncoderGraph, rows: Value, activation: string, isSecondHalf: boolean): Value {
  const [first = '', second = ''] = g.writer.split(rows, 2);
  const [gate, value] = isSecondHalf ? [second, first] : [first, second];
  return g.multiply(g.activation(gate, activation), value);
}
