import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCausalReranker } from '#cli/packaging/model/causal-rerankers.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const find = async (name: string, modelType: string, architecture: string): Promise<string | undefined> => {
  const config = { model_type: modelType, architectures: [architecture] };
  return (await findCausalReranker({ folder: folder(), names: [name], config }))?.name;
};

test.each([
  ['Qwen/Qwen3-Reranker-0.6B', 'qwen3', 'Qwen3-Reranker'],
  ['Qwen3-Reranker-8B', 'qwen3', 'Qwen3-Reranker'],
  ['someone/my-qwen3-reranker-4b-legal', 'qwen3', 'Qwen3-Reranker'],
  ['mixedbread-ai/mxbai-rerank-base-v2', 'qwen2', 'mxbai-rerank v2'],
  ['mxbai-rerank-large-v2', 'qwen2', 'mxbai-rerank v2'],
  ['BAAI/bge-reranker-v2-gemma', 'gemma', 'bge-reranker-v2-gemma'],
])('%s with the model type %s belongs to the family %s', async (name, modelType, family) => {
  expect(await find(name, modelType, 'XForCausalLM')).toBe(family);
});

test.each([
  ['tomaarsen/Qwen3-Reranker-0.6B-seq-cls', 'qwen3', 'Qwen3ForSequenceClassification'],
  ['Qwen/Qwen3-0.6B', 'qwen3', 'Qwen3ForCausalLM'],
  ['Qwen3-Reranker-0.6B', 'qwen2', 'Qwen2ForCausalLM'],
  ['mxbai-rerank-base-v1', 'qwen2', 'Qwen2ForCausalLM'],
  ['BAAI/bge-reranker-v2-minicpm-layerwise', 'minicpm', 'LayerWiseMiniCPMForCausalLM'],
])('%s with the model type %s and the class %s belongs to no family', async (...model) => {
  expect(await find(...model)).toBeUndefined();
});

test('the settings of a LogitScore module contain the ids of the words', async () => {
  const score = { idx: 1, name: '1', path: '', type: 'sentence_transformers.x.LogitScore' };
  writeFileSync(join(folder(), 'modules.json'), JSON.stringify([score]));
  const idsFrom = async (settings: object): Promise<unknown> => {
    writeFileSync(join(folder(), 'config.json'), JSON.stringify(settings));
    const config = { model_type: 'qwen3', architectures: ['Qwen3ForCausalLM'] };
    return (await findCausalReranker({ folder: folder(), names: ['Qwen3-Reranker'], config }))?.ids;
  };
  expect(await idsFrom({ true_token_id: 9693, false_token_id: 2152 })).toEqual({
    relevant: 9693,
    irrelevant: 2152,
  });
  expect(await idsFrom({ true_token_id: 9693, false_token_id: null })).toEqual({ relevant: 9693 });
  expect(await idsFrom({ true_token_id: -1 })).toEqual({});
});
