import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadTokenizer } from '#cli/adapters/tokenizers.ts';
import { withLowerCase, type SourceTokenizer } from '#cli/packaging/model/tokenizer-settings.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const read = (model: string): SourceTokenizer =>
  JSON.parse(readFileSync(join(FIXTURES, 'models', model, 'tokenizer.json'), 'utf8')) as SourceTokenizer;
const idsOf = async (json: SourceTokenizer, text: string): Promise<number[][]> =>
  await (await loadTokenizer(JSON.stringify(json))).encode([text]);

test.each(['ner', 'roberta'])('texts for %s are lowercased first', async (model) => {
  const json = read(model);
  const lowered = withLowerCase(json);
  for (const text of ['Anna Smith IN Paris', 'ÉCOLE', 'a b']) {
    expect(await idsOf(lowered, text)).toEqual(await idsOf(json, text.toLowerCase()));
  }
  expect(await idsOf(lowered, 'ANNA')).not.toEqual(await idsOf(json, 'ANNA'));
});

test('a tokenizer that already lowercases is unchanged', () => {
  const json = read('sentence');
  expect(withLowerCase(json)).toBe(json);
  for (const normalizer of [
    { type: 'Lowercase' },
    { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Lowercase' }] },
  ]) {
    const other = { ...json, normalizer };
    expect(withLowerCase(other)).toBe(other);
  }
});
