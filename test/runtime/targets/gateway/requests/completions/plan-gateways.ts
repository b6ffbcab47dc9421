import { createProviderQueue } from '#gateway/requests/routing/provider-queue.ts';
import { QUEUE_DEFAULTS } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { AppError } from '#contract/errors.ts';
import { UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { createLog } from '#serve/log.ts';
import type { Reservation } from '#gateway/accounts/ledger/ledger.ts';
import { createCompletions } from '#gateway/requests/completions/completions.ts';
import type { CompletionEvent } from '#gateway/requests/completions/telemetry.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { createModels } from '#gateway/requests/models/models.ts';
import { createPolicy } from '#gateway/requests/policy/policy.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import type { GatewayState } from '#gateway/gateway-state.ts';
import { answerCacheOn, UNCLEARED } from '../../api/answer-cache-on.ts';
import { type TestDatabase } from '../../databases.ts';
import { bearer } from '../../requests.ts';
import { chatBody } from '../../test-provider.ts';
import { priced } from './running-gateway.ts';

/** The outcome of a request. */
export interface Seen {
  readonly reason: string | undefined;
  readonly message: string;
  readonly model: string | undefined;
  readonly cost: bigint | undefined;
  readonly recorded: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** IDs that no other case uses. */
export interface Ids {
  readonly user: string;
  readonly team: string;
  readonly org: string;
  readonly key: string;
  readonly secret: string;
}

const NO_COST = { cost: 0n, tokens: 0, free: true };

/** Two gateways on one database; the first one handles the requests. */
export async function planGateways(database: TestDatabase, config: ModelsConfig) {
  const here = await database.start();
  const there = await database.open(here.url, { clock: here.clock });
  const { clock } = here;
  const models = createModels(config, {
    open: (one) => openProvider(one, { clock, random: () => 0.5, onLine: () => undefined }),
    clock,
    random: () => 0.5,
  });
  here.beforeClose(() => models.close());
  await here.prices.set(priced('openai:good', 10, 30));
  await here.prices.set(priced('openai:no-usage', 20, 60));
  const events: CompletionEvent[] = [];
  let recorded = 0;
  const prompts = {
    write: () => void (recorded += 1),
    redact: (text: string) => Promise.resolve(text),
    written: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const completions = createCompletions({
    state: here,
    policy: createPolicy({ guardrailHits: here.guardrailHits, prompts, clock }),
    models,
    tokenCounter: createTokenCounter(),
    providerQueue: createProviderQueue({ clock, settings: () => QUEUE_DEFAULTS }),
    answerCache: answerCacheOn(here.store, clock, UNCLEARED),
    telemetry: {
      trace: () => undefined,
      completed: (one) => void events.push(one),
      abandoned: () => undefined,
      authFailed: () => undefined,
      toolCalled: () => undefined,
      alerted: () => undefined,
      close: () => Promise.resolve(),
    },
    lifecycle: createLifecycle(),
    clock,
    log: createLog('silent', { write: () => undefined }),
  });
  let requests = 0;
  /** Sends a request in the same way as the routes. */
  const send = async (
    secret: string,
    { model = 'openai:good', tags = '', body = {} } = {},
  ): Promise<Seen> => {
    const headers: Record<string, string> = {};
    recorded = 0;
    events.length = 0;
    let error: AppError | undefined;
    try {
      await completions.answer({
        endpoint: '/v1/chat/completions',
        caller: await here.identity.authenticate(bearer(secret)),
        bytes: Buffer.from(JSON.stringify(chatBody(model, { max_tokens: undefined, ...body }))),
        headers: new Headers(tags === '' ? {} : { 'x-gateway-tags': tags }),
        hold: UNLIMITED_HOLD,
        requestId: `request-${(requests += 1)}`,
        startedAt: clock.now(),
        signal: new AbortController().signal,
        setHeader: (name, value) => void (headers[name] = value),
      });
    } catch (thrown) {
      error = AppError.from(thrown);
    }
    const [event] = events;
    return {
      reason: error?.reason,
      message: error?.message ?? '',
      model: event?.model,
      cost: event?.cost,
      recorded,
      headers,
    };
  };
  const reserve = async (secret: string): Promise<Reservation> => {
    const caller = await here.identity.authenticate(bearer(secret));
    return await here.ledger.reserve(await here.identity.spender(caller, undefined), NO_COST);
  };
  let cases = 0;
  /** A key in a team of an organization, for a user with a budget. */
  const setUp = async (state: GatewayState): Promise<Ids> => {
    cases += 1;
    const [user, team, org] = [`user-${cases}`, `team-${cases}`, `org-${cases}`];
    const { budgetId } = await state.budgets.create({ maxBudget: 20_000_000_000n });
    await state.identity.users.create({ userId: user, budgetId });
    await state.identity.organizations.create({ id: org });
    await state.identity.teams.create({ id: team, organizationId: org });
    const created = await state.identity.keys.create({ userId: user, teamId: team, selfMade: true });
    return { user, team, org, key: created.key.id, secret: created.secret };
  };
  return { here, there, clock, models, send, reserve, setUp };
}
