import { createProviderQueue } from '#gateway/requests/routing/provider-queue.ts';
import { QUEUE_DEFAULTS } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { NO_PROMPTS, REQUEST_POLICY } from '#gateway/providers/shapes/policies.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, asyncProperty } from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import { AppError } from '#contract/errors.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { createLog } from '#serve/log.ts';
import type { CompletionAnswer } from '#gateway/requests/completions/completion.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { createPolicy } from '#gateway/requests/policy/policy.ts';
import { createCompletions } from '#gateway/requests/completions/completions.ts';
import { openGatewayState } from '#gateway/gateway-state.ts';
import { createGuardrails } from '#gateway/requests/guardrails/guardrails.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { startFixture } from '../../fixture-provider.ts';
import { answerCacheOn, UNCLEARED } from '../../api/answer-cache-on.ts';
import { bearer } from '../../requests.ts';
import { chatBody, providerOf } from '../../test-provider.ts';
import { priced } from './running-gateway.ts';
import { breakable, EVERYWHERE, INJECTED, injected, inGroups, MODELS, scenario } from './scenarios.ts';

const [openai, encoder] = [await startFixture('openai'), await startFixture('encoder')];
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
const store = await openStore(parseDatabaseUrl(`sqlite:${join(folder, 'gateway.db')}`), {
  autoMigrate: true,
});
const state = await openGatewayState(store, { clock, masterKey: undefined, onError: () => undefined });
const guard = openProvider(
  { name: 'guard', type: 'encoder', baseUrl: encoder.url, local: true },
  { clock, random: Math.random, onLine: () => undefined },
);
const providers = [providerOf('openai', openai), guard];
afterAll(async () => {
  await guard.close();
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

const tokenCounter = createTokenCounter();

await state.prices.seed(MODELS.map((model) => priced(`openai:${model}`, 10, 30)));

test(
  'regardless of failures, every request is settled once, reported once and leaves no reservations',
  { timeout: 60_000 },
  async () => {
    const { secret } = await state.identity.keys.create({ userId: 'ann', maxParallel: 1000 });
    const caller = await state.identity.authenticate(bearer(secret));
    const spender = await state.identity.spender(caller, undefined);

    await assert(
      asyncProperty(array(scenario, { minLength: 1, maxLength: 6 }), async (requests) => {
        const granted = new Map<string, number>();
        let [held, told] = [0, 0];
        const lifecycle = createLifecycle();

        await Promise.all(
          requests.map(async ({ model, stream, guardrails, says, broken, leavesAfter, leavesBy }) => {
            const fails = breakable(broken);
            const { identity, ledger, prices, priceMaps, objects } = state;
            const router = createRouter({ providers, clock, random: () => 0 });
            const rails = createGuardrails({
              profiles: [{ name: 'injection', encoder: 'guard', labels: ['INJECTION'], threshold: 0.5 }],
              classifier: (name) => router.classifier(name),
              clock,
            });
            const completions = createCompletions({
              policy: createPolicy({
                guardrailHits: state.guardrailHits,
                prompts: {
                  write: () => undefined,
                  redact: (text) => Promise.resolve(text),
                  written: () => Promise.resolve(),
                  close: () => Promise.resolve(),
                },
                clock,
              }),
              tokenCounter,
              providerQueue: createProviderQueue({ clock, settings: () => QUEUE_DEFAULTS }),
              answerCache: answerCacheOn(store, clock, UNCLEARED),
              state: {
                identity: fails('identity', identity),
                prices: fails('prices', prices),
                priceMaps,
                objects,
                objectMasks: state.objectMasks,
                ledger: fails('ledger', {
                  ...ledger,
                  async reserve(...args: Parameters<typeof ledger.reserve>) {
                    const reservation = await ledger.reserve(...args);
                    granted.set(reservation.id, 0);
                    return reservation;
                  },
                  async settle(...[reservation, ...entries]: Parameters<typeof ledger.settle>) {
                    granted.set(reservation.id, (granted.get(reservation.id) ?? 0) + 1);
                    await ledger.settle(reservation, ...entries);
                    if (broken === 'ledger.settle after') throw injected();
                  },
                  async release(...[reservation, ...entries]: Parameters<typeof ledger.release>) {
                    granted.set(reservation.id, (granted.get(reservation.id) ?? 0) + 1);
                    await ledger.release(reservation, ...entries);
                    if (broken === 'ledger.release after') throw injected();
                  },
                }),
              },
              models: {
                hold() {
                  held += 1;
                  let isHeld = true;
                  const set = {
                    router: fails('router', router),
                    isolatedRouter: () => router,
                    guardrails: fails('guardrails', rails),
                    requirePricing: false,
                    allowUnpriced: false,
                    requests: REQUEST_POLICY,
                    prompts: NO_PROMPTS,
                    assumedOutputTokens: 100,
                  };
                  const release = (): void => {
                    if (isHeld) held -= 1;
                    isHeld = false;
                  };
                  return { set, release };
                },
              },
              telemetry: {
                trace: () => undefined,
                completed: () => void (told += 1),
                abandoned: () => undefined,
                authFailed: () => undefined,
                toolCalled: () => undefined,
                alerted: () => undefined,
                close: () => Promise.resolve(),
              },
              lifecycle,
              clock,
              log: createLog('silent', { write: () => undefined }),
            });
            const client = new AbortController();
            if (leavesAfter === -1) client.abort();
            // At some point between the request and the first byte.
            if (leavesAfter === -2) setImmediate(() => setImmediate(() => client.abort()));
            const messages = [{ role: 'user', content: says }];
            const body = chatBody(`openai:${model}`, { messages, stream, guardrails });
            const answer = await completions
              .answer({
                endpoint: '/v1/chat/completions',
                caller,
                bytes: Buffer.from(JSON.stringify(body)),
                headers: new Headers(),
                hold: UNLIMITED_HOLD,
                requestId: 'r',
                startedAt: clock.now(),
                signal: client.signal,
                setHeader: () => undefined,
              })
              .catch((error: unknown) => {
                if (error instanceof AppError || error === INJECTED) return undefined;
                throw error;
              });
            if (answer)
              await read(answer, leavesAfter, () => (leavesBy === 'signal' ? client.abort() : undefined));
          }),
        );

        await lifecycle.drain();
        expect([...granted.values()].filter((times) => times !== 1)).toEqual([]);
        await new Promise((resolve) => setImmediate(resolve));
        expect({ held, told }).toEqual({ held: 0, told: requests.length });
        const { user } = await state.ledger.quota(spender);
        const rows = await store.db.selectFrom('gateway_usage').select('cost_nano').execute();
        const billed = rows.reduce((sum, row) => sum + (row.cost_nano ?? 0n), 0n);
        expect({ reserved: user.reserved, running: user.parallel.used, spent: user.spent }).toEqual({
          reserved: 0n,
          running: 0,
          spent: billed,
        });
      }),
      { numRuns: 20, examples: inGroups(EVERYWHERE, 12).map((group) => [[...group]]) },
    );
  },
);

/** Reads like a client that can disconnect. */
async function read(
  answer: CompletionAnswer,
  leavesAfter: number | undefined,
  abort: () => void,
): Promise<void> {
  if (answer.kind === 'whole') return;
  const { events } = answer;
  for (let pieces = 0; ; pieces += 1) {
    if (pieces === leavesAfter) {
      abort();
      await events.cancel();
    }
    if ((await events.next()).done) break;
  }
  await events.ended;
}
