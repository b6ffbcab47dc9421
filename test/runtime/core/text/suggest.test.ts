import { expect, test } from 'vitest';
import { didYouMean } from '#core/text/suggest.ts';

const KEYS = ['name', 'version', 'path', 'model_type', 'output_path', 'cache_dir', 'transform'];

test.each([
  ['model_typ', 'model_type'],
  ['modelType', 'model_type'],
  ['Model-Type', 'model_type'],
  ['nmae', undefined],
  ['nam', 'name'],
  ['output', 'output_path'],
  ['out_path', 'output_path'],
  ['tranform', 'transform'],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('%.20s suggests %s', (written, expected) => {
  expect(didYouMean(written, KEYS)).toBe(expected === undefined ? '' : `; did you mean \`${expected}\`?`);
});
