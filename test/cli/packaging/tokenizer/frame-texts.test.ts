import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadTokenizer } from '#cli/adapters/tokenizers.ts';
import { frameLengths, frameTexts, type TextFrame } from '#cli/packaging/tokenizer/frame-texts.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { openTokenizer, type TextTokenizer } from '#platform/tokenizer.ts';
import { causalRerankerFolder } from '../../../helpers/golden-causal-rerankers.ts';

const source = JSON.parse(
  readFileSync(join(causalRerankerFolder('mxbai-rerank-base-v2'), 'tokenizer.json'), 'utf8'),
) as object;
const FRAME: TextFrame = {
  before: ['<|im_start|>', 'system'],
  between: '\n',
  after: ['\n', 'Relevance:<|im_end|>'],
  maxTokens: 100,
  uncounted: ['before', 'after'],
};
const plain = await loadTokenizer(JSON.stringify({ ...source, post_processor: null }));
const { content, counts } = await frameTexts(source, FRAME, plain);
const idsOf = async (...texts: string[]): Promise<number[]> => (await plain.encode(texts)).flat();
const [before, after] = [await idsOf(...FRAME.before), await idsOf(...FRAME.after)];

async function open(maxLength: number, maxFirst: number): Promise<TextTokenizer> {
  const settings = {
    maxLength,
    maxFirst,
    truncationSide: 'right',
    padId: 0,
    vocabularySize: plain.vocabularySize,
    marksSubwords: false,
  } as const;
  return openTokenizer((await loadNativeLibraries()).tokenizers, JSON.stringify(content), settings);
}

const encode = async (tokenizer: TextTokenizer, text: string, pair?: string): Promise<number[]> => {
  const [encoded] = await tokenizer.encode([{ text, pair }], { details: false });
  return [...(encoded?.ids ?? [])];
};

test('the prompt is added to a text and to a pair, each part tokenized by itself', async () => {
  const tokenizer = await open(100, 50);
  expect(await encode(tokenizer, 'Where?')).toEqual([...before, ...(await idsOf('Where?')), ...after]);
  const expected = [...before, ...(await idsOf('Where?', '\n', '\nHere.')), ...after];
  expect(await encode(tokenizer, 'Where?', '\nHere.')).toEqual(expected);
  expect(counts).toEqual({ before: before.length, between: 1, after: after.length });
});

test('truncation leaves room for the prompt, and shortens the first text only to its own maximum', async () => {
  const room = 20;
  const tokenizer = await open(before.length + after.length + 1 + room, 12);
  const long = 'Where is the hotel? '.repeat(9);
  const ids = await idsOf(long);
  expect(await encode(tokenizer, long)).toEqual([...before, ...ids.slice(0, room + 1), ...after]);
  const short = await idsOf('Where?');
  expect(await encode(tokenizer, 'Where?', long)).toEqual([
    ...before,
    ...short,
    ...(await idsOf('\n')),
    ...ids.slice(0, room - short.length),
    ...after,
  ]);
  expect(await encode(tokenizer, long, long)).toEqual([
    ...before,
    ...ids.slice(0, 12),
    ...(await idsOf('\n')),
    ...ids.slice(0, room - 12),
    ...after,
  ]);
  expect(await encode(tokenizer, long, '.')).toEqual([
    ...before,
    ...ids.slice(0, 12),
    ...(await idsOf('\n', '.')),
    ...after,
  ]);
});

test('the maximum length is that of the published code, unless the config sets one', () => {
  const counted = { before: 10, between: 1, after: 20 };
  expect(frameLengths(FRAME, counted, 32_768, false)).toEqual({ maxLength: 130, maxFirst: 75 });
  expect(frameLengths(FRAME, counted, 90, false)).toEqual({ maxLength: 90, maxFirst: 45 });
  expect(frameLengths(FRAME, counted, 1000, true)).toEqual({ maxLength: 1000, maxFirst: 727 });
  const { between: _, ...single } = FRAME;
  expect(frameLengths({ ...single, uncounted: [] }, { ...counted, between: 0 }, 200, false)).toEqual({
    maxLength: 100,
  });
  expect(() => frameLengths(FRAME, counted, 35, true)).toThrow(
    '`max_length` is 35, but the prompt of this reranker has 31 tokens. Set `max_length` to 39 or more.',
  );
});
