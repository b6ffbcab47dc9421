import { expect, test } from 'vitest';
import { readRateLimits, remainingAt, roomAt } from '#gateway/providers/adapters/keys/rate-headers.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test("OpenAI's headers, whose times are durations", () => {
  const headers = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-limit-tokens': '150000',
    'x-ratelimit-remaining-tokens': '149984',
    'x-ratelimit-reset-tokens': '6m0s',
  };
  expect(readRateLimits(headers, NOW)).toEqual({
    requests: { remaining: 59, limit: 60, reportedAt: NOW, resetsAt: NOW + 1000 },
    tokens: { remaining: 149_984, limit: 150_000, reportedAt: NOW, resetsAt: NOW + 360_000 },
  });
});

test("Anthropic's headers, whose times are dates", () => {
  const headers = {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': '2026-03-01T12:00:30Z',
    'anthropic-ratelimit-tokens-remaining': '7',
    'anthropic-ratelimit-input-tokens-remaining': '4000',
    'anthropic-ratelimit-input-tokens-reset': '2026-03-01T12:00:05Z',
  };
  expect(readRateLimits(headers, NOW)).toEqual({
    requests: { remaining: 0, limit: 50, reportedAt: NOW, resetsAt: NOW + 30_000 },
    tokens: { remaining: 4000, limit: undefined, reportedAt: NOW, resetsAt: NOW + 5000 },
  });
});

test.each([
  ['20ms', 20],
  ['2m59.56s', 179_560],
  ['1h', 3_600_000],
  ['3', 3000],
  // Without a usable time, the limit is assumed to change soon.
  ['soon', 10_000],
  ['1s later', 10_000],
  ['9'.repeat(100), 10_000],
  // Limits per day, and times in the past.
  ['23h', 3_600_000],
  ['2026-03-01T11:00:00Z', 0],
])('the time %s', (reset, milliseconds) => {
  const headers = { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': reset };
  expect(readRateLimits(headers, NOW)?.requests?.resetsAt).toBe(NOW + milliseconds);
});

test.each(['-1', '1e9', 'many', '', '1'.repeat(16)])('the count %j is ignored', (count) => {
  expect(readRateLimits({ 'x-ratelimit-remaining-requests': count }, NOW)).toBeUndefined();
});

test('what is left grows evenly until the reset, after which nothing is known', () => {
  const limit = { remaining: 0, limit: 100, reportedAt: NOW, resetsAt: NOW + 10_000 };
  expect([0, 2500, 9999].map((ms) => Math.round(remainingAt(limit, NOW + ms) ?? -1))).toEqual([0, 25, 100]);
  expect(remainingAt(limit, NOW + 10_000)).toBeUndefined();
  expect(roomAt(limit, 25)).toBe(NOW + 2500);
  expect(roomAt({ ...limit, limit: undefined }, 25)).toBe(NOW + 10_000);
  // A request that is larger than the limit is tried after the reset.
  expect(roomAt(limit, 1000)).toBe(NOW + 10_000);
});
