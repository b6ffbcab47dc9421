import { expect, test } from 'vitest';
import { modelOrigin } from '../../../../cli/packaging/model/model-origin.ts';
import { findFamily } from '../../../../cli/packaging/model/pooling-families.ts';

const found = (name: string, config: unknown = {}) => findFamily({ names: [name], config });

test.each([
  ['BAAI/bge-small-en-v1.5', 'cls', true, ['query']],
  ['bge-base-zh-v1.5', 'cls', true, ['query']],
  ['BAAI/bge-m3', 'cls', true, []],
  ['intfloat/e5-base-v2', 'mean', true, ['query', 'passage']],
  ['multilingual-e5-small', 'mean', true, ['query', 'passage']],
  ['thenlper/gte-base', 'mean', true, []],
  ['Alibaba-NLP/gte-base-en-v1.5', 'cls', true, []],
  ['nomic-ai/nomic-embed-text-v1.5', 'mean', false, ['query', 'document', 'classification', 'clustering']],
  ['mixedbread-ai/mxbai-embed-large-v1', 'cls', false, ['query']],
  ['Snowflake/snowflake-arctic-embed-xs', 'cls', true, ['query']],
  ['jinaai/jina-embeddings-v2-small-en', 'mean', true, []],
  ['sentence-transformers/all-MiniLM-L6-v2', 'mean', true, []],
  ['paraphrase-multilingual-MiniLM-L12-v2', 'mean', false, []],
  ['msmarco-distilbert-base-v4', 'mean', false, []],
  ['msmarco-distilbert-base-tas-b', 'cls', false, []],
])('%s pools with %s', (name, pooling, normalize, prompts) => {
  const family = found(name);
  expect(family).toMatchObject({ pooling, normalize, from: `from the name ${name}` });
  expect(Object.keys(family?.prompts ?? {})).toEqual(prompts);
});

test.each(['BAAI/bge-reranker-base', 'e5-mistral-7b-instruct', 'bge-multilingual-gemma2', 'my-bert', 'gte'])(
  '%s belongs to no family',
  (name) => {
    expect(found(name)).toBeUndefined();
  },
);

test('a fine-tuned model belongs to the family of its base', () => {
  const config = { _name_or_path: '/root/.cache/torch/sentence_transformers/BAAI_bge-small-en/' };
  expect(found('mine', config)).toMatchObject({ name: 'bge', from: '_name_or_path in config.json' });
  expect(found('mine', { model_type: 'nomic_bert' })).toMatchObject({ name: 'nomic-embed' });
  expect(found('mine', { _name_or_path: 7, model_type: 'constructor' })).toBeUndefined();
});

test.each([
  ['/x/models--BAAI--bge-m3/snapshots/5617', { name: 'bge-m3', repository: 'BAAI/bge-m3', revision: '5617' }],
  ['/x/models--bert/snapshots/5617', { name: 'bert', repository: 'bert', revision: '5617' }],
  ['/x/mine', { name: 'mine' }],
  ['/x/mine/onnx', { name: 'mine' }],
])('the origin of %s', (folder, origin) => {
  expect(modelOrigin(folder)).toEqual(origin);
});
