import { expect, test } from 'vitest';
import { joinLabels } from '#core/model/label-tokens.ts';

const rowsOf = (...lengths: number[]) =>
  lengths.map((length) => ({ ids: Int32Array.from({ length }, (_, at) => at + 1) }));

test('labels are padded to the longest one', () => {
  const { ids, lengths, columns } = joinLabels(rowsOf(1, 3, 0), 9);
  expect({ ids: [...ids], lengths: [...lengths], columns }).toEqual({
    ids: [1, 9, 9, 1, 2, 3, 9, 9, 9],
    lengths: [1, 3, 0],
    columns: 3,
  });
});

test('a model cannot run if no label has a token', () => {
  expect(() => joinLabels(rowsOf(0, 0), 9)).toThrow(
    'labels have no tokens for this model. Send labels with letters.',
  );
});

test('padding counts towards the maximum', () => {
  expect(joinLabels(rowsOf(512, ...Array.from({ length: 7 }, () => 1)), 0).ids.length).toBe(4096);
  expect(() => joinLabels(rowsOf(512, ...Array.from({ length: 8 }, () => 1)), 0)).toThrow(
    'labels have 4608 tokens when padded to the longest label, but the maximum is 4096. Send fewer or shorter labels.',
  );
});
