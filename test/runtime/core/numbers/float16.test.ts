import { expect, test } from 'vitest';
import { fromFloat16Bits } from '#core/numbers/float16.ts';

test('all float16 numbers are converted as by Float16Array', () => {
  const bits = Uint16Array.from({ length: 0x10000 }, (_, index) => index);
  const expected = Float32Array.from(new Float16Array(bits.buffer));
  const isSame = (value: number, index: number): boolean => Object.is(value, expected[index]);
  expect(fromFloat16Bits(bits).findIndex((value, index) => !isSame(value, index))).toBe(-1);
});
