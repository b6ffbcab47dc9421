import { remember } from '#core/limits/remember.ts';
import { greatest, least } from '#core/numbers/extremes.ts';
import type { Clock } from '#platform/clock.ts';
import { MovedSessions } from '../../../shared/moved-sessions.ts';
import { orderForSession } from '../../../shared/rendezvous.ts';
import { orderByWeight } from '../../../shared/weighted-order.ts';
import type { ProviderFailure } from '../provider.ts';
import { coolDownAfter, MAX_PAUSE_MS, type CoolDown } from './cool-down.ts';
import type { KeyedCall, KeyEvent, KeyState, ProviderKeys } from './key-state.ts';
import { readRateLimits, remainingAt, roomAt, type RateLimits } from './rate-headers.ts';

/** A key of a pool, without its secret. */
interface PoolKey {
  readonly name: string;
  /** A key with weight 0 is used only if all others are cooling down or have no room. */
  readonly weight: number;
}

/** The keys of one provider. This is the only place where a key is chosen for a call. */
export interface KeyPool extends ProviderKeys {
  /**
   * Chooses a key for a call, which is then sent. Undefined if the call cannot be sent with a key that has not been tried; keys
   * that are cooling down are only returned for the first try, because a pool never rejects a call itself.
   */
  choose(call: KeyedCall, tried: ReadonlySet<string>): string | undefined;
  /** Records what the headers of a response report about the key's limits. */
  heard(key: string, call: KeyedCall, headers: Parameters<typeof readRateLimits>[0]): void;
  /** `startedAt` is when the call was sent. */
  succeeded(key: string, call: KeyedCall, startedAt: number): void;
  /** Returns whether the call can be sent with another key. */
  failed(
    key: string,
    call: KeyedCall,
    failure: Pick<ProviderFailure, 'kind' | 'upstreamStatus' | 'retryAfterSeconds'>,
  ): boolean;
  /** Milliseconds until a key can be expected to accept the call. */
  waitMs(call: KeyedCall): number;
}

interface KeyPoolParts {
  readonly provider: string;
  readonly keys: readonly [PoolKey, ...PoolKey[]];
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  /** Called with what other threads need to know, and for the log. */
  readonly onEvent?: ((event: KeyEvent) => void) | undefined;
}

type Cooled = NonNullable<KeyEvent['cooling']>;

/** What a provider has reported about a key and a model, and what has been sent since. */
interface Learned {
  readonly model: string;
  readonly limits: RateLimits;
  requests: number;
  tokens: number;
}

interface KeyRecord extends PoolKey {
  calls: number;
  readonly failures: Map<string, number>;
  /** By scope: '' for all calls, a model, or a model and a payer. */
  readonly cooling: Map<string, Cooled>;
  readonly learned: Map<string, Learned>;
  /** The payer of the last failed call to a model, and when it failed, until a call succeeds. */
  readonly suspects: Map<string, { readonly owner: string; readonly at: number }>;
}

/** Maximum number of models and payers per key with a state. */
const MAX_SCOPES = 1000;

/** Bytes of a request per token. A low number, so that a key with little room is rather not used. */
const BYTES_PER_TOKEN = 3;

export function createKeyPool({ provider, keys, clock, random, onEvent }: KeyPoolParts): KeyPool {
  const [first, ...others] = keys.map(newRecord);
  if (!first) throw new Error('A key pool must have at least one key.');
  const records = [first, ...others];
  const byName = new Map(records.map((record) => [record.name, record]));
  const moved = new MovedSessions();

  const recordOf = (name: string): KeyRecord => byName.get(name) ?? first;
  const preferred = ({ session, model = '' }: KeyedCall, now: number): KeyRecord[] => {
    if (!session) return orderByWeight(records, random);
    const order = orderForSession(records, session.id);
    const place = moved.placeOf(session, model, now);
    return place === undefined ? order : [recordOf(place), ...order.filter(({ name }) => name !== place)];
  };
  const cool = (record: KeyRecord, scope: string, cooling: Cooled | undefined): void => {
    const isNew = !cooling || (record.cooling.get(scope)?.until ?? 0) <= clock.now();
    setCooling(record, scope, cooling);
    onEvent?.({ kind: 'key', provider, key: record.name, scope, isNew, cooling });
  };

  return {
    names: [first.name, ...others.map(({ name }) => name)],
    choose(call, tried) {
      const now = clock.now();
      const required = call.requiredKeys?.get(provider);
      const usable = required === undefined ? preferred(call, now) : [recordOf(required)];
      const left = usable.filter(({ name }) => !tried.has(name));
      const warm = left.filter((record) => coolsUntil(record, call, now) <= now);
      const chosen =
        warm.find((record) => roomFor(record, call, now) <= now) ??
        earliest(warm, (record) => roomFor(record, call, now)) ??
        (tried.size === 0 ? earliest(left, (record) => coolsUntil(record, call, now)) : undefined);
      if (!chosen) return undefined;
      chosen.calls += 1;
      const learned = chosen.learned.get(call.model ?? '');
      if (learned) {
        learned.requests += 1;
        learned.tokens += tokensOf(call);
      }
      return chosen.name;
    },
    heard(key, { model = '' }, headers) {
      const limits = readRateLimits(headers, clock.now());
      if (limits)
        remember(recordOf(key).learned, model, { model, limits, requests: 0, tokens: 0 }, MAX_SCOPES);
    },
    succeeded(key, call, startedAt) {
      const record = recordOf(key);
      const { session, model = '' } = call;
      if (session && !call.requiredKeys?.has(provider)) {
        const best = orderForSession(records, session.id)[0] ?? record;
        moved.served(session, model, key, best.name, clock.now());
      }
      // A response to a call that was sent before a failure does not show that the key works again.
      if ((record.suspects.get(model)?.at ?? startedAt) <= startedAt) record.suspects.delete(model);
      if (record.cooling.size === 0) return;
      for (const scope of scopesOf(call))
        if ((record.cooling.get(scope)?.since ?? Infinity) <= startedAt) cool(record, scope, undefined);
    },
    failed(key, call, { kind, upstreamStatus, retryAfterSeconds }) {
      const record = recordOf(key);
      record.failures.set(kind, (record.failures.get(kind) ?? 0) + 1);
      const rule = coolDownAfter(kind, upstreamStatus);
      if (!rule) return false;
      const now = clock.now();
      const { model = '', owner = '' } = call;
      const scope = scopeAfter(record, rule, model, { owner, at: now });
      const before = record.cooling.get(scope);
      // Failures of calls that were already running when the key began to cool down count once.
      const isOld = before === undefined || now - before.until > rule.longest;
      const repeats = isOld ? 0 : before.until > now ? before.repeats : before.repeats + 1;
      const pause = kind === 'rate_limited' ? pauseAfter(record, call, retryAfterSeconds, now) : undefined;
      const until = now + (pause ?? Math.min(rule.longest, rule.first * 2 ** Math.min(repeats, 20)));
      const isAll = rule.scope === 'key';
      cool(record, scope, {
        reason: kind,
        model: isAll ? undefined : model,
        until: Math.max(until, before?.until ?? 0),
        since: now,
        repeats,
      });
      return rule.triesNext;
    },
    waitMs(call) {
      const now = clock.now();
      return Math.max(0, least(records.map((record) => coolsUntil(record, call, now))) - now);
    },
    states: (now) => records.map((record) => stateOf(provider, record, now)),
    apply({ key, scope, cooling }) {
      const record = byName.get(key);
      if (record) setCooling(record, scope, cooling);
    },
  };
}

const newRecord = (key: PoolKey): KeyRecord => ({
  ...key,
  calls: 0,
  failures: new Map(),
  cooling: new Map(),
  learned: new Map(),
  suspects: new Map(),
});

function setCooling({ cooling }: KeyRecord, scope: string, next: Cooled | undefined): void {
  if (next) remember(cooling, scope, next, MAX_SCOPES);
  else cooling.delete(scope);
}

const EVERY_CALL = '';

/** IDs of users contain no line breaks, so the last line is the payer, and it is empty for all payers. */
const payerScope = (model: string, owner: string): string => `${model}\n${owner}`;

/** The scopes that contain a call. */
const scopesOf = ({ model = '', owner = '' }: KeyedCall): readonly string[] => [
  EVERY_CALL,
  payerScope(model, ''),
  payerScope(model, owner),
];

function scopeAfter(
  { suspects }: KeyRecord,
  { scope }: CoolDown,
  model: string,
  suspect: { readonly owner: string; readonly at: number },
): string {
  if (scope === 'key') return EVERY_CALL;
  if (scope === 'model') return payerScope(model, '');
  const { owner = suspect.owner } = suspects.get(model) ?? {};
  remember(suspects, model, suspect, MAX_SCOPES);
  return payerScope(model, owner === suspect.owner ? owner : '');
}

/** The time until which a key is cooling down for a call. */
function coolsUntil({ cooling }: KeyRecord, call: KeyedCall, now: number): number {
  if (cooling.size === 0) return now;
  return Math.max(now, greatest(scopesOf(call).map((scope) => cooling.get(scope)?.until ?? now)));
}

/** The time at which the limits of a key, as far as they are known, have room for a call. */
function roomFor({ learned }: KeyRecord, call: KeyedCall, now: number): number {
  const known = learned.get(call.model ?? '');
  if (!known) return now;
  const { limits, requests, tokens } = known;
  return Math.max(
    limits.requests ? roomIn(limits.requests, requests + 1, now) : now,
    limits.tokens ? roomIn(limits.tokens, tokens + tokensOf(call), now) : now,
  );
}

const roomIn = (limit: NonNullable<RateLimits['requests']>, amount: number, now: number): number =>
  now >= limit.resetsAt ? now : Math.max(now, roomAt(limit, amount));

const tokensOf = ({ bytes }: KeyedCall): number => Math.ceil((bytes?.length ?? 0) / BYTES_PER_TOKEN);

/** The first one with the earliest time. */
function earliest(records: readonly KeyRecord[], timeOf: (record: KeyRecord) => number) {
  return records.reduce<KeyRecord | undefined>(
    (best, record) => (best && timeOf(best) <= timeOf(record) ? best : record),
    undefined,
  );
}

/** The pause after a rate limit: as requested or, without a request, until the reported limits have room. */
function pauseAfter(
  record: KeyRecord,
  call: KeyedCall,
  retryAfterSeconds: number | undefined,
  now: number,
): number | undefined {
  if (retryAfterSeconds !== undefined) return Math.min(MAX_PAUSE_MS, retryAfterSeconds * 1000);
  const wait = roomFor(record, call, now) - now;
  return wait > 0 ? Math.min(MAX_PAUSE_MS, wait) : undefined;
}

/** Maximum number of cool-downs per key that are shown. */
const MAX_SHOWN = 20;

function stateOf(provider: string, record: KeyRecord, now: number): KeyState {
  const { name: key, weight, calls, failures, learned } = record;
  const cooling = [...record.cooling.values()]
    .filter(({ until }) => until > now)
    .toSorted((one, other) => other.until - one.until);
  return {
    provider,
    key,
    weight,
    calls,
    failures: Object.fromEntries(failures),
    coolingMs: Math.max(0, (cooling[0]?.until ?? now) - now),
    cooling: cooling.slice(0, MAX_SHOWN).map(({ reason, model, until }) => ({ reason, model, until })),
    limits: [...learned.values()].flatMap(({ model, limits, ...sent }) =>
      (['requests', 'tokens'] as const).flatMap((of) => {
        const limit = limits[of];
        const remaining = limit && remainingAt(limit, now);
        return limit && remaining !== undefined
          ? [
              {
                model,
                of,
                remaining: Math.max(0, Math.floor(remaining - sent[of])),
                resetsAt: limit.resetsAt,
              },
            ]
          : [];
      }),
    ),
  };
}
