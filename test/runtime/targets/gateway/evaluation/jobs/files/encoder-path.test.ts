import { expect, test } from 'vitest';
import type { CurrentModels } from '#gateway/requests/models/model-set.ts';
import { createEncoderProvider } from '#gateway/providers/adapters/encoder/encoder-provider.ts';
import { type Provider, PROVIDER_LIMITS } from '#gateway/providers/adapters/provider.ts';
import { encoderPath } from '#gateway/evaluation/jobs/files/encoder-path.ts';
import { workersOf } from '#gateway/evaluation/jobs/runner/workers-of.ts';
import { createTestClock } from '../../../test-clock.ts';
import { heldModels } from '../../../api/held-models.ts';
import { inference } from '../job-gateway.ts';

const clock = createTestClock();
const provider = (program?: string): Provider =>
  createEncoderProvider({
    name: 'a',
    apiKey: undefined,
    program,
    upstream: { request: () => Promise.reject(new Error('not called')), close: () => Promise.resolve() },
    limits: PROVIDER_LIMITS,
    clock,
  });
const pathOf = async (
  { models, held }: { models: CurrentModels; held: () => number },
  priced: readonly string[] = [],
): Promise<string | undefined> => {
  const prices = { at: (key: string) => Promise.resolve(priced.includes(key) ? FREE : undefined) };
  const path = await encoderPath('encoder:a', { models, prices, clock });
  expect(held()).toBe(0);
  return path;
};
const FREE = { input: 0n, output: 0n, cachedInput: null };

test('a configured executable runs on nodes, unless the gateway must charge for it', async () => {
  const open = heldModels({ providers: [provider('/a.encoder')] }, clock);
  expect(await pathOf(open)).toBe('/a.encoder');
  expect(await pathOf(open, ['encoder:a'])).toBeUndefined();
  expect(await pathOf(heldModels({ providers: [provider()] }, clock))).toBeUndefined();
  const { set, release } = open.models.hold();
  const strict = { hold: () => ({ set: { ...set, requirePricing: true }, release }) };
  expect(await pathOf({ models: strict, held: open.held })).toBeUndefined();
});

test('encoder jobs get as many workers as fit, even if the encoder is selected by name', async () => {
  const compute = { capacity: () => Promise.resolve(4) };
  const workers = async (model: string): Promise<number> =>
    await workersOf('auto', inference('', { backend: { kind: 'gateway', model } }), compute);
  expect(await workers('encoder:a')).toBe(4);
  expect(await workers('openai:gpt-5-mini')).toBe(1);
});
