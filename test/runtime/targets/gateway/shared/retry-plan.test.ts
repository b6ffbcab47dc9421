import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryDelay } from '#core/limits/retry-delay.ts';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a requested pause is respected up to the maximum', () => {
  fc.assert(
    fc.property(fc.nat(5), fc.option(fc.nat(20_000)), share, (retries, pause, random) => {
      const delay = retryDelay(retries, pause ?? undefined, () => random, RETRY_POLICY);
      const isTooMuch = retries >= RETRY_POLICY.retries || (pause ?? 0) > RETRY_POLICY.maxPause;
      const longest = RETRY_POLICY.maxPause + RETRY_POLICY.maxDelay;
      const isAllowed = delay !== undefined && delay >= (pause ?? 0) && delay <= longest;
      expect(isTooMuch ? delay === undefined : isAllowed).toBe(true);
    }),
  );
});
