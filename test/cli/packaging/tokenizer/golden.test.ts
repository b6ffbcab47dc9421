import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadTokenizer } from '../../../../cli/adapters/tokenizers.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { tokenizerOf } from '../../../helpers/tokenizer-folder.ts';

interface Golden {
  readonly texts: readonly string[];
  readonly families: Readonly<Record<string, { readonly ids: number[][]; readonly pair: { ids: number[] } }>>;
}

// The ids of transformers' fast tokenizers for the same files: fixtures/scripts/make_tokenizers.py.
const { texts, families } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/tokenizers.json'), 'utf8'),
) as Golden;

describe('a tokenizer without tokenizer.json', () => {
  test('every folder has expected ids', () => {
    expect(Object.keys(families)).toEqual(readdirSync(join(FIXTURES, 'tokenizers')).sort());
    expect(texts.length).toBeGreaterThan(200);
  });

  test.each(Object.entries(families))('%s gives the ids of transformers', async (name, expected) => {
    const { content, origin } = await tokenizerOf(join(FIXTURES, 'tokenizers', name));
    expect(origin).toMatch(/^\S+ \(\w+Tokenizer\)$/);
    const tokenizer = await loadTokenizer(JSON.stringify(content));
    const ids = await tokenizer.encode(texts);
    for (const [index, text] of texts.entries()) {
      expect({ text, ids: ids[index] }).toEqual({ text, ids: expected.ids[index] });
    }
  });
});
