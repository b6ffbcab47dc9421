import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterAbandonment,
  admitCall,
  BREAKER_POLICY,
  CLOSED_BREAKER,
  afterFailure,
  afterSuccess,
  type Breaker,
} from '#gateway/requests/routing/target-states.ts';

/** Events of a target: time passes, a request starts, or a running request ends. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
  fc.record({ kind: fc.constant('begin' as const) }),
  fc.record({
    kind: fc.constant('end' as const),
    which: fc.nat(20),
    how: fc.constantFrom('succeeded' as const, 'failed' as const, 'abandoned' as const),
  }),
);

/** Runs the steps, and calls `check` for each request that requires admission. */
function play(
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  check: (asked: Asked) => void,
): void {
  let breaker: Breaker = CLOSED_BREAKER;
  let now = 0;
  let lastOpened = -Infinity;
  const running: { readonly isTrial: boolean }[] = [];
  for (const one of steps) {
    if (one.kind === 'wait') now += one.ms;
    else if (one.kind === 'begin') {
      const admission = admitCall(breaker, now);
      check({
        breaker,
        now,
        admitted: admission.admitted,
        lastOpened,
      });
      if (!admission.admitted) continue;
      breaker = admission.breaker;
      running.push({ isTrial: admission.isTrial });
    } else if (running.length > 0) {
      const [request] = running.splice(one.which % running.length, 1);
      const isTrial = request?.isTrial === true;
      const before = breaker;
      if (one.how === 'succeeded') breaker = afterSuccess();
      else
        breaker =
          one.how === 'failed' ? afterFailure(breaker, isTrial, now) : afterAbandonment(breaker, isTrial);
      if (breaker.openUntil !== undefined && breaker.openUntil !== before.openUntil) lastOpened = now;
    }
  }
}

interface Asked {
  readonly breaker: Breaker;
  readonly now: number;
  readonly admitted: boolean;
  readonly lastOpened: number;
}

test('an open breaker rejects all requests for a while, and then admits one trial request at a time', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      play(steps, ({ breaker, now, admitted, lastOpened }) => {
        const isOpen = breaker.openUntil !== undefined;
        const mustWait = isOpen && (breaker.trial || now < lastOpened + BREAKER_POLICY.open);
        expect(mustWait && admitted).toBe(false);
        expect(!isOpen && !admitted).toBe(false);
      });
    }),
    { numRuns: 500 },
  );
});

test('a breaker never stays open longer than the maximum', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      play(steps, ({ breaker, lastOpened }) => {
        expect((breaker.openUntil ?? lastOpened) - lastOpened || 0).toBeLessThanOrEqual(
          BREAKER_POLICY.maxOpen,
        );
      });
    }),
  );
});

test('a request that the breaker rejects gets a retry delay', () => {
  const open: Breaker = { failures: 5, openUntil: 5000, openedFor: 5000, trial: true };
  expect(admitCall(open, 1000)).toEqual({ admitted: false, retryAfter: 4000 });
  expect(admitCall(open, 9000)).toEqual({ admitted: false, retryAfter: 5000 });
});

test('only consecutive failures open a breaker, and one success closes it', () => {
  let breaker = CLOSED_BREAKER;
  for (let count = 1; count < BREAKER_POLICY.failures; count += 1) breaker = afterFailure(breaker, false, 0);
  expect(admitCall(breaker, 0).admitted).toBe(true);
  expect(admitCall(afterFailure(afterSuccess(), false, 0), 0).admitted).toBe(true);
  const open = afterFailure(breaker, false, 0);
  expect(admitCall(open, 0)).toEqual({ admitted: false, retryAfter: BREAKER_POLICY.open });
  const trial = admitCall(open, BREAKER_POLICY.open);
  expect(trial).toMatchObject({ admitted: true, isTrial: true });
});

test('a failed trial doubles the time for which the breaker stays open, and an abandoned trial admits the next trial', () => {
  const open: Breaker = { failures: 5, openUntil: 5000, openedFor: 5000, trial: true };
  expect(afterFailure(open, true, 6000)).toMatchObject({
    openUntil: 16_000,
    openedFor: 10_000,
    trial: false,
  });
  expect(admitCall(afterAbandonment(open, true), 6000)).toMatchObject({ admitted: true, isTrial: true });
});
