import { expect, test } from 'vitest';
import { bytesPerTokenPair, memoryFacts, memoryProblem } from '#core/model/attention-memory.ts';

const model = (maxLength: number, attentionHeads?: number): Parameters<typeof memoryFacts>[0] => ({
  ...(attentionHeads === undefined ? {} : { attentionHeads }),
  tokenizer: { maxLength, truncationSide: 'right', padId: 0, vocabularySize: 100, marksSubwords: true },
});

test('attention scores require twice length² x heads x 4 bytes', () => {
  expect(bytesPerTokenPair(model(512, 16))).toBe(128);
  expect(memoryFacts(model(8192, 12))).toEqual([
    ['Memory', 'about 6.4 GB for a text of 8192 tokens, plus the weights'],
  ]);
});

test('a model without a head count is assumed to have 12 heads, and inspect and serve report no memory requirement for it', () => {
  expect(bytesPerTokenPair({})).toBe(bytesPerTokenPair(model(512, 12)));
  expect(memoryFacts(model(8192))).toEqual([]);
  expect(memoryProblem(model(8192), 1)).toBeUndefined();
});

test('the warning names the maximum length that fits', () => {
  expect(memoryProblem(model(8192, 12), 8_000_000_000)).toBeUndefined();
  expect(memoryProblem(model(8192, 12), 2_000_000_000)).toBe(
    'A text of 8192 tokens, the maximum of this model, needs about 6.4 GB of memory, but only 2.0 GB is available. ' +
      'Raise the memory limit, or build the model with a `max_length` of at most 4564.',
  );
});
