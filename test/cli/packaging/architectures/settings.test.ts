import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  writeAnswerLogits,
  writeGraph,
  writeHiddenStates,
  type WriteOutput,
  writeTextLogits,
} from '#cli/packaging/architectures/write-graph.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** Writes the graph of a fixture whose config.json is changed. */
async function attempt(
  model: string,
  change: object,
  output: WriteOutput = writeHiddenStates,
): Promise<string> {
  const source = join(FIXTURES, 'architectures', model);
  // Each graph has its own folder, because a graph's weights are hard links to those of the model.
  const target = mkdtempSync(join(folder(), 'graph-'));
  const config = join(target, 'config.json');
  const values = JSON.parse(readFileSync(join(source, 'config.json'), 'utf8')) as object;
  writeFileSync(config, JSON.stringify({ ...values, ...change }));
  return await writeGraph({ weights: join(source, 'model.safetensors'), config }, output, target);
}

const DYNAMIC = { type: 'dynamic', factor: 4 };

test.each<[model: string, change: object, message: string]>([
  ['qwen2-text', { use_sliding_window: true }, 'config.json sets `use_sliding_window` to true, which'],
  ['qwen2-text', { rope_scaling: DYNAMIC }, 'config.json sets `type` to "dynamic", which'],
  [
    'qwen2-5-text',
    { rope_parameters: { rope_type: 'longrope' } },
    'config.json sets `rope_type` to "longrope", which',
  ],
  ['qwen2-text', { is_causal: 'no' }, '`is_causal` in config.json must be true or false, not "no".'],
  ['qwen3-text', { use_sliding_window: true }, 'config.json sets `use_sliding_window` to true, which'],
  ['mistral-text', { rope_scaling: { type: 'yarn' } }, 'config.json must set `factor` to a number.'],
  [
    'mistral-5-text',
    { rope_parameters: { partial_rotary_factor: 0.5 } },
    'config.json sets `partial_rotary_factor` to 0.5, which',
  ],
  [
    'mistral-text',
    { sliding_window: 0 },
    '`sliding_window` in config.json must be a whole number above 0, not 0.',
  ],
  ['t5-hidden', { is_decoder: true }, 'config.json sets `is_decoder` to true, which'],
  ['t5-hidden', { dense_act_fn: 'mish' }, 'The activation "mish" in config.json must be one of gelu, '],
  ['gemma3-text', { rope_scaling: DYNAMIC }, 'config.json sets `rope_scaling` to'],
  ['gemma3-text', { attn_logit_softcapping: 50 }, 'config.json sets `attn_logit_softcapping` to 50, which'],
  ['gemma2-5-text', { rope_scaling: DYNAMIC }, 'config.json sets `rope_scaling` to'],
  [
    'gemma2-5-text',
    { use_bidirectional_attention: true },
    'config.json sets `use_bidirectional_attention` to true, which',
  ],
  [
    'gemma2-5-text',
    { attn_logit_softcapping: 'no' },
    '`attn_logit_softcapping` in config.json must be a number, not "no".',
  ],
  [
    'longformer-5-text',
    { attention_window: 3 },
    '`attention_window` in config.json must be an even number above 0, or one for each of 2 layers, not 3.',
  ],
  ['longformer-5-text', { attention_window: [4] }, 'or one for each of 2 layers, not [4].'],
  [
    'lilt-5-text',
    { channel_shrink_ratio: 5 },
    '`hidden_size` in config.json (24) must be a multiple of `channel_shrink_ratio` times `num_attention_heads` (5 x 2).',
  ],
  ['eurobert-5-text', { is_causal: true }, 'config.json sets `is_causal` to true, which'],
  ['eurobert-5-text', { rope_scaling: DYNAMIC }, 'config.json sets `type` to "dynamic", which'],
  [
    'ernie-5-text',
    { position_embedding_type: 'relative_key' },
    'config.json sets `position_embedding_type` to "relative_key", which',
  ],
  ['ernie-5-text', { is_decoder: true }, 'config.json sets `is_decoder` to true, which'],
  [
    'ernie-5-text',
    { use_task_id: true },
    'The weights do not contain the tensor embeddings.task_type_embeddings.weight, which',
  ],
  ['xlm-roberta-xl-5-text', { is_decoder: true }, 'config.json sets `is_decoder` to true, which'],
  [
    'xlm-roberta-xl-5-text',
    { position_embedding_type: 'relative_key_query' },
    'config.json sets `position_embedding_type` to "relative_key_query", which',
  ],
  [
    'jina-v2-text',
    { feed_forward_type: 'swiglu' },
    'config.json sets `feed_forward_type` to "swiglu", which',
  ],
  ['jina-v2-norms-text', { is_decoder: true }, 'config.json sets `is_decoder` to true, which'],
  [
    'jina-v3-text',
    { lora_adaptations: ['retrieval.query', 'retrieval.passage'] },
    'The model has adapters for the tasks retrieval.query, retrieval.passage, which require model_type sentence_embedding.',
  ],
  [
    'jina-v3-text',
    { position_embedding_type: 'alibi' },
    'config.json sets `position_embedding_type` to "alibi", which',
  ],
  [
    'jina-v3-5-text',
    { rope_parameters: { rope_type: 'dynamic' } },
    'config.json sets `rope_type` to "dynamic", which',
  ],
  [
    'nomic-moe-hidden',
    { moe_normalize_expert_weights: true },
    'config.json sets `moe_normalize_expert_weights` to true, which',
  ],
  ['nomic-moe-hidden', { num_shared_experts: 1 }, 'config.json sets `num_shared_experts` to 1, which'],
  [
    'nomic-moe-hidden',
    { expert_choice_router: true },
    'config.json sets `expert_choice_router` to true, which',
  ],
  ['nomic-moe-hidden', { ffn_div: 2 }, 'config.json sets `ffn_div` to 2, which'],
  ['nomic-moe-hidden', { moe_top_k: null }, 'config.json must set `moe_top_k` to a number.'],
  ['nomic-moe-hidden', { causal: true }, 'config.json sets `causal` to true, which'],
  [
    'nomic-moe-hidden',
    { rotary_emb_scale_base: 512 },
    'config.json sets `rotary_emb_scale_base` to 512, which',
  ],
  ['bart-5-text', { eos_token_id: [2, 3] }, '`eos_token_id` in config.json must be a number, not [2,3].'],
  ['bart-5-text', { activation_function: 'mish' }, 'The activation "mish" in config.json must be one of'],
  ['esm-5-text', { is_folding_model: true }, 'config.json sets `is_folding_model` to true, which'],
  ['esm-5-text', { mask_token_id: null }, 'config.json must set `mask_token_id` to a number.'],
  [
    'esm-1b-5-text',
    { position_embedding_type: 'relative_key' },
    'config.json sets `position_embedding_type` to "relative_key", which',
  ],
  [
    'bert-text',
    { position_embedding_type: 'relative_key' },
    'config.json sets `position_embedding_type` to "relative_key", which',
  ],
  [
    'roberta-text',
    { position_embedding_type: 'alibi' },
    'config.json sets `position_embedding_type` to "alibi", which',
  ],
  ['deberta-text', { talking_head: true }, 'config.json sets `talking_head` to true, which'],
  [
    'gemma3-text',
    { layer_types: ['full_attention', 'chunked_attention'] },
    'config.json sets `layer_types` to "chunked_attention" for layer 1, which cannot be built without an export.',
  ],
  [
    'lfm2-5-hidden',
    { layer_types: ['conv', 'mamba'] },
    'config.json sets `layer_types` to "mamba" for layer 1, which',
  ],
  [
    'modernbert-text',
    { layer_types: ['full_attention'] },
    'config.json does not set `layer_types` for layer 1, which',
  ],
  [
    'gemma3-5-text',
    { rope_parameters: { full_attention: { rope_type: 'linear', factor: 8 } } },
    'config.json sets `rope_type` to "linear", which',
  ],
])('%s with %j is rejected', async (model, change, message) => {
  const output = model.startsWith('bart') ? writeTextLogits : writeHiddenStates;
  await expect(attempt(model, change, output)).rejects.toThrow(message);
});

test('a window with the default size applies if config.json has no `sliding_window`', async () => {
  const graph = await attempt('mistral-text', { sliding_window: undefined });
  expect(readFileSync(graph, 'latin1')).toContain('Greater');
  const everywhere = await attempt('mistral-text', { sliding_window: null });
  expect(readFileSync(everywhere, 'latin1')).not.toContain('Greater');
});

test('T5 has no head for texts and for answers without its decoder', async () => {
  await expect(attempt('t5-hidden', {}, writeTextLogits)).rejects.toThrow(
    'The sequence classification head of a model of type "t5" cannot be built without an export. Supported types: albert, bart, bert,',
  );
  await expect(attempt('t5-hidden', {}, writeAnswerLogits)).rejects.toThrow(
    'The question answering head of a model of type "t5" cannot be built without an export.',
  );
});

test('an unknown pooling of the head for texts is rejected', async () => {
  await expect(attempt('eurobert-5-text', { classifier_pooling: 'max' }, writeTextLogits)).rejects.toThrow(
    '`classifier_pooling` in config.json must be late, mean or bos, not max.',
  );
});
