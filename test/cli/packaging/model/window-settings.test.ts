import { describe, expect, test } from 'vitest';
import { answerWindows } from '#cli/packaging/model/question-answering.ts';
import { windowSettings } from '#cli/packaging/model/window-settings.ts';

/** A tokenizer that adds special tokens to each text. */
const tokenizer = (special: number): Parameters<typeof windowSettings>[1] => ({
  encode: () => Promise.resolve([Array.from({ length: special }, (_, id) => id)]),
});
const settings = (stride: number | undefined, special: number, maxLength: number) =>
  windowSettings({ windows: { stride } }, tokenizer(special), maxLength);

describe('windowSettings', () => {
  test('returns no settings for a model without windows', async () => {
    expect(await windowSettings({ windows: undefined }, tokenizer(2), 512)).toBeUndefined();
  });

  test('question contexts always have windows, with the stride of the transformers pipeline', () => {
    const question = (stride: number | undefined, maxLength: number) =>
      answerWindows({ windows: stride === undefined ? undefined : { stride } }, maxLength);
    expect(question(undefined, 384)).toEqual({ stride: 128 });
    expect(question(undefined, 64)).toEqual({ stride: 32 });
    expect(question(7, 64)).toEqual({ stride: 7 });
  });

  test.each([
    [undefined, 2, 512, 64],
    [undefined, 2, 16, 2],
    [undefined, 2, 3, 0],
    [undefined, 0, 1, 0],
    [0, 2, 3, 0],
    [13, 2, 16, 13],
  ])(
    'the stride %s, with %i special tokens in a window of %i tokens, is resolved to %i',
    async (stride, special, length, expected) => {
      expect(await settings(stride, special, length)).toEqual({ stride: expected });
    },
  );

  test('requires at least one token of the text in each window', async () => {
    await expect(settings(undefined, 4, 4)).rejects.toThrow(
      '`max_length` is 4, but `long_texts: windows` needs at least 5, because 4 tokens of each window are special tokens. Increase `max_length`.',
    );
  });

  test('requires at least one new token in each window', async () => {
    await expect(settings(14, 2, 16)).rejects.toThrow(
      '`stride` is 14, but must be at most 13: windows have 16 tokens, and 2 of them are special tokens. Decrease `stride` or increase `max_length`.',
    );
  });
});
