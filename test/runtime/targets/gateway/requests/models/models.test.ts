import { NO_PROMPTS, REQUEST_POLICY } from '#gateway/providers/shapes/policies.ts';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import type { CurrentModels, HeldModels } from '#gateway/requests/models/model-set.ts';
import { createModels, type Models } from '#gateway/requests/models/models.ts';
import type { ProviderInstance } from '#gateway/providers/adapters/provider.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { type FixtureProvider, startFixture } from '../../fixture-provider.ts';
import { callOf, chatBody, readStream } from '../../test-provider.ts';

const fixture: FixtureProvider = await startFixture('openai');

const running: Models[] = [];
afterEach(() => Promise.all(running.splice(0).map((models) => models.close())));

const provider = (name: string, more: Partial<ProviderInstance> = {}): ProviderInstance => ({
  name,
  type: 'openai',
  baseUrl: `${fixture.url}/v1`,
  local: true,
  ...more,
});

const configOf = (providers: ModelsConfig['providers'], more: Partial<ModelsConfig> = {}): ModelsConfig => ({
  providers,
  aliases: [],
  routing: {
    retry: { retries: 0, baseDelay: 1, maxDelay: 1, maxPause: 1 },
    breaker: { failures: 1, open: 60_000, maxOpen: 60_000 },
  },
  guardrails: { profiles: [], demanded: [] },
  pricing: [],
  requirePricing: false,
  allowUnpriced: false,
  requests: REQUEST_POLICY,
  prompts: NO_PROMPTS,
  assumedOutputTokens: 10,
  ...more,
});

/** The production code, with the state of its providers. */
function open(config: ModelsConfig): { models: Models; events: string[] } {
  const events: string[] = [];
  const random = (): number => 0.5;
  const models = createModels(config, {
    clock: systemClock,
    random,
    open(instance) {
      const opened = openProvider(instance, { clock: systemClock, random, onLine: () => undefined });
      events.push(`open ${instance.name}`);
      return {
        ...opened,
        async close() {
          events.push(`close ${instance.name}`);
          await opened.close();
        },
      };
    },
  });
  running.push(models);
  return { models, events };
}

async function ask(models: CurrentModels | HeldModels, model: string): Promise<string> {
  const held = 'hold' in models ? models.hold() : models;
  const { router } = held.set;
  const { answer, attempts } = await router.chat(router.resolve(model), callOf('chat', chatBody(model)));
  if ('hold' in models) held.release();
  return answer.kind === 'failed' ? (attempts[0]?.failure ?? answer.failure.kind) : answer.kind;
}

test('a reload keeps unchanged providers open, reopens changed providers and closes removed providers', async () => {
  const { models, events } = open(configOf([provider('a'), provider('b'), provider('c')]));
  models.replace(configOf([provider('d'), provider('b', { apiKey: 'new' }), provider('a')]));
  expect(events).toEqual(['open a', 'open b', 'open c', 'open d', 'open b', 'close b', 'close c']);
  expect(await ask(models, 'b:good')).toBe('whole');
  expect((await fixture.last()).headers['authorization']).toBe('Bearer new');
  const held = models.hold();
  expect(() => held.set.router.resolve('c:good')).toThrow(/Unknown or unsupported model/);
  held.release();
});

test('a request continues with its original provider, which closes after its last request', async () => {
  const { models, events } = open(
    configOf([provider('a')], { aliases: [{ name: 'old', targets: [{ model: 'a:good' }] }] }),
  );
  const [one, two] = [models.hold(), models.hold()];
  const { router } = one.set;
  const call = callOf('chat', chatBody('a:stall@models', { stream: true }));
  const { answer } = await router.chat(router.resolve('a:stall@models'), call);
  await fixture.happened('waiting', 'stall@models');
  models.replace(configOf([provider('b')]));
  models.replace(configOf([provider('b'), provider('c')]));
  expect(events).toEqual(['open a', 'open b', 'open c']);
  expect(await ask(one, 'old')).toBe('whole');
  await fixture.release();
  expect((await readStream(answer)).text).toMatch(/\[DONE\]\n\n$/);
  one.release();
  one.release();
  expect(events).not.toContain('close a');
  two.release();
  expect(events).toEqual(['open a', 'open b', 'open c', 'close a']);
});

test('circuit breakers stay open across a reload, unless their provider changed', async () => {
  const { models } = open(configOf([provider('a'), provider('b')]));
  for (const name of ['a', 'b']) expect(await ask(models, `${name}:fails-500`)).toBe('provider_error');
  models.replace(configOf([provider('a'), provider('b', { apiKey: 'new' })]));
  expect(await ask(models, 'a:fails-500')).toBe('breaker_open');
  expect(await ask(models, 'b:fails-500')).toBe('provider_error');
});

test('a reload has no effect if a new provider cannot be opened', async () => {
  const { models, events } = open(configOf([provider('a')]));
  const bad = provider('bad', { baseUrl: 'http://169.254.169.254/v1' });
  expect(() => models.replace(configOf([provider('b'), bad]))).toThrow(/169\.254\.169\.254/);
  expect(events).toEqual(['open a', 'open b', 'close b']);
  expect(await ask(models, 'a:good')).toBe('whole');
});
