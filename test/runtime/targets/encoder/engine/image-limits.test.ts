import { expect, test } from 'vitest';
import { imageLimits } from '#encoder/engine/image-limits.ts';

test('the largest image fits into the memory, and has 40 million pixels at most', () => {
  expect(imageLimits(24e9, 3)).toEqual({ bytes: 20 * 1024 * 1024, pixels: 40_000_000 });
  // A container with 512 MB and two CPUs.
  const { pixels } = imageLimits(512e6, 3);
  expect(pixels).toBeGreaterThan(3_000_000);
  expect(pixels * 20 * 3).toBeLessThanOrEqual(256e6);
});
