import { expect, it } from 'vitest';
import { creationTime } from '#cli/packaging/oci/creation-time.ts';

it('reads the creation time from SOURCE_DATE_EPOCH', () => {
  expect(creationTime(undefined)).toBeUndefined();
  expect(creationTime('')).toBeUndefined();
  expect(creationTime('0')).toBe('1970-01-01T00:00:00Z');
  expect(creationTime('1700000000')).toBe('2023-11-14T22:13:20Z');
});

it.each(['now', '-1', '1.5', '1'.repeat(13)])('rejects %s', (epoch) => {
  expect(() => creationTime(epoch)).toThrow(/^SOURCE_DATE_EPOCH is ".*", but must be a number of seconds/);
});
