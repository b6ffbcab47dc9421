import { describe, expect, test } from 'vitest';
import { createKeyPool } from '#gateway/providers/adapters/keys/key-pool.ts';
import type { KeyedCall } from '#gateway/providers/adapters/keys/key-state.ts';
import { createTestClock } from '../../../test-clock.ts';

// A provider that limits each key to a number of requests per minute and caches the prompts of each key for five
// minutes, and clients whose conversations run in parallel.
const KEYS = ['a', 'b', 'c'];
const SESSIONS = 60;
const TURNS = 20;
const TOKENS_PER_TURN = 1000;
const LIFETIME_MS = 300_000;

interface Simulated {
  /** Requests that no key accepted. */
  readonly refused: number;
  /** Calls that the provider rejected. */
  readonly rejected: number;
  readonly cachedShare: number;
  /** The keys that each session has used, in order, without repetitions. */
  readonly keysOf: ReadonlyMap<string, readonly string[]>;
}

interface World {
  readonly hasSessions: boolean;
  readonly requestsPerMinute: number;
  /** When a key begins to be rejected, as a share of the requests. */
  readonly revoked?: { readonly key: string; readonly after: number };
}

function simulate({ hasSessions, requestsPerMinute, revoked }: World): Simulated {
  const clock = createTestClock();
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const [first = '', ...others] = KEYS;
  const pool = createKeyPool({
    provider: 'openai',
    keys: [{ name: first, weight: 1 }, ...others.map((name) => ({ name, weight: 1 }))],
    clock,
    random,
  });
  const sent = new Map<string, number[]>();
  const cached = new Map<string, { readonly tokens: number; readonly until: number }>();
  const keysOf = new Map<string, string[]>();
  const turns = new Map<string, number>();
  let [refused, rejected, read, all] = [0, 0, 0, 0];
  const requests = SESSIONS * TURNS;
  const headersOf = (key: string) => {
    const recent = (sent.get(key) ?? []).filter((at) => at > clock.now() - 60_000);
    sent.set(key, recent);
    const oldest = recent[0] ?? clock.now();
    return {
      'x-ratelimit-remaining-requests': String(Math.max(0, requestsPerMinute - recent.length)),
      'x-ratelimit-reset-requests': `${Math.ceil(oldest + 60_000 - clock.now())}ms`,
    };
  };
  for (let request = 0; request < requests; request += 1) {
    clock.advance(500);
    const session = `session ${Math.floor(random() * SESSIONS)}`;
    const call: KeyedCall = {
      model: 'small',
      owner: 'ann',
      ...(hasSessions && { session: { id: session, lifetimeMs: LIFETIME_MS } }),
    };
    const tried = new Set<string>();
    for (;;) {
      const key = pool.choose(call, tried);
      if (key === undefined) {
        refused += 1;
        break;
      }
      tried.add(key);
      const isRevoked = revoked !== undefined && revoked.key === key && request / requests >= revoked.after;
      const remaining = Number(headersOf(key)['x-ratelimit-remaining-requests']);
      if (isRevoked || remaining === 0) {
        rejected += 1;
        const facts = isRevoked
          ? ({ kind: 'credentials', upstreamStatus: 401 } as const)
          : ({ kind: 'rate_limited', upstreamStatus: 429 } as const);
        pool.heard(key, call, headersOf(key));
        if (pool.failed(key, call, { ...facts, retryAfterSeconds: undefined })) continue;
        break;
      }
      sent.get(key)?.push(clock.now());
      pool.heard(key, call, headersOf(key));
      pool.succeeded(key, call, clock.now());
      const turn = turns.get(session) ?? 0;
      turns.set(session, turn + 1);
      const known = cached.get(`${key} ${session}`);
      read += known && known.until > clock.now() ? known.tokens : 0;
      const tokens = (turn + 1) * TOKENS_PER_TURN;
      all += tokens;
      cached.set(`${key} ${session}`, { tokens, until: clock.now() + LIFETIME_MS });
      const used = keysOf.get(session) ?? [];
      if (used.at(-1) !== key) used.push(key);
      keysOf.set(session, used);
      break;
    }
  }
  return { refused, rejected, cachedShare: read / all, keysOf };
}

describe('conversations at a provider with three keys', () => {
  test('with sessions, the provider reads most of their prompts from its cache; without, much less', () => {
    const world = { requestsPerMinute: 1000 };
    const [kept, spread] = [
      simulate({ ...world, hasSessions: true }),
      simulate({ ...world, hasSessions: false }),
    ];
    expect([kept.refused, kept.rejected, spread.refused, spread.rejected]).toEqual([0, 0, 0, 0]);
    expect([...kept.keysOf.values()].every((keys) => keys.length === 1)).toBe(true);
    // Every turn but the first reads what the turn before has sent.
    expect(kept.cachedShare).toBeGreaterThan(0.85);
    expect(spread.cachedShare).toBeLessThan(kept.cachedShare - 0.1);
  });

  test('a revoked key costs one rejected call a minute, and only its sessions move', () => {
    const before = simulate({ hasSessions: true, requestsPerMinute: 1000 });
    const after = simulate({
      hasSessions: true,
      requestsPerMinute: 1000,
      revoked: { key: 'b', after: 0.5 },
    });
    expect(after.refused).toBe(0);
    // Five minutes, in which the pause doubles each time.
    expect(after.rejected).toBeLessThan(6);
    for (const [session, keys] of after.keysOf) {
      const [home] = before.keysOf.get(session) ?? [];
      // Sessions of the revoked key use one other key afterwards.
      expect(keys.filter((key) => key !== 'b').length).toBeLessThanOrEqual(1);
      expect(keys[0]).toBe(home);
      expect(home === 'b' || keys.length === 1).toBe(true);
    }
    expect(after.cachedShare).toBeGreaterThan(0.8);
  });

  test('as long as the keys together have room, every request is served, and few calls are rejected', () => {
    // 120 requests per minute need all three keys.
    for (const hasSessions of [true, false]) {
      const { refused, rejected } = simulate({ hasSessions, requestsPerMinute: 50 });
      expect(refused).toBe(0);
      expect(rejected).toBeLessThan(12);
    }
  });

  test('if the keys together have too little room, requests are refused and each costs at most one call per key', () => {
    const { refused, rejected } = simulate({ hasSessions: true, requestsPerMinute: 20 });
    expect(refused).toBeGreaterThan(0);
    // Keys that are cooling down are not tried one after another.
    expect(rejected).toBeLessThan(refused * 1.2);
  });
});
