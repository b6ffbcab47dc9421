import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTokenizer } from '#cli/adapters/tokenizers.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { tokenizerOf } from '../../../helpers/tokenizer-folder.ts';

interface Family {
  /** IDs of the slow tokenizer. */
  readonly ids: readonly (readonly number[])[];
  /** IDs of the fast tokenizer, by text index, where they differ. */
  readonly fast: Readonly<Record<number, readonly number[]>>;
  /** Own texts of the family, such as proteins. */
  readonly texts?: readonly string[];
}
interface Golden {
  readonly texts: readonly string[];
  readonly families: Readonly<Record<string, Family>>;
}

// IDs of transformers for the same files (fixtures/scripts/make_tokenizers.py).
const { texts, families } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/tokenizers.json'), 'utf8'),
) as Golden;

/**
 * Number of texts whose IDs differ from the slow tokenizer, and number of those that also differ from the fast one, for the reasons in
 * docs/decisions/0055-tokenizers-of-older-files.md.
 */
const DIFFERENT: Readonly<Record<string, readonly [number, number]>> = {
  albert: [1, 0],
  bert: [7, 0],
  'bert-cased': [17, 0],
  'big-bird': [2, 0],
  camembert: [2, 0],
  'deberta-v2': [12, 5],
  longformer: [1, 0],
  mpnet: [7, 0],
  rembert: [2, 1],
  t5: [2, 2],
  'xlm-roberta': [2, 0],
  'xlm-roberta-bpe': [2, 0],
  xlnet: [1, 0],
};

describe('a tokenizer without tokenizer.json', () => {
  test('every folder has expected IDs', () => {
    expect(Object.keys(families)).toEqual(readdirSync(join(FIXTURES, 'tokenizers')).sort());
    expect(texts.length).toBeGreaterThan(200);
  });

  test.each(Object.entries(families))('%s returns the same IDs as transformers', async (name, expected) => {
    const { content, origin } = await tokenizerOf(join(FIXTURES, 'tokenizers', name));
    expect(origin).toMatch(/^\S+ \(\w+Tokenizer\)$/);
    const tokenizer = await loadTokenizer(JSON.stringify(content));
    const inputs = expected.texts ?? texts;
    const ids = await tokenizer.encode(inputs);
    const isLike = (index: number, others: readonly number[] | undefined): boolean =>
      JSON.stringify(ids[index]) === JSON.stringify(others);
    const unlikeSlow = [...inputs.keys()].filter((index) => !isLike(index, expected.ids[index]));
    const unlikeBoth = unlikeSlow.filter((index) => !isLike(index, expected.fast[index]));
    expect([unlikeSlow.length, unlikeBoth.length]).toEqual(DIFFERENT[name] ?? [0, 0]);
  });
});
