import { join } from 'node:path';
import { expect, test } from 'vitest';
import { graphOutputs } from '#cli/packaging/model/graph-outputs.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const outputsOf = (file: string) => graphOutputs(join(FIXTURES, file));

test.each([
  ['sentiment', [{ name: 'logits', rank: 2 }]],
  ['embedder', [{ name: 'last_hidden_state', rank: 3 }]],
  ['external-data', expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })])],
])('outputs of %s are listed', (model, outputs) => {
  expect(outputsOf(`models/${model}/model.onnx`)).toEqual(outputs);
});

test('a file that is not ONNX is rejected', () => {
  expect(() => outputsOf('models/sentiment/tokenizer.json')).toThrow('is not a valid ONNX file');
});
