import { expect, test } from 'vitest';
import { modelOrigin } from '#cli/packaging/model/model-listing.ts';
import { findFamily } from '#cli/packaging/model/pooling-families.ts';

const found = (name: string, config: unknown = {}) => findFamily({ names: [name], config });

test.each([
  ['BAAI/bge-small-en-v1.5', 'cls', true, ['query']],
  ['bge-base-zh-v1.5', 'cls', true, ['query']],
  ['BAAI/bge-m3', 'cls', true, []],
  ['intfloat/e5-base-v2', 'mean', true, ['query', 'passage']],
  ['multilingual-e5-small', 'mean', true, ['query', 'passage']],
  ['thenlper/gte-base', 'mean', true, []],
  ['thenlper/gte-large-zh', 'cls', true, []],
  ['Alibaba-NLP/gte-base-en-v1.5', 'cls', false, []],
  ['Alibaba-NLP/gte-multilingual-base', 'cls', true, []],
  ['Alibaba-NLP/gte-modernbert-base', 'cls', false, []],
  ['intfloat/multilingual-e5-large-instruct', 'mean', true, []],
  ['nomic-ai/nomic-embed-text-v1', 'mean', true, ['query', 'document', 'classification', 'clustering']],
  ['nomic-ai/nomic-embed-text-v1.5', 'mean', false, ['query', 'document', 'classification', 'clustering']],
  ['WhereIsAI/UAE-Large-V1', 'cls', false, ['query']],
  ['mixedbread-ai/mxbai-embed-large-v1', 'cls', false, ['query']],
  ['Snowflake/snowflake-arctic-embed-xs', 'cls', true, ['query']],
  ['Snowflake/snowflake-arctic-embed-m-long', 'cls', true, ['query']],
  ['Snowflake/snowflake-arctic-embed-l-v2.0', 'cls', true, ['query']],
  ['jinaai/jina-embeddings-v2-small-en', 'mean', false, []],
  ['jinaai/jina-embeddings-v3', 'mean', true, []],
  ['sentence-transformers/all-MiniLM-L6-v2', 'mean', true, []],
  ['paraphrase-multilingual-MiniLM-L12-v2', 'mean', false, []],
  ['msmarco-distilbert-base-v4', 'mean', false, []],
  ['msmarco-distilbert-base-tas-b', 'cls', false, []],
])('%s pools with %s', (name, pooling, normalize, prompts) => {
  const family = found(name);
  expect(family).toMatchObject({ pooling, normalize, from: `from the name ${name}` });
  expect(Object.keys(family?.prompts ?? {})).toEqual(prompts);
});

test.each([
  'BAAI/bge-reranker-base',
  'e5-mistral-7b-instruct',
  'bge-multilingual-gemma2',
  'my-bert',
  'gte',
  'msmarco-roberta-base-ance-firstp',
  'mixedbread-ai/mxbai-embed-xsmall-v1',
])('%s matches no family', (name) => {
  expect(found(name)).toBeUndefined();
});

test('an architecture alone does not identify a family: snowflake-arctic-embed-m-long is also a nomic_bert, but pools the first token', () => {
  expect(found('mine', { model_type: 'nomic_bert' })).toBeUndefined();
});

test.each([
  ['bge-base-en', 'query', 'Represent this sentence for searching relevant passages: '],
  ['bge-small-zh-v1.5', 'query', '为这个句子生成表示以用于检索相关文章：'],
  ['e5-small-v2', 'passage', 'passage: '],
  ['nomic-embed-text-v1', 'document', 'search_document: '],
  ['snowflake-arctic-embed-m-v1.5', 'query', 'Represent this sentence for searching relevant passages: '],
  ['snowflake-arctic-embed-m-v2.0', 'query', 'query: '],
])('%s has the right prompt for a %s', (name, prompt, text) => {
  expect(found(name)?.prompts[prompt]).toBe(text);
});

test('a fine-tuned model inherits the family of its base model', () => {
  const config = { _name_or_path: '/root/.cache/torch/sentence_transformers/BAAI_bge-small-en/' };
  expect(found('mine', config)).toMatchObject({ name: 'bge', from: '_name_or_path in config.json' });
  expect(found('mine', { _name_or_path: 7 })).toBeUndefined();
});

test.each([
  ['/x/models--BAAI--bge-m3/snapshots/5617', { name: 'bge-m3', repository: 'BAAI/bge-m3', revision: '5617' }],
  ['/x/models--bert/snapshots/5617', { name: 'bert', repository: 'bert', revision: '5617' }],
  ['/x/mine', { name: 'mine' }],
  ['/x/mine/onnx', { name: 'mine' }],
])('the name and revision of the model in %s are found', (folder, origin) => {
  expect(modelOrigin(folder)).toEqual(origin);
});
