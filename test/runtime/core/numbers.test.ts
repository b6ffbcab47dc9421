import { describe, expect, test } from 'vitest';
import { argmax } from '#core/numbers/argmax.ts';
import { padBatch, padToShape } from '#encoder/engine/batch.ts';
import { planBatches } from '#encoder/engine/batch-queue.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { softmax } from '#core/numbers/softmax.ts';
import { threadsForOneRun } from '#encoder/commands/thread-count.ts';
import { normalizeL2 } from '#encoder/math/inference.ts';
import { meanOfRows } from '#core/vectors/pooling.ts';

/** The same numbers in every run. */
function* random(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    yield state / 4_294_967_296;
  }
}

describe('shortestFloat32', () => {
  test('prints the shortest readable form', () => {
    for (const text of ['0.1', '-1.5', '3.4028235e+38', '1e-45', '0', '16777216', '0.00021549065']) {
      expect(String(shortestFloat32(Math.fround(Number(text))))).toBe(text);
    }
    expect(shortestFloat32(Number.NaN)).toBeNaN();
  });

  test('round-trips to the same float32, with at most nine digits', () => {
    const numbers = random(1);
    const floats = new Float32Array(
      new Uint32Array(Array.from({ length: 20_000 }, () => numbers.next().value * 2 ** 32)).buffer,
    );
    for (const value of floats) {
      const printed = shortestFloat32(value);
      expect(Object.is(Math.fround(printed), value) || Number.isNaN(value)).toBe(true);
      expect(printed.toExponential().replace(/e.*|[-.]/g, '').length).toBeLessThanOrEqual(9);
    }
  });
});

describe('planBatches', () => {
  test('contains every text once, within the budget, and groups texts of similar length', () => {
    const numbers = random(2);
    for (let round = 0; round < 200; round++) {
      const lengths = Array.from(
        { length: Math.floor(numbers.next().value * 50) },
        () => 1 + Math.floor(numbers.next().value * 300),
      );
      const batches = planBatches(lengths, 512);
      expect(batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
      for (const batch of batches) {
        const longest = Math.max(...batch.map((index) => lengths[index] ?? 0));
        expect(batch.length === 1 || longest * batch.length <= 512).toBe(true);
      }
    }
  });
});

test('uses one thread for short texts on a small model, and all cores otherwise', () => {
  expect(threadsForOneRun(90e6, 40, 2)).toBe(1);
  expect(threadsForOneRun(90e6, 5000, 2)).toBe(2);
  expect(threadsForOneRun(435e6, 40, 2)).toBe(2);
});

describe('softmax, argmax, vectors, padding', () => {
  test('softmax is stable and sums to one', () => {
    expect([...softmax(Float32Array.of(1000, 1000))]).toEqual([0.5, 0.5]);
    expect(softmax(Float32Array.of(1, 2, 3)).reduce((a, b) => a + b)).toBeCloseTo(1, 6);
  });

  test('argmax returns the first maximum', () => {
    expect(argmax(Float32Array.of(1, 3, 3))).toBe(1);
  });

  test('a zero vector is unchanged, and other vectors are scaled to length 1', () => {
    expect([...normalizeL2(Float32Array.of(0, 0))]).toEqual([0, 0]);
    expect([...normalizeL2(Float32Array.of(3, 4))]).toEqual([Math.fround(0.6), Math.fround(0.8)]);
    expect([...meanOfRows(Float32Array.of(1, 2, 3, 4), 2, 2)]).toEqual([2, 3]);
  });

  test('rows are padded on the right', () => {
    const { ids, lengths, columns } = padBatch(
      [{ ids: Int32Array.of(1, 2, 3) }, { ids: Int32Array.of(4) }],
      9,
    );
    expect({ ids: [...ids], lengths: [...lengths], columns }).toEqual({
      ids: [1, 2, 3, 4, 9, 9],
      lengths: [3, 1],
      columns: 3,
    });
  });
});

test('a batch is padded to the fixed sizes of a graph', () => {
  const batch = padBatch(
    [{ ids: Int32Array.of(1, 2), typeIds: Int32Array.of(0, 1) }, { ids: Int32Array.of(4) }],
    9,
  );
  expect(padToShape(batch, 9)).toBe(batch);
  const { ids, typeIds, lengths, columns } = padToShape(batch, 9, { texts: 3, tokens: 3 });
  expect({ ids: [...ids], typeIds: [...(typeIds ?? [])], lengths: [...lengths], columns }).toEqual({
    ids: [1, 2, 9, 4, 9, 9, 1, 2, 9],
    typeIds: [0, 1, 0, 0, 0, 0, 0, 1, 0],
    lengths: [2, 1, 2],
    columns: 3,
  });
  expect([...padToShape(batch, 9, { tokens: 3 }).lengths]).toEqual([2, 1]);
});
