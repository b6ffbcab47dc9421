import { expect, test } from 'vitest';
import { findMaxLength, type LengthTrial } from '#cli/packaging/model/find-max-length.ts';

/** A model that can run texts of the lengths that `allows` accepts. */
const trial = (allows: (length: number) => boolean, changes: Partial<LengthTrial> = {}): LengthTrial => ({
  run: async ([ids = []]) => {
    if (!allows(ids.length)) throw new Error(`index ${ids.length} is out of bounds\nat Gather`);
  },
  sample: [1, 5, 2],
  maxLength: 512,
  padId: 1,
  isChosen: false,
  model: 'model.onnx',
  ...changes,
});

test('a model that can run a text of its maximum length keeps this maximum', async () => {
  expect(await findMaxLength(trial(() => true))).toBe(512);
});

test.each([510, 509, 300, 4])(
  'a model that fails on longer texts is limited to %i tokens',
  async (longest) => {
    expect(await findMaxLength(trial((length) => length <= longest))).toBe(longest);
  },
);

test('a maximum that is set by the user, and that the model cannot run, is rejected instead of reduced', async () => {
  await expect(findMaxLength(trial((length) => length <= 300, { isChosen: true }))).rejects.toThrow(
    "model.onnx failed on a text of 512 tokens, which `max_length` allows: index 512 is out of bounds. Set `max_length` in the config to at most 300, the model's maximum number of tokens.",
  );
});

test('a model that cannot run even a short text is rejected', async () => {
  await expect(findMaxLength(trial(() => false, { isChosen: true }))).rejects.toThrow(
    /^model\.onnx fails on single texts, even on a text of only 3 tokens: index 3 is out of bounds\. Export it again, and test the graph with single texts\.$/,
  );
});
