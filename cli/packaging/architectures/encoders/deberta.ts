import { int, ints } from '../../onnx/attributes.ts';
import { addPositions, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import type { Value } from '../graph-writer.ts';
import { postNormLayer } from '../post-norm-layer.ts';
import { RelativePositions } from './relative-positions.ts';

/** DeBERTa v2 and v3: scores depend on the contents of tokens and on their distance. */
export function deberta(g: EncoderGraph): Value {
  const { config } = g;
  const width = config.size('hidden_size', 768);
  const heads = config.size('num_attention_heads', 12);
  const epsilon = config.number('layer_norm_eps', 1e-7);
  const activation = config.text('hidden_act', 'gelu');
  const relative = config.flag('relative_attention', false)
    ? new RelativePositions(g, heads, width / heads, epsilon)
    : undefined;
  const embedded = embed(g, width, epsilon);
  let rows = embedded;
  for (let at = 0; at < config.size('num_hidden_layers', 12); at += 1) {
    const layer = `encoder.layer.${at}`;
    const self = `${layer}.attention.self`;
    const output = `${layer}.attention.output`;
    const names = {
      query: `${self}.query_proj`,
      key: `${self}.key_proj`,
      value: `${self}.value_proj`,
      attended: `${output}.dense`,
      attentionNorm: `${output}.LayerNorm`,
      up: `${layer}.intermediate.dense`,
      down: `${layer}.output.dense`,
      norm: `${layer}.output.LayerNorm`,
    };
    rows = postNormLayer(g, rows, names, { heads, width, epsilon, activation }, (query, key) =>
      relative ? { bias: relative.bias(self, query, key), scale: relative.scale } : {},
    );
    if (at === 0 && g.weights.has('encoder.conv.conv.weight'))
      rows = convolve(g, embedded, rows, width, epsilon);
  }
  return rows;
}

function embed(g: EncoderGraph, width: number, epsilon: number): Value {
  const { config } = g;
  const words = wordEmbeddings(g);
  const positioned = config.flag('position_biased_input', true) ? addPositions(g, words) : words;
  const typed = config.number('type_vocab_size', 0) > 0 ? addTokenTypes(g, positioned) : positioned;
  const sized = g.weights.has('embeddings.embed_proj.weight')
    ? g.byText(g.linear(g.byToken(typed, config.size('embedding_size', width)), 'embeddings.embed_proj'))
    : typed;
  return g.byToken(g.multiply(g.norm(sized, 'embeddings.LayerNorm', epsilon), g.floatMask), width);
}

/** The largest models of version 2 have a convolution next to the first layer. */
function convolve(g: EncoderGraph, embedded: Value, rows: Value, width: number, epsilon: number): Value {
  const { config, writer } = g;
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
