import { describe, expect, test } from 'vitest';
import { createKeyPool, type KeyPool } from '#gateway/providers/adapters/keys/key-pool.ts';
import type { KeyedCall, KeyEvent } from '#gateway/providers/adapters/keys/key-state.ts';
import { mergeKeyStates } from '#gateway/providers/adapters/keys/merge-key-states.ts';
import type { FailureKind } from '#gateway/providers/adapters/provider.ts';
import { createTestClock, type TestClock } from '../../../test-clock.ts';

interface Opened {
  readonly pool: KeyPool;
  readonly clock: TestClock;
  readonly events: KeyEvent[];
  /** Fails a call with a key. */
  readonly fail: (
    key: string,
    kind: FailureKind,
    facts?: { readonly status?: number; readonly retryAfter?: number; readonly call?: KeyedCall },
  ) => boolean;
  /** The keys that calls get, most frequent first. */
  readonly used: (call?: KeyedCall, times?: number) => string[];
}

const CALL: KeyedCall = { model: 'small', owner: 'ann' };

function open(weights: Readonly<Record<string, number>> = { a: 1, b: 1 }): Opened {
  const clock = createTestClock();
  const events: KeyEvent[] = [];
  let seed = 1;
  // The same numbers in each run (Park and Miller).
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const keys = Object.entries(weights).map(([name, weight]) => ({ name, weight }));
  const [first, ...others] = keys;
  if (!first) throw new Error('no keys');
  const pool = createKeyPool({
    provider: 'openai',
    keys: [first, ...others],
    clock,
    random,
    onEvent: (event) => void events.push(event),
  });
  return {
    pool,
    clock,
    events,
    fail: (key, kind, { status, retryAfter, call = CALL } = {}) =>
      pool.failed(key, call, { kind, upstreamStatus: status, retryAfterSeconds: retryAfter }),
    used(call = CALL, times = 200) {
      const names = Array.from({ length: times }, () => pool.choose(call, new Set()) ?? '');
      return [...Map.groupBy(names, (name) => name)]
        .toSorted(([, one], [, other]) => other.length - one.length)
        .map(([name]) => name);
    },
  };
}

test('keys get a share of the calls that is proportional to their weight', () => {
  const { pool } = open({ a: 3, b: 1, spare: 0 });
  for (let call = 0; call < 4000; call += 1) pool.choose(CALL, new Set());
  const calls = pool.states(0).map((state) => state.calls);
  expect(calls[0]).toBeGreaterThan(2850);
  expect(calls[0]).toBeLessThan(3150);
  expect(calls[2]).toBe(0);
});

describe('cool-downs', () => {
  test.each([
    ['rate_limited', 429, 1],
    ['credentials', 401, 60],
    ['billing', 402, 300],
    ['billing', 429, 300],
  ] as const)('%s with %i: the next key, and the same one %i s later', (kind, status, seconds) => {
    const { pool, clock, fail, used } = open();
    expect(fail('a', kind, { status })).toBe(true);
    expect(used()).toEqual(['b']);
    expect(pool.waitMs(CALL)).toBe(0);
    clock.advance(seconds * 1000 - 1);
    expect(used()).toEqual(['b']);
    clock.advance(1);
    expect(used().toSorted()).toEqual(['a', 'b']);
  });

  test.each(['provider_error', 'overloaded', 'timeout', 'stream_incomplete'] as const)(
    '%s: another key for the next call, which the router decides about',
    (kind) => {
      const { clock, fail, used } = open();
      expect(fail('a', kind, { status: 503 })).toBe(false);
      expect(used()).toEqual(['b']);
      clock.advance(1000);
      expect(used().toSorted()).toEqual(['a', 'b']);
    },
  );

  test.each([
    'bad_request',
    'content_filtered',
    'model_not_found',
    'unsupported',
    'too_large',
    'unreachable',
    'answer_too_large',
    'cancelled',
  ] as const)('%s has nothing to do with the key', (kind) => {
    const { events, fail, used } = open();
    expect(fail('a', kind, { status: 400 })).toBe(false);
    expect(events).toEqual([]);
    expect(used().toSorted()).toEqual(['a', 'b']);
  });

  test('the provider’s pause applies, up to an hour', () => {
    const { clock, fail, used } = open();
    fail('a', 'rate_limited', { status: 429, retryAfter: 20 });
    clock.advance(19_999);
    expect(used()).toEqual(['b']);
    clock.advance(1);
    expect(used().toSorted()).toEqual(['a', 'b']);
    fail('a', 'rate_limited', { status: 429, retryAfter: 86_400 });
    clock.advance(3_600_000);
    expect(used().toSorted()).toEqual(['a', 'b']);
  });

  test('without a pause, the time doubles from failure to failure, and simultaneous failures count once', () => {
    const { pool, clock, fail } = open({ a: 1 });
    const times: number[] = [];
    for (let failure = 0; failure < 8; failure += 1) {
      for (let parallel = 0; parallel < 10; parallel += 1) fail('a', 'rate_limited', { status: 429 });
      times.push(pool.waitMs(CALL) / 1000);
      clock.advance(pool.waitMs(CALL));
    }
    expect(times).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  test('a rate limit applies to one model, and a rejected key to all', () => {
    const { fail, used } = open();
    fail('a', 'rate_limited', { status: 429 });
    expect(used({ ...CALL, model: 'large' }).toSorted()).toEqual(['a', 'b']);
    fail('a', 'credentials', { status: 401 });
    expect(used({ ...CALL, model: 'large' })).toEqual(['b']);
    expect(used({})).toEqual(['b']);
  });

  test('a failure that a request can cause concerns its payer, until another payer fails as well', () => {
    for (const [kind, status] of [
      ['provider_error', 500],
      ['credentials', 403],
      // The message of a provider can repeat words from the request.
      ['billing', 400],
    ] as const) {
      const { fail, used } = open();
      const [bob, eve] = [
        { ...CALL, owner: 'bob' },
        { ...CALL, owner: 'eve' },
      ];
      for (let sent = 0; sent < 50; sent += 1) fail('a', kind, { status });
      expect(used()).toEqual(['b']);
      expect(used(bob).toSorted()).toEqual(['a', 'b']);
      fail('a', kind, { status, call: bob });
      expect(used(eve)).toEqual(['b']);
    }
  });

  test('with a success in between, failures of two payers do not concern others', () => {
    const { pool, clock, fail, used } = open();
    fail('a', 'provider_error', { status: 500 });
    clock.advance(1);
    pool.succeeded('a', { ...CALL, owner: 'eve' }, clock.now());
    fail('a', 'provider_error', { status: 500, call: { ...CALL, owner: 'bob' } });
    expect(used({ ...CALL, owner: 'eve' }).toSorted()).toEqual(['a', 'b']);
  });

  test('a success ends a cool-down, unless its call was sent before the failure', () => {
    const { pool, clock, events, fail, used } = open();
    const sentBefore = clock.now() - 1;
    fail('a', 'rate_limited', { status: 429, retryAfter: 30 });
    pool.succeeded('a', CALL, sentBefore);
    expect(used()).toEqual(['b']);
    clock.advance(10);
    pool.succeeded('a', CALL, clock.now());
    expect(used().toSorted()).toEqual(['a', 'b']);
    expect(events.map(({ isNew, cooling }) => [isNew, cooling?.reason])).toEqual([
      [true, 'rate_limited'],
      [true, undefined],
    ]);
  });

  test('if all keys cool down, the one that is available first is used, and no other is tried', () => {
    const { pool, fail, used } = open({ a: 1, b: 1, spare: 0 });
    fail('a', 'rate_limited', { status: 429, retryAfter: 30 });
    expect(used()).toEqual(['b']);
    fail('b', 'rate_limited', { status: 429, retryAfter: 10 });
    expect(used()).toEqual(['spare']);
    fail('spare', 'credentials', { status: 401 });
    expect(used()).toEqual(['b']);
    expect(pool.choose(CALL, new Set(['b']))).toBeUndefined();
    expect(pool.waitMs(CALL)).toBe(10_000);
  });

  test('other threads apply what one has learned', () => {
    const [one, other] = [open(), open()];
    one.fail('a', 'credentials', { status: 401 });
    for (const event of one.events) other.pool.apply(event);
    expect(other.used()).toEqual(['b']);
    expect(other.events).toEqual([]);
  });

  test('models and payers from clients do not fill the memory', () => {
    const { pool, clock, fail } = open();
    for (let client = 0; client < 5000; client += 1)
      fail('a', 'provider_error', { status: 500, call: { model: `m${client}`, owner: `u${client}` } });
    const [state] = pool.states(clock.now());
    expect(state?.cooling).toHaveLength(20);
    // The oldest of 1000 is forgotten.
    expect(pool.choose({ model: 'm1', owner: 'u1' }, new Set(['b']))).toBe('a');
    expect(pool.choose({ model: 'm4999', owner: 'u4999' }, new Set(['b']))).toBeUndefined();
  });
});

describe('limits that the provider reports', () => {
  const headers = (requests: number, tokens: number, reset = '30s') => ({
    'x-ratelimit-remaining-requests': String(requests),
    'x-ratelimit-reset-requests': reset,
    'x-ratelimit-remaining-tokens': String(tokens),
    'x-ratelimit-reset-tokens': reset,
  });

  test('a key without requests left is not used until the reset', () => {
    const { pool, clock, used } = open();
    pool.heard('a', CALL, headers(0, 1000));
    expect(used()).toEqual(['b']);
    expect(used({ ...CALL, model: 'large' }).toSorted()).toEqual(['a', 'b']);
    clock.advance(30_000);
    expect(used().toSorted()).toEqual(['a', 'b']);
  });

  test('calls since the report count', () => {
    const { pool, used } = open();
    pool.heard('a', CALL, headers(3, 1_000_000));
    pool.heard('b', CALL, headers(1_000_000, 1_000_000));
    used(CALL, 100);
    expect(pool.states(0)[0]?.calls).toBe(3);
  });

  test('a request that needs more tokens than are left uses another key', () => {
    const { pool, used } = open();
    pool.heard('a', CALL, headers(100, 1000));
    expect(used({ ...CALL, bytes: new Uint8Array(30_000) })).toEqual(['b']);
    expect(used({ ...CALL, bytes: new Uint8Array(30) }, 20).toSorted()).toEqual(['a', 'b']);
  });

  test('if no key has room, the one that has room first is used: a report does not reject a request', () => {
    const { pool, used } = open();
    pool.heard('a', CALL, headers(0, 1000, '30s'));
    pool.heard('b', CALL, headers(0, 1000, '20s'));
    expect(used()).toEqual(['b']);
  });

  test('after a 429 without a pause, the reported time applies', () => {
    const { pool, clock, fail } = open({ a: 1 });
    pool.heard('a', CALL, headers(0, 1000, '25s'));
    fail('a', 'rate_limited', { status: 429 });
    expect(pool.waitMs(CALL)).toBe(25_000);
    const [state] = pool.states(clock.now());
    expect(state).toMatchObject({
      failures: { rate_limited: 1 },
      coolingMs: 25_000,
      cooling: [{ reason: 'rate_limited', model: 'small' }],
      limits: [
        { model: 'small', of: 'requests', remaining: 0 },
        { model: 'small', of: 'tokens', remaining: 1000 },
      ],
    });
  });
});

describe('sessions', () => {
  const session = (id: string): KeyedCall => ({ ...CALL, session: { id, lifetimeMs: 300_000 } });

  test('a session always gets the same key, in every process', () => {
    const [one, other] = [open({ a: 1, b: 1, c: 1 }), open({ a: 1, b: 1, c: 1 })];
    for (let id = 0; id < 100; id += 1) {
      const [key, ...more] = one.used(session(String(id)), 5);
      expect(more).toEqual([]);
      expect(other.used(session(String(id)), 5)).toEqual([key]);
    }
  });

  test('a session moves while its key cools down, stays while it is used, and returns after its lifetime', () => {
    const { pool, clock, fail, used } = open({ a: 1, b: 1, c: 1 });
    const call = session('s');
    const [home = ''] = used(call);
    fail(home, 'rate_limited', { status: 429, retryAfter: 5, call });
    const [moved = ''] = used(call);
    expect(moved).not.toBe(home);
    pool.succeeded(moved, call, clock.now());
    for (let minute = 0; minute < 10; minute += 1) {
      clock.advance(60_000);
      expect(used(call)).toEqual([moved]);
      pool.succeeded(moved, call, clock.now());
    }
    clock.advance(300_000);
    expect(used(call)).toEqual([home]);
  });

  test('an object’s key comes before everything else, also while it cools down', () => {
    const { pool, fail, used } = open();
    fail('a', 'credentials', { status: 401 });
    const call = { ...session('s'), requiredKeys: new Map([['openai', 'a']]) };
    expect(used(call)).toEqual(['a']);
    expect(pool.choose(call, new Set(['a']))).toBeUndefined();
    expect(used({ ...CALL, requiredKeys: new Map([['mistral', 'a']]) })).toEqual(['b']);
  });
});

test('states of threads are merged: calls add up, cool-downs are shared, and the latest report counts', () => {
  const [one, other] = [open(), open()];
  one.used(CALL, 10);
  other.used(CALL, 10);
  one.fail('a', 'rate_limited', { status: 429 });
  for (const event of one.events) other.pool.apply(event);
  one.pool.heard('a', CALL, { 'x-ratelimit-remaining-requests': '9', 'x-ratelimit-reset-requests': '1s' });
  other.pool.heard('a', CALL, { 'x-ratelimit-remaining-requests': '4', 'x-ratelimit-reset-requests': '2s' });
  const now = one.clock.now();
  const [a, b] = mergeKeyStates([one.pool.states(now), other.pool.states(now)]);
  expect((a?.calls ?? 0) + (b?.calls ?? 0)).toBe(20);
  expect(a).toMatchObject({ failures: { rate_limited: 1 }, limits: [{ remaining: 4 }] });
  expect(a?.cooling).toHaveLength(1);
});
