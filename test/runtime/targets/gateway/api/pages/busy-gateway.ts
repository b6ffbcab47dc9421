import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openGatewayState } from '#gateway/gateway-state.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import type { Store } from '#gateway/store/store.ts';
import { MASTER_KEY } from '../../master-key.ts';
import type { ScriptedProvider } from '../../scripted-provider.ts';
import { createTestClock } from '../../test-clock.ts';
import { providerOf } from '../../test-provider.ts';
import { USAGE_ROW } from '../../usage-row.ts';
import { addComparedRows } from '../../requests/shadow/compared-rows.ts';
import { gatewayOn, type OpenGateway } from '../open-gateway.ts';

/** Text that an attacker would put into a name, a prompt or a response. */
export const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';

interface BusyGateway extends OpenGateway {
  readonly url: string;
  /** Keys of the user ada: one for management, one for models. */
  readonly keys: { readonly manages: string; readonly calls: string };
}

const DAY_MS = 86_400_000;
const MODELS = ['openai:gpt-5-mini', 'openai:gpt-5', 'anthropic:claude-sonnet', 'mistral:small'];

/** A gateway with users, teams, budgets and two weeks of usage before its clock's current time. */
export function useBusyGateway(scripted: ScriptedProvider): () => BusyGateway {
  let busy: BusyGateway | undefined;
  let folder: string | undefined;
  let closeState: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
    const store = await openStore(parseDatabaseUrl(`sqlite:${join(folder, 'gateway.db')}`), {
      autoMigrate: true,
    });
    const clock = createTestClock();
    const onError = (error: unknown): void => {
      throw error;
    };
    const state = await openGatewayState(store, { clock, masterKey: MASTER_KEY, onError });
    closeState = state.close;
    const gateway = gatewayOn({ ...state, store }, clock, {
      providers: [providerOf('openai', scripted.provider), providerOf('anthropic', scripted.provider)],
      aliases: [
        { name: 'fast', targets: [{ model: 'openai:gpt-5-mini' }, { model: 'anthropic:claude', weight: 2 }] },
      ],
    });
    busy = { ...gateway, url: await gateway.listen(), keys: await fill(gateway, store) };
  });
  afterAll(async () => {
    await busy?.close();
    await closeState?.();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    if (!busy) throw new Error('the gateway is not open');
    return busy;
  };
}

async function fill(gateway: OpenGateway, { db }: Store): Promise<BusyGateway['keys']> {
  const { ask, context, clock } = gateway;
  const { body: budget } = await ask('POST', '/v1/budgets', {
    name: 'tier 1',
    max_budget: 2,
    calendar: 'month',
  });
  await ask('POST', '/v1/organizations', { organization_id: 'acme' });
  await ask('POST', '/v1/teams', { team_id: 'research', alias: 'Research', organization_id: 'acme' });
  for (const [id, alias] of [
    ['ada', 'Ada Lovelace'],
    ['grace', 'Grace Hopper'],
    ['mallory', HOSTILE],
  ])
    await ask('POST', '/v1/users', { user_id: id, alias, budget_id: budget.budget_id });
  await ask('PUT', '/v1/teams/research/members/ada', { role: 'admin' });
  const keyOf = async (fields: object) => (await ask('POST', '/v1/keys', fields)).body;
  const manages = await keyOf({ user_id: 'ada', scope: 'manage', key_name: 'laptop of Ada' });
  const calls = await keyOf({ user_id: 'ada', team_id: 'research', key_name: 'nightly job' });
  await keyOf({ user_id: 'mallory', key_name: HOSTILE, budget: { max_budget: 5 } });
  for (const model of ['openai:gpt-5', 'openai:gpt-5-mini'])
    await ask('POST', '/v1/pricing', {
      model_key: model,
      input_price_per_million: 1.25,
      output_price_per_million: 10,
      effective_at: '2026-01-01',
    });
  // Members see usage since the creation of their users and teams.
  const created_at = clock.now() - 30 * DAY_MS;
  await db.updateTable('gateway_users').set({ created_at }).execute();
  await db.updateTable('gateway_groups').set({ created_at }).execute();
  await db
    .insertInto('gateway_usage')
    .values(Array.from({ length: 420 }, (_, at) => usageRow(at, clock.now(), calls.id)))
    .execute();
  await db
    .updateTable('gateway_accounts')
    .set({ spent_nano: 1_700_000_000n, reserved_nano: 150_000_000n })
    .where('id', '=', 'user:ada')
    .execute();
  context.state.guardrailHits.add([
    {
      at: clock.now() - 60_000,
      request_id: 'request-7',
      user_id: 'mallory',
      api_key_id: null,
      team_id: null,
      endpoint: '/v1/chat/completions',
      model: 'fast',
      profile: 'injection',
      mode: 'block',
      place: 'input',
      score: 0.98,
      explanation: HOSTILE,
    },
  ]);
  await context.state.guardrailHits.close();
  await evaluate(gateway);
  return { manages: manages.key, calls: calls.key };
}

/** Aliases with shadow evaluations: not worse, worse, undecided, and one that cannot run. */
async function evaluate(gateway: OpenGateway): Promise<void> {
  const { ask } = gateway;
  await ask('POST', '/v1/providers', { name: 'openai', api_key: 'sk-x' });
  for (const [name, shadow] of [
    ['drafts', { model: `openai:${HOSTILE}` }],
    ['support', {}],
    ['summaries', {}],
    ['translations', { experiment: HOSTILE }],
  ] as const) {
    const settings = {
      model: 'openai:gpt-5-mini',
      share: 0.5,
      user: 'grace',
      judge: 'openai:gpt-5',
      ...shadow,
    };
    const { status, text } = await ask('POST', '/v1/aliases', {
      name,
      targets: ['openai:gpt-5'],
      shadow: settings,
    });
    if (status !== 200) throw new Error(text);
  }
  await addComparedRows(gateway, 'drafts', 0.5);
  await addComparedRows(gateway, 'support', -0.5);
  await addComparedRows(gateway, 'summaries', 0, 20);
}

function usageRow(at: number, now: number, keyId: string) {
  const isError = at % 23 === 7;
  const model = MODELS[(at * 7) % MODELS.length] ?? '';
  const [prompt, completion] = [300 + ((at * 37) % 900), 50 + ((at * 53) % 300)];
  // Requests 7 and 8 are two attempts of one request.
  const id = at === 0 ? 'tried-request.1' : at === 1 ? 'tried-request' : `request-${at}`;
  const isTried = at < 2;
  return {
    ...USAGE_ROW,
    id,
    timestamp: Math.floor(now - (isTried ? 60_000 : ((at * at) % 1209) * (DAY_MS / 90))),
    user_id: ['ada', 'grace', 'mallory'][at % 3],
    api_key_id: at % 3 === 0 ? keyId : null,
    team_id: at % 3 === 0 ? 'research' : null,
    organization_id: null,
    model: isTried ? (at === 0 ? 'openai:gpt-5-mini' : 'openai:gpt-5') : model,
    provider: model.split(':')[0],
    prompt_tokens: at === 0 || (isError && !isTried) ? null : isTried ? 1000 : prompt,
    completion_tokens: at === 0 || (isError && !isTried) ? null : isTried ? 200 : completion,
    cached_tokens: 0,
    total_tokens: at === 0 ? null : isTried ? 1200 : prompt + completion,
    // 1000 input tokens at $1.25, 200 output tokens at $10 per million.
    cost_nano:
      at === 0 ? null : isTried ? 3_250_000n : isError ? null : BigInt((prompt + 4 * completion) * 20_000),
    status: at === 0 || (isError && !isTried) ? ('error' as const) : ('success' as const),
    error_message: at === 0 || isError ? `Provider answered ${HOSTILE}` : null,
    error_detail: at === 0 ? `HTTP 503 from the provider: ${HOSTILE}` : null,
    status_code: at === 0 || isError ? 502 : 200,
    latency_ms: 300 + ((at * 91) % 2600),
    ttft_ms: 120 + ((at * 31) % 300),
    request_id: isTried ? 'a-request-with-two-attempts' : `id-${at}`,
    attempt: at === 1 ? 2 : 1,
    priced_by: 'own',
  };
}

/** Options of a visit: signed in with a key, at the gateway's time. */
export const signedIn = (gateway: BusyGateway, key: string = MASTER_KEY) => ({
  before: async (page: Page) => {
    await page.clock.setFixedTime(new Date(gateway.clock.now()));
    await page.addInitScript((value) => sessionStorage.setItem('api-key /', value), key);
  },
});
