import assert from 'node:assert/strict';

const MAX_DIFFERENCE = 1e-6;

/** Asserts that two values are equal, except for the last digits of numbers. */
export function assertSame(found: unknown, expected: unknown): void {
  if (typeof found === 'number' && typeof expected === 'number') {
    assert.ok(Math.abs(found - expected) <= MAX_DIFFERENCE, `${found} instead of ${expected}`);
  } else if (
    typeof found === 'object' &&
    typeof expected === 'object' &&
    found !== null &&
    expected !== null
  ) {
    assert.deepEqual(Object.keys(found), Object.keys(expected));
    for (const [key, value] of Object.entries(expected))
      assertSame((found as Record<string, unknown>)[key], value);
  } else assert.deepEqual(found, expected);
}
