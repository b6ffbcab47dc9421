import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { bareTokenizer } from '#core/model/bare-tokenizer.ts';
import { staticFormManifest } from '#core/model/static-form-manifest.ts';
import { maxVectorWidth } from '#core/model/vector-width.ts';

const manifest = {
  name: 'model',
  version: '1.0.0',
  builtBy: 'encoderfile',
  modelType: 'sentence_embedding',
  width: 8,
  batching: 'single',
  fixedShape: { texts: 1 },
  windows: { stride: 3 },
  tokenOutputs: {},
  sentence: {
    pooling: 'cls',
    prompts: { query: { text: 'search: ', tokens: 3 } },
    defaultPrompt: 'query',
    dimensions: 4,
  },
  staticForm: { width: 12, sentence: { pooling: 'none', prompts: {}, normalize: true } },
} as unknown as Manifest;

test('the static form has its own settings, and the names of the prompts without their texts', () => {
  expect(staticFormManifest(manifest)).toEqual({
    name: 'model',
    version: '1.0.0',
    builtBy: 'encoderfile',
    modelType: 'sentence_embedding',
    width: 12,
    sentence: { pooling: 'none', normalize: true, prompts: { query: { text: '', tokens: 0 } } },
  });
  const { staticForm: _, ...alone } = manifest;
  expect(staticFormManifest(alone as Manifest)).toBeUndefined();
});

test('requests can set as many dimensions as the wider form has', () => {
  expect(maxVectorWidth(manifest)).toBe(12);
  expect(maxVectorWidth({ ...manifest, width: 40 })).toBe(40);
});

test('a bare tokenizer adds nothing to texts', () => {
  expect(JSON.parse(bareTokenizer('{"model":{"vocab":{}},"post_processor":{"type":"Bert"}}'))).toEqual({
    model: { vocab: {} },
    post_processor: null,
  });
});
