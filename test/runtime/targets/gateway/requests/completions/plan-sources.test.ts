import { AFFINITY_DEFAULTS, sessionOf } from '#gateway/requests/routing/affinity.ts';
import { orderForSession } from '#gateway/shared/rendezvous.ts';
import { expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import type { GroupChanges } from '#gateway/accounts/fields/groups.ts';
import type { KeyChanges } from '#gateway/accounts/fields/keys.ts';
import type { UserChanges } from '#gateway/accounts/fields/users.ts';
import { CACHE_DEFAULTS } from '#gateway/requests/cache/cache-settings.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import type { AbSettings } from '#gateway/requests/routing/ab-settings.ts';
import type { ModelSet } from '#gateway/requests/models/model-set.ts';
import { NO_PROMPTS, REQUEST_POLICY } from '#gateway/providers/shapes/policies.ts';
import type { GatewayState } from '#gateway/gateway-state.ts';
import { describeDatabases } from '../../databases.ts';
import { startScripted } from '../../scripted-provider.ts';
import { priced } from './running-gateway.ts';
import { createSettings } from '../tools/tool-settings.ts';
import { type Ids, planGateways, type Seen } from './plan-gateways.ts';

// Decisions that requests for a model share are computed once. Here, each of their sources is changed after requests have
// used them: the next request must see the change, as if nothing had been cached.

const scripted = await startScripted();
scripted.says({
  id: '1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 100, total_tokens: 200 },
});

interface Case {
  /** Setup before the change, in addition to a key in a team of an organization and a user with a large budget. */
  readonly before?: (state: GatewayState, ids: Ids, now: number) => Promise<unknown>;
  readonly change: (state: GatewayState, ids: Ids, now: number) => Promise<unknown>;
  readonly seen: Partial<Record<keyof Seen, unknown>>;
  readonly model?: string;
  readonly tags?: string;
  /** Number of requests after the change, because each one fills a limit. Default: 1. */
  readonly requests?: number;
  /** Whether another request of the key is running. */
  readonly isBusy?: boolean;
  /** Time that passes after the change; no other process is needed then. */
  readonly passes?: number;
}

const NOTHING = { maxBudget: 0n, budgetDurationSec: null };
const spent = { reason: 'budget_exceeded' };
const limited = { reason: 'rate_limited' };
const PARALLEL = { isBusy: true };
const noModel = { reason: 'model_not_allowed' };
/** A budget of 0 dollars. */
const ofNothing = async ({ budgets }: GatewayState): Promise<string> =>
  (await budgets.create({ maxBudget: 0n })).budgetId;

const key = (changes: KeyChanges, seen: Case['seen'], more: Partial<Case> = {}): Case => ({
  change: ({ identity }, ids) => identity.keys.change(ids.key, changes),
  seen,
  ...more,
});
const user = (changes: UserChanges, seen: Case['seen'], more: Partial<Case> = {}): Case => ({
  change: ({ identity }, ids) => identity.users.change(ids.user, changes),
  seen,
  ...more,
});
const group =
  (kind: 'teams' | 'organizations', id: 'team' | 'org') =>
  (changes: GroupChanges, seen: Case['seen'], more: Partial<Case> = {}): Case => ({
    change: ({ identity }, ids) => identity[kind].change(ids[id], changes),
    seen,
    ...more,
  });

/** Every key field that affects requests has a case; `undefined` marks a field that does not. */
const KEY = {
  keyName: key(
    { keyName: 'renamed' },
    { message: expect.stringContaining('renamed') },
    {
      before: ({ identity }, ids) => identity.keys.change(ids.key, { budget: NOTHING }),
    },
  ),
  isActive: key({ isActive: false }, { reason: 'inactive_key' }),
  expiresAt: {
    change: ({ identity }, ids, now) => identity.keys.change(ids.key, { expiresAt: now + 500 }),
    passes: 1000,
    seen: { reason: 'expired_key' },
  },
  metadata: undefined,
  allowedModels: key({ allowedModels: ['openai:other'] }, noModel),
  rpm: key({ rpm: 5 }, { headers: expect.objectContaining({ 'X-RateLimit-Limit': '5' }) }),
  tpm: key({ tpm: 1 }, limited, { requests: 2 }),
  maxParallel: key({ maxParallel: 1 }, limited, PARALLEL),
  // These only apply to requests that a limit would reject.
  queueSec: undefined,
  priority: undefined,
  budget: key({ budget: NOTHING }, spent),
  logPrompts: key({ logPrompts: true }, { recorded: 1 }),
  // Only gateways with MCP servers read it: requests/tools/servers.test.ts.
  tools: undefined,
  // It matters only for aliases with a shadow evaluation, see `requests/shadow`.
  allowShadow: undefined,
} satisfies Record<keyof KeyChanges, Case | undefined>;

const USER = {
  alias: undefined,
  budgetId: {
    change: async (state, ids) =>
      await state.identity.users.change(ids.user, { budgetId: await ofNothing(state) }),
    seen: spent,
  },
  blocked: user({ blocked: true }, { reason: 'user_blocked' }),
  metadata: undefined,
  rpm: user({ rpm: 1 }, limited, { requests: 2 }),
  tpm: user({ tpm: 1 }, limited, { requests: 2 }),
  maxParallel: user({ maxParallel: 1 }, limited, PARALLEL),
  queueSec: undefined,
  priority: undefined,
  // As for `allowShadow`.
  noShadow: undefined,
  role: undefined,
} satisfies Record<keyof UserChanges, Case | undefined>;

const groupCases = (kind: 'teams' | 'organizations', id: 'team' | 'org', noun: string) => {
  const one = group(kind, id);
  return {
    organizationId:
      kind === 'organizations'
        ? undefined
        : {
            before: ({ identity }, ids) =>
              identity.organizations.create({ id: `blocked-${ids.org}`, blocked: true }),
            change: ({ identity }, ids) =>
              identity.teams.change(ids.team, { organizationId: `blocked-${ids.org}` }),
            seen: { reason: 'organization_blocked' },
          },
    alias: undefined,
    budgetId: {
      change: async (state, ids) =>
        await state.identity[kind].change(ids[id], { budgetId: await ofNothing(state) }),
      seen: spent,
    },
    blocked: one({ blocked: true }, { reason: `${noun}_blocked` }),
    allowedModels: one({ allowedModels: [] }, noModel),
    metadata: undefined,
    rpm: one({ rpm: 1 }, limited, { requests: 2 }),
    tpm: one({ tpm: 1 }, limited, { requests: 2 }),
    maxParallel: one({ maxParallel: 1 }, limited, PARALLEL),
    queueSec: undefined,
    priority: undefined,
    noShadow: undefined,
  } satisfies Record<keyof GroupChanges, Case | undefined>;
};

const OTHERS: Readonly<Record<string, Case>> = {
  'a deleted key': {
    change: ({ identity }, ids) => identity.keys.delete(ids.key),
    seen: { reason: 'invalid_key' },
  },
  'a replaced secret': {
    change: ({ identity }, ids) => identity.keys.rotate(ids.key, 0),
    seen: { reason: 'invalid_key' },
  },
  'the end of a replaced secret': {
    before: ({ identity }, ids) => identity.keys.rotate(ids.key, 30),
    change: () => Promise.resolve(),
    passes: 30_000,
    seen: { reason: 'invalid_key' },
  },
  'the end of a key': {
    before: ({ identity }, ids, now) => identity.keys.change(ids.key, { expiresAt: now + 60_000 }),
    change: () => Promise.resolve(),
    passes: 60_000,
    seen: { reason: 'expired_key' },
  },
  'a deleted user': {
    change: ({ identity }, ids) => identity.users.delete(ids.user),
    seen: { reason: expect.stringMatching(/inactive_key|user_not_found/) },
  },
  'a smaller budget': {
    before: async ({ identity, budgets }, ids) => {
      const { budgetId } = await budgets.create({ maxBudget: 1_000_000_000n });
      await identity.users.change(ids.user, { budgetId });
      await identity.users.change(ids.user, { metadata: { budgetId } });
    },
    change: async ({ identity, budgets }, ids) => {
      const { metadata } = await identity.users.get(ids.user);
      await budgets.change(String(metadata['budgetId']), { maxBudget: 1n });
    },
    seen: { reason: expect.stringMatching(/budget/) },
  },
  'the budget of a tag': {
    tags: 'tagged',
    change: async (state) => await state.identity.tags.set('tagged', await ofNothing(state)),
    seen: spent,
  },
  'a key that binds the keys of a member': {
    before: ({ identity }, ids) => identity.keys.change(ids.key, {}),
    change: ({ identity }, ids) => identity.keys.create({ userId: ids.user, teamId: ids.team, rpm: 1 }),
    seen: limited,
    requests: 2,
  },
  'a price': {
    model: 'openai:set',
    before: ({ prices }) => prices.set(priced('openai:set', 10, 10)),
    change: ({ prices }) => prices.set(priced('openai:set', 0, 0)),
    seen: { cost: 0n },
  },
  'a deleted price': {
    model: 'openai:deleted',
    before: ({ prices }) => prices.set(priced('openai:deleted', 10, 10)),
    change: ({ prices }) => prices.delete('openai:deleted'),
    seen: { reason: 'pricing_required' },
  },
  'a price of the future': {
    model: 'openai:future',
    before: async ({ prices }, _ids, now) => {
      await prices.set(priced('openai:future', 10, 10));
      await prices.set({ ...priced('openai:future', 0, 0), effectiveAt: now + 60_000 });
    },
    change: () => Promise.resolve(),
    passes: 60_000,
    seen: { cost: 0n },
  },
  'another price map': {
    model: 'openai:listed',
    before: ({ priceMaps }) => priceMaps.store(mapWith(1)),
    change: ({ priceMaps }) => priceMaps.store(mapWith(0)),
    seen: { cost: 0n },
  },
  'no own price map': {
    model: 'openai:listed',
    before: ({ priceMaps }) => priceMaps.store(mapWith(1)),
    change: ({ priceMaps }) => priceMaps.reset(),
    seen: { reason: 'pricing_required' },
  },
};

const mapWith = (price: number) =>
  ({
    format: 'encoderfile-prices-1',
    date: '2099-01-01',
    source: 'test',
    models: { openai: { listed: { input: price, output: price } } },
  }) as unknown as Parameters<GatewayState['priceMaps']['store']>[0];

const ALL: readonly (readonly [string, Case])[] = [
  ...Object.entries(KEY).map(([name, one]) => [`key ${name}`, one] as const),
  ...Object.entries(USER).map(([name, one]) => [`user ${name}`, one] as const),
  ...Object.entries(groupCases('teams', 'team', 'team')).map(([name, one]) => [`team ${name}`, one] as const),
  ...Object.entries(groupCases('organizations', 'org', 'organization')).map(
    ([name, one]) => [`organization ${name}`, one] as const,
  ),
  ...Object.entries(OTHERS),
].flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const]));

/** A value with which the first user's requests are a session that one of two models serves. */
function cacheKeyServedBy(model: string, other: string): string {
  for (let number = 0; ; number += 1) {
    const parts = { headers: new Headers(), endUser: undefined, payer: 'user-1' };
    const body = { prompt_cache_key: `session ${number}` };
    const { id = '' } = sessionOf({ ...parts, body }, AFFINITY_DEFAULTS) ?? {};
    const choices = [model, other].map((name) => ({ name, weight: 1 }));
    if (orderForSession(choices, id)[0]?.name === model) return body.prompt_cache_key;
  }
}

/** An A/B test in which the first user gets the candidate. */
const TEST: AbSettings = {
  baseline: ['openai:good'],
  model: 'openai:no-usage',
  share: 0.99,
  by: 'user',
  metrics: ['success'],
  judge: undefined,
  user: undefined,
  judgeShare: 0,
  maxScore: 1,
  windowMs: 1000,
  margin: 0.05,
  confidence: 0.95,
  maxRows: 100,
  retentionMs: undefined,
};

/** Decisions that depend on the set of models: another configuration, and the expected outcome of the next request. */
const SET: Readonly<
  Record<
    // Users' requests never use the isolated router.
    Exclude<keyof ModelSet, 'isolatedRouter'>,
    {
      readonly config: Partial<ModelsConfig>;
      readonly seen: Case['seen'];
      readonly body?: object;
      readonly model?: string;
    }
  >
> = {
  abTests: {
    model: 'best',
    config: { aliases: [{ name: 'best', targets: [{ model: 'openai:good' }], ab: TEST }] },
    seen: { model: 'openai:no-usage' },
  },
  router: {
    model: 'best',
    config: { aliases: [{ name: 'best', targets: [{ model: 'openai:no-usage' }] }] },
    seen: { model: 'openai:no-usage' },
  },
  guardrails: {
    config: {
      guardrails: {
        profiles: [
          {
            name: 'words',
            kind: 'patterns',
            action: 'block',
            patterns: new Map([['word', compileLinearPattern('Hello')]]),
          },
        ],
        demanded: [{ profile: 'words', mode: 'block', onUnavailable: 'block', on: ['input'] }],
      },
    },
    seen: { reason: expect.stringContaining('guardrail') },
  },
  affinity: {
    model: 'best',
    body: { prompt_cache_key: cacheKeyServedBy('openai:no-usage', 'openai:good') },
    config: {
      affinity: AFFINITY_DEFAULTS,
      // Without a session, the random number of these tests selects the second one.
      aliases: [{ name: 'best', targets: [{ model: 'openai:no-usage' }, { model: 'openai:good' }] }],
    },
    seen: { model: 'openai:no-usage' },
  },
  requirePricing: {
    model: 'openai:unlisted',
    config: { requirePricing: true, allowUnpriced: true },
    seen: { reason: 'pricing_required' },
  },
  allowUnpriced: {
    model: 'openai:unlisted',
    config: { allowUnpriced: false },
    seen: { reason: 'pricing_required' },
  },
  requests: {
    body: { user: 'somebody else' },
    config: { requests: { ...REQUEST_POLICY, userField: 'end_user' } },
    seen: { reason: undefined },
  },
  prompts: { config: { prompts: { ...NO_PROMPTS, isDefault: true } }, seen: { recorded: 1 } },
  assumedOutputTokens: {
    config: { assumedOutputTokens: 100_000_000 },
    seen: { reason: 'estimate_exceeds_budget' },
  },
  tools: {
    body: { tools: [{ type: 'mcp', server_label: 'other' }] },
    config: { tools: createSettings({}) },
    seen: { model: undefined },
  },
  cache: {
    config: { cache: CACHE_DEFAULTS },
    seen: { headers: expect.objectContaining({ 'X-Cache': 'miss' }) },
  },
};

const CONFIG: ModelsConfig = {
  providers: [
    {
      name: 'openai',
      type: 'openai',
      baseUrl: `${scripted.provider.url}/v1`,
      local: true,
      listedAs: 'openai',
    },
  ],
  aliases: [{ name: 'best', targets: [{ model: 'openai:good' }] }],
  routing: {},
  guardrails: { profiles: [], demanded: [] },
  pricing: [],
  requirePricing: false,
  allowUnpriced: false,
  requests: REQUEST_POLICY,
  prompts: NO_PROMPTS,
  assumedOutputTokens: 10,
};

describeDatabases((database) => {
  test.each(['this gateway', 'another gateway'] as const)(
    'the next request reflects every change that %s makes to the data on which its plan depends',
    { timeout: 120_000 },
    async (by) => {
      const { here, there, clock, send, reserve, setUp } = await planGateways(database, CONFIG);
      for (const [
        name,
        { before, change, seen, requests = 1, passes = 0, isBusy = false, ...request },
      ] of ALL) {
        const ids = await setUp(here);
        await before?.(here, ids, clock.wholeNow());
        const running = isBusy ? await reserve(ids.secret) : undefined;
        const first = await send(ids.secret, request);
        const second = await send(ids.secret, request);
        expect(second, name).toMatchObject({ reason: first.reason, cost: first.cost, model: first.model });
        expect(second, `${name}, before the change`).not.toMatchObject(seen);
        await change(by === 'this gateway' ? here : there, ids, clock.wholeNow());
        // The revision of the database is read again after a second.
        clock.advance(passes || (by === 'this gateway' ? 0 : 1000));
        for (let sent = 1; sent < requests; sent += 1) await send(ids.secret, request);
        expect(await send(ids.secret, request), name).toMatchObject(seen);
        if (running) await here.ledger.release(running);
      }
    },
  );

  test('the next request reflects every change to the set of models', async () => {
    const { here, models, send, setUp } = await planGateways(database, CONFIG);
    const { secret } = await setUp(here);
    for (const [name, { config, seen, ...request }] of Object.entries(SET)) {
      models.replace({ ...CONFIG, allowUnpriced: true });
      await send(secret, request);
      expect(await send(secret, request), `${name}, before the change`).not.toMatchObject(seen);
      models.replace({ ...CONFIG, allowUnpriced: true, ...config });
      expect(await send(secret, request), name).toMatchObject(seen);
    }
  });
});
