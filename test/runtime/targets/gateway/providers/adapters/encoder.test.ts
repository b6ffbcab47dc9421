import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createGuardrails } from '#gateway/requests/guardrails/guardrails.ts';
import { type Provider, PROVIDER_LIMITS } from '#gateway/providers/adapters/provider.ts';
import { startEncoder } from '#serve/encoder/start-encoder.ts';
import { superviseEncoder } from '#gateway/providers/adapters/encoder/supervised-upstream.ts';
import { createWaiter } from '#gateway/providers/adapters/upstream.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { callOf } from '../../test-provider.ts';
import { builtExecutable } from '#test/helpers/built.ts';

const options = { clock: systemClock, random: () => 0, onLine: () => undefined };
const signal = new AbortController().signal;
const folder = useTempFolder();

const running = new Map<string, Provider>();
afterAll(() => Promise.all([...running.values()].map((provider) => provider.close())));

/** Started as configured by path, once for all tests, and stopped after them. */
function started(model: string): Provider {
  const known = running.get(model);
  if (known) return known;
  const provider = openProvider({ name: model, type: 'encoder', path: builtExecutable(model) }, options);
  running.set(model, provider);
  return provider;
}

test('an executable started by the gateway serves embeddings under the model name `encoder:<name>`', async () => {
  const router = createRouter({ providers: [started('embedder')], clock: systemClock, random: () => 0 });
  const resolved = router.resolve('encoder:embedder');
  const body = { model: 'encoder:embedder', input: ['Anna lives in Berlin.', 'So does Ben.'] };
  const { answer, target } = await router.embed(resolved, callOf('chat', body));
  expect(target.key).toBe('encoder:embedder');
  if (answer.kind !== 'whole') throw new Error(answer.failure.error.message);
  const json = JSON.parse(Buffer.from(answer.bytes).toString()) as { data: { embedding: number[] }[] };
  expect(json.data).toHaveLength(2);
  expect(Math.hypot(...(json.data[0]?.embedding ?? []))).toBeCloseTo(1, 4);
  expect(answer.summary.usage?.promptTokens).toBeGreaterThan(5);
  expect((await router.models(signal)).map(({ id }) => id)).toEqual(['encoder:embedder']);
  const chat = await router.chat(resolved, callOf('chat', { ...body, messages: [] }));
  expect(chat.answer).toMatchObject({ kind: 'failed', failure: { kind: 'unsupported' } });
});

test('an executable that the gateway starts classifies texts and can be used as a guardrail', async () => {
  const sentiment = started('sentiment');
  const classified = await sentiment.classify?.({ texts: ['I love this.'], signal });
  if (classified?.kind !== 'classified') throw new Error('It did not classify.');
  const [scores] = classified.scores;
  expect(classified.tokens).toBeGreaterThan(3);
  const labels = Object.keys(scores ?? {});
  expect(Object.values(scores ?? {}).reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 4);
  const guardrails = createGuardrails({
    profiles: [{ name: 'mood', encoder: 'sentiment', labels, threshold: 0.99 }],
    classifier: () => sentiment,
    clock: systemClock,
  });
  const rules = guardrails.rules([{ profile: 'mood' }]);
  const { blocked } = await guardrails.checkInput(
    rules,
    { messages: [{ role: 'user', content: 'Anything' }] },
    { requestId: 'r', signal },
  );
  expect(blocked?.code).toBe('ForbiddenError');
});

test('a model that cannot classify returns an error with the reason', async () => {
  const embedder = started('embedder');
  expect(await embedder.classify?.({ texts: ['x'], signal })).toMatchObject({
    kind: 'failed',
    failure: {
      kind: 'unsupported',
      error: {
        message:
          'Encoder `embedder` cannot classify. Use an encoder with a model of type sequence_classification or image_classification.',
      },
    },
  });
});

test('a killed encoder is restarted, and is stopped when its provider is closed', async () => {
  // Given
  const lines: string[] = [];
  const said = Promise.withResolvers<void>();
  const upstream = superviseEncoder({
    name: 'killed',
    path: builtExecutable('embedder'),
    limits: PROVIDER_LIMITS,
    clock: systemClock,
    random: () => 0,
    onLine(line) {
      lines.push(line);
      if (line.includes('; restarting in ')) said.resolve();
    },
  });
  const healthy = async (): Promise<number> => {
    const { status, body } = await upstream.request({
      method: 'GET',
      path: '/model',
      waiter: createWaiter(),
    });
    await body.collect(1_000_000);
    return status;
  };
  expect(await healthy()).toBe(200);
  const first = upstream.pid();
  // When
  process.kill(first as number, 'SIGKILL');
  await said.promise;
  // Then
  expect(await healthy()).toBe(200);
  const second = upstream.pid() as number;
  expect(second).not.toBe(first);
  await upstream.close();
  expect(() => process.kill(second, 0)).toThrow('ESRCH');
});

test('the error explains why a missing program or a program that exits cannot be started', async () => {
  const start = (path: string) =>
    startEncoder({ path, apiKey: 'k', clock: systemClock, signal, onLine: () => undefined });
  await expect(start('/nowhere/x.encoder')).rejects.toMatchObject({
    code: 'UnavailableError',
    message: expect.stringContaining('ENOENT'),
  });
  await expect(start('/bin/false')).rejects.toMatchObject({
    message: expect.stringContaining('exited with code 1'),
  });
});

test('an executable inherits NODE_EXTRA_CA_CERTS from the gateway', async () => {
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/certificates/collector.pem');
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(folder(), 'prints.encoder');
  writeFileSync(path, '#!/bin/sh\necho "$NODE_EXTRA_CA_CERTS" >&2\n', { mode: 0o755 });
  const line = Promise.withResolvers<string>();
  const starting = startEncoder({
    path,
    apiKey: 'k',
    clock: systemClock,
    signal,
    onLine: line.resolve,
  });
  await expect(starting).rejects.toMatchObject({ code: 'UnavailableError' });
  expect(await line.promise).toBe('/certificates/collector.pem');
});

test('an encoder that never becomes ready is stopped', async () => {
  const path = join(folder(), 'never.encoder');
  writeFileSync(path, '#!/bin/sh\necho $$ >&2\nexec sleep 1000\n', { mode: 0o755 });
  const told = Promise.withResolvers<string>();
  const provider = openProvider(
    { name: 'never', type: 'encoder', path },
    { ...options, onLine: told.resolve },
  );
  const pid = Number(await told.promise);
  const impatient = AbortSignal.timeout(10);
  expect(await provider.classify?.({ texts: ['x'], signal: impatient })).toMatchObject({
    kind: 'failed',
    failure: { kind: 'cancelled' },
  });
  await provider.close();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
