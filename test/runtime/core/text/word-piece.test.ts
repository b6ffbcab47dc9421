import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWordPiece, type TokenizerJson } from '#core/text/word-piece.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadRawTokenizer } from '#platform/tokenizer.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const { tokenizers } = await loadNativeLibraries();

function openBoth(json: string) {
  const library = loadRawTokenizer(tokenizers, json);
  library.disablePadding();
  library.disableTruncation();
  const content = JSON.parse(json) as TokenizerJson;
  return { library, content, own: readWordPiece(content) };
}

const fixture = (model: string): string =>
  readFileSync(join(FIXTURES, 'models', model, 'tokenizer.json'), 'utf8');

/** The same texts in every run: vocabulary words in all cases, letters, marks and spaces. */
function textsOf(vocab: Readonly<Record<string, number>>, count: number): string[] {
  const words = Object.keys(vocab).map((word) => word.replace(/^##/, ''));
  let state = 7;
  const random = (end: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * end);
  };
  const parts = [
    () => words[random(words.length)] ?? '',
    () => (words[random(words.length)] ?? '').toUpperCase(),
    () => String.fromCodePoint(32 + random(95)),
    () => '\t\n\r '.charAt(random(4)),
    () => String.fromCodePoint(97 + random(26)).repeat(random(130)),
  ];
  return Array.from({ length: count }, () =>
    Array.from(
      { length: random(40) },
      () => `${parts[random(parts.length)]?.() ?? ''}${random(3) > 0 ? ' ' : ''}`,
    ).join(''),
  );
}

/** Static models have no special tokens. */
const withoutTokens = (json: string): string => JSON.stringify({ ...JSON.parse(json), post_processor: null });

test.each([
  ...['ner', 'sentiment', 'distilbert', 'multi-vector', 'splade'].map(
    (model) => [model, fixture(model)] as const,
  ),
  ['a static model', withoutTokens(fixture('static'))] as const,
])('the tokens of %s match those of the library', async (_, json) => {
  const { library, content, own } = openBoth(json);
  let known = 0;
  for (const text of ['', ' ', 'a', ...textsOf(content.model.vocab ?? {}, 400)]) {
    for (const addSpecialTokens of [true, false]) {
      const ids = own?.encode(text, addSpecialTokens);
      if (ids === undefined) continue;
      known += 1;
      const expected = (await library.encode(text, null, { addSpecialTokens })).getIds();
      expect([...ids], JSON.stringify(text)).toEqual(expected);
    }
  }
  expect(known).toBeGreaterThan(400);
});

test('case-preserving tokenizers and the older template are supported', async () => {
  const content = JSON.parse(fixture('ner')) as Record<string, Record<string, unknown>>;
  for (const json of [
    { ...content, normalizer: { ...content['normalizer'], lowercase: false, strip_accents: false } },
    { ...content, post_processor: { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] } },
    { ...content, model: { ...content['model'], max_input_chars_per_word: 4 } },
  ]) {
    const { library, own } = openBoth(JSON.stringify(json));
    for (const text of ['Anna lives in Berlin.', 'ANNA lives, in BERLIN', 'extraordinarily long'])
      expect([...(own?.encode(text, true) ?? [])]).toEqual((await library.encode(text, null)).getIds());
  }
});

test.each([
  ['accents', 'café'],
  ['other scripts', '東京'],
  ['control characters', 'a\u0007b'],
  ['characters that are removed', 'a\u00ADb'],
  ['special tokens', 'a [MASK] b'],
  ['special tokens with different capitalization', 'a [mask] b'],
])('falls back to the library for texts with %s', (_, text) => {
  expect(openBoth(fixture('ner')).own?.encode(text, true)).toBeUndefined();
});

test.each(['roberta', 'gliner-span', 'm3'])('falls back to the library for the tokenizer of %s', (model) => {
  expect(openBoth(fixture(model)).own).toBeUndefined();
});

test('falls back to the library for tokenizers with other rules', () => {
  const content = JSON.parse(fixture('ner')) as TokenizerJson & Record<string, object>;
  const own = (changes: object) => readWordPiece({ ...content, ...changes });
  expect(own({})).toBeDefined();
  for (const changes of [
    { normalizer: { type: 'Lowercase' } },
    { normalizer: { ...content.normalizer, clean_text: false } },
    { normalizer: null },
    { pre_tokenizer: { type: 'Whitespace' } },
    { post_processor: { type: 'TemplateProcessing', single: [{ Sequence: { id: 'A', type_id: 0 } }] } },
    { model: { ...content.model, unk_token: 'missing' } },
  ])
    expect(own(changes), JSON.stringify(changes)).toBeUndefined();
});
