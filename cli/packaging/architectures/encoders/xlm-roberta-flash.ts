import { configError } from '#contract/errors.ts';
import { addPositionsAfterPadding, addTokenTypes, wordEmbeddings } from '../embeddings.ts';
import type { EncoderGraph } from '../encoder-graph.ts';
import { flashLayer, plainFeedForward } from '../flash-layer.ts';
import type { Value } from '../graph-writer.ts';
import { rotaryBase, rotaryTables } from '../rotary.ts';

/** Whether a model with the type of XLM-RoBERTa has the weight names of Jina's implementation. */
export const isFlash = ({ weights }: EncoderGraph): boolean => weights.has('emb_ln.weight');

/** The XLM-RoBERTa of Jina's models, most of which rotate queries and keys instead of embedding positions. */
export function xlmRobertaFlash(g: EncoderGraph): Value {
  const { config } = g;
  const tasks = config.value('lora_adaptations');
  if (!g.hasAdapters && Array.isArray(tasks) && tasks.length > 0) {
    throw configError(
      `The model has adapters for the tasks ${tasks.join(', ')}, which require model_type sentence_embedding.`,
    );
  }
  config.refuseUnless('position_embedding_type', ['absolute', 'rotary']);
  const width = config.size('hidden_size', 1024);
  const heads = config.size('num_attention_heads', 16);
  const epsilon = config.number('layer_norm_eps', 1e-5);
  const activation = config.text('hidden_act', 'gelu');
  const isRotary = config.text('position_embedding_type', 'rotary') === 'rotary';
  // The class in transformers 5 has another default.
  const base = config.text('model_type', '') === 'jina_embeddings_v3' ? 20_000 : 10_000;
  const rotary = isRotary
    ? rotaryTables(g, {
        base: rotaryBase(config, 'rotary_emb_base', base),
        positions: config.size('max_position_embeddings', 8194),
        headWidth: width / heads,
      })
    : undefined;
  const words = wordEmbeddings(g);
  const embedded = addTokenTypes(
    g,
    isRotary ? words : addPositionsAfterPadding(g, words, config.number('pad_token_id', 1)),
  );
  let rows = g.byToken(g.norm(embedded, 'emb_ln', epsilon), width);
  for (let at = 0; at < config.size('num_hidden_layers', 24); at += 1) {
    const layer = `encoder.layers.${at}`;
    const names = { layer, attention: 'mixer' };
    rows = flashLayer(g, rows, names, { heads, width, epsilon, rotary }, (mixed) =>
      plainFeedForward(g, mixed, `${layer}.mlp`, activation),
    );
  }
  return rows;
}
