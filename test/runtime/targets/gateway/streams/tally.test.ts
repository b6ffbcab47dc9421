import { expect, test } from 'vitest';
import { readUsage } from '../../../../../runtime/targets/gateway/streams/tally.ts';

const read = (prompt: unknown, completion: unknown) =>
  readUsage({ prompt_tokens: prompt, completion_tokens: completion } as never);

test('what a provider counted is taken as it says', () => {
  expect(read(10, 5)).toMatchObject({ promptTokens: 10, completionTokens: 5, cachedTokens: 0 });
  expect(read(10, null)).toMatchObject({ promptTokens: 10, completionTokens: 0 });
});

test.each([-5, 1.5, 1e30, Number.MAX_SAFE_INTEGER, '12', {}, true])(
  'a count of %j is none: tokens are estimated then, not free, and fit into the accounts',
  (count) => {
    expect(read(count, 3)).toBeUndefined();
    expect(read(3, count)).toBeUndefined();
  },
);
