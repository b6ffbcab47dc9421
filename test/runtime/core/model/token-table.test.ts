import { describe, expect, test } from 'vitest';
import { openTokenTable, tableLayout, tableParts, type TableShape } from '#core/model/token-table.ts';

const PLAIN: TableShape = {
  rows: 3,
  elements: 'float32',
  hasWeights: false,
  hasMapping: false,
  width: 2,
  vocabularySize: 3,
};
const ROWS = [1, 2, 3, 4, 5, 9];

function open(changes: Partial<TableShape> = {}, parts: { weights?: number[]; mapping?: number[] } = {}) {
  const shape = { ...PLAIN, ...changes };
  const { bytes, weightsAt, mappingAt } = tableLayout(shape);
  const buffer = new ArrayBuffer(bytes);
  const Rows = { float32: Float32Array, float16: Float16Array, int8: Int8Array }[shape.elements];
  new Rows(buffer, 0, shape.rows * shape.width).set(ROWS.slice(0, shape.rows * shape.width));
  if (parts.weights) new Float32Array(buffer, weightsAt).set(parts.weights);
  if (parts.mapping) new Int32Array(buffer, mappingAt).set(parts.mapping);
  const meanOf = openTokenTable(shape, tableParts(shape, buffer));
  return (...ids: number[]): number[] => [...meanOf(Int32Array.from(ids))];
}

describe('the mean of the vectors of tokens', () => {
  test.each(['float32', 'float16', 'int8'] as const)('with %s', (elements) => {
    const meanOf = open({ elements });
    expect(meanOf(1)).toEqual([3, 4]);
    expect(meanOf(0, 1)).toEqual([2, 3]);
    expect(meanOf(2, 2, 2, 2, 0)).toEqual([4.199_999_809_265_137, 7.599_999_904_632_568]);
    expect(meanOf(...Array.from({ length: 9 }, (_, at) => at % 3))).toEqual([3, 5]);
  });

  test('is zero without tokens', () => {
    expect(open()()).toEqual([0, 0]);
    expect(open({ skipped: 1 })(1, 1)).toEqual([0, 0]);
  });

  test('excludes the skipped token', () => {
    expect(open({ skipped: 1 })(0, 1, 2, 1)).toEqual([3, 5.5]);
  });

  test('with weights and a mapping, which several tokens can share', () => {
    const shape = { rows: 2, vocabularySize: 3, hasWeights: true, hasMapping: true };
    const meanOf = open(shape, { weights: [1, 2, 10], mapping: [0, 1, 1] });
    expect(meanOf(0, 1, 2)).toEqual([(1 + 6 + 30) / 3, (2 + 8 + 40) / 3].map(Math.fround));
    expect(open({ ...shape, hasWeights: false }, { mapping: [1, 0, 1] })(0, 1)).toEqual([2, 3]);
  });

  test('rounds every sum to float32, as the libraries do', () => {
    const meanOf = open();
    let sum = 0;
    for (let at = 0; at < 999; at++) sum = Math.fround(sum + 0.1);
    const shape = { ...PLAIN, rows: 1, width: 1, vocabularySize: 1 };
    const mean = openTokenTable(shape, tableParts(shape, Float32Array.of(0.1).buffer))(new Int32Array(999));
    expect(mean[0]).toBe(Math.fround(sum / 999));
    expect(mean[0]).not.toBe(Math.fround(0.1));
    expect(meanOf(0)).toEqual([1, 2]);
  });
});

test('parts start at a multiple of four bytes', () => {
  const shape = {
    ...PLAIN,
    elements: 'int8',
    rows: 3,
    width: 3,
    hasWeights: true,
    hasMapping: true,
  } as const;
  expect(tableLayout(shape)).toEqual({ weightsAt: 12, mappingAt: 24, bytes: 36 });
  expect(tableLayout({ ...shape, hasWeights: false })).toEqual({ weightsAt: 12, mappingAt: 12, bytes: 24 });
});
