import { expect, test } from 'vitest';
import { BREAKER_POLICY } from '#gateway/requests/routing/target-states.ts';
import type { Clock } from '#platform/clock.ts';
import type { ChatAnswer, Provider } from '#gateway/providers/adapters/provider.ts';
import type { Alias, Attempt, Router } from '#gateway/requests/routing/routing.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import {
  callOf,
  chatBody,
  contentOf,
  failureOf,
  providerOf,
  readStream,
  REPLY,
  wholeOf,
} from '../../test-provider.ts';

const [openai, anthropic, gemini] = await Promise.all([
  startFixture('openai'),
  startFixture('anthropic'),
  startFixture('gemini'),
]);

function routerOf(
  alias: Partial<Alias>,
  clock: Clock,
  providers: readonly Provider[] = everybody(clock),
): Router {
  return createRouter({
    providers,
    aliases: [{ name: 'best', targets: [], ...alias }],
    clock,
    random: () => 0,
  });
}

const everybody = (clock: Clock): Provider[] => [
  providerOf('openai', openai, { clock }),
  providerOf('anthropic', anthropic, { clock }),
];

const one = (model: string) => ({ targets: [{ model }] });
const then = (first: string, ...fallbacks: string[]) => ({ ...one(first), fallbacks });
const outcomes = (attempts: readonly Attempt[]): string[] =>
  attempts.map(({ target, outcome, failure }) => `${target} ${failure ?? outcome}`);

/** Sends a request to the alias `best`. The random number is 0, so pauses take no time. */
async function ask(
  router: Router,
  clock: ReturnType<typeof manualClock>,
  more: Record<string, unknown> = {},
) {
  const asking = router.chat(router.resolve('best'), callOf('chat', chatBody('best', more)));
  const state = { over: false };
  const routed = asking.finally(() => {
    state.over = true;
  });
  while (!state.over) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  }
  return await routed;
}

/** The text of a buffered or streamed response. */
const saidIn = async (answer: ChatAnswer): Promise<string> =>
  answer.kind === 'stream' ? contentOf((await readStream(answer)).text) : wholeOf(answer).text;

test.each([false, true])('the next target is used if the first target fails (stream: %s)', async (stream) => {
  const clock = manualClock();
  for (const model of [
    'fails-500',
    'fails-401',
    'fails-404',
    'rate-limited',
    ...(stream ? ['error-first', 'error-after-preamble'] : []),
  ]) {
    const router = routerOf(then(`openai:${model}`, 'anthropic:good'), clock);
    const { answer, target, attempts } = await ask(router, clock, { stream });
    expect(target.key).toBe('anthropic:good');
    expect(attempts.at(-1)).toMatchObject({ target: 'anthropic:good', outcome: 'answered' });
    expect(attempts[0]).toMatchObject({ target: `openai:${model}`, outcome: 'failed', number: 1 });
    expect(await saidIn(answer)).toBe(REPLY);
  }
});

test('an invalid request is not sent to another target', async () => {
  const clock = manualClock();
  const router = routerOf(then('openai:fails-400', 'anthropic:good'), clock);
  const { answer, attempts } = await ask(router, clock);
  expect(failureOf(answer).error.code).toBe('MalformedError');
  expect(outcomes(attempts)).toEqual(['openai:fails-400 bad_request']);
});

test('a failed call is retried after a pause, and every attempt is reported', async () => {
  const clock = manualClock();
  const told: Attempt[] = [];
  const router = routerOf(one('openai:fails-once'), clock);
  const call = callOf('chat', chatBody('best'));
  const asking = router.chat(router.resolve('best'), call, { onAttempt: (attempt) => told.push(attempt) });
  // Half of the maximum jitter would be due now; the random number selects none of it.
  await clock.nextIn(0);
  clock.advance(0);
  const { attempts } = await asking;
  expect(outcomes(attempts)).toEqual(['openai:fails-once provider_error', 'openai:fails-once answered']);
  expect(told).toEqual(attempts);
  expect(told[0]).toMatchObject({ upstreamStatus: 503, number: 1 });
});

test('a failed call is retried at most twice', async () => {
  const clock = manualClock();
  const { answer, attempts } = await ask(routerOf(one('openai:fails-500'), clock), clock);
  expect(failureOf(answer).kind).toBe('provider_error');
  expect(attempts).toHaveLength(3);
});

test('a target that requests too long a pause is skipped, and the client gets the delay', async () => {
  const clock = manualClock();
  const { answer, attempts } = await ask(routerOf(one('openai:rate-limited'), clock), clock);
  expect(attempts).toHaveLength(1);
  expect(failureOf(answer)).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 7 });
});

test('a target that requested a pause is tried last until the pause is over', async () => {
  const clock = manualClock();
  const router = routerOf(then('openai:rate-limited', 'anthropic:good'), clock);
  const first = await ask(router, clock);
  expect(outcomes(first.attempts)).toEqual(['openai:rate-limited rate_limited', 'anthropic:good answered']);
  const second = await ask(router, clock);
  expect(outcomes(second.attempts)).toEqual(['anthropic:good answered']);
  clock.advance(7000);
  const third = await ask(router, clock);
  expect(third.attempts).toHaveLength(2);
});

test('a target that keeps failing is skipped, tried once after a while, and used again', async () => {
  // Given: no server listens
  const clock = manualClock();
  const nobody = providerOf('openai', { ...openai, url: 'http://127.0.0.1:9' }, { clock, name: 'gone' });
  const router = routerOf(then('gone:x', 'anthropic:good'), clock, [
    nobody,
    providerOf('anthropic', anthropic, { clock }),
  ]);
  // When
  const seen: string[] = [];
  for (let requests = 0; requests < 3; requests += 1)
    seen.push(...outcomes((await ask(router, clock)).attempts));
  // Then
  expect(seen.filter((attempt) => attempt === 'gone:x unreachable')).toHaveLength(BREAKER_POLICY.failures);
  expect(seen.at(-2)).toBe('gone:x breaker_open');
  clock.advance(BREAKER_POLICY.open);
  const trial = outcomes((await ask(router, clock)).attempts);
  expect(trial.filter((attempt) => attempt === 'gone:x unreachable')).toHaveLength(1);
});

test('the client gets a retry delay if no target is available', async () => {
  const clock = manualClock();
  const router = routerOf(one('openai:fails-500'), clock);
  for (let requests = 0; requests < 2; requests += 1) await ask(router, clock);
  const { answer, attempts } = await ask(router, clock);
  expect(outcomes(attempts)).toEqual(['openai:fails-500 breaker_open']);
  expect(failureOf(answer).retryAfterSeconds).toBeGreaterThan(0);
});

test('a stream that breaks later counts as a failure of its target', async () => {
  const clock = manualClock();
  const router = routerOf(one('openai:ends-early'), clock);
  for (let requests = 0; requests < BREAKER_POLICY.failures; requests += 1) {
    const { answer } = await ask(router, clock, { stream: true });
    expect((await readStream(answer)).summary.outcome).toBe('incomplete');
  }
  const { attempts } = await ask(router, clock, { stream: true });
  expect(outcomes(attempts)).toEqual(['openai:ends-early breaker_open']);
});

test('if a target does not respond in time, the next target is used', async () => {
  const clock = manualClock();
  const router = routerOf(then('openai:stall-first@slow', 'anthropic:good'), clock);
  const call = callOf('chat', chatBody('best', { stream: true }), { firstByteMs: 2000 });
  const asking = router.chat(router.resolve('best'), call);
  await openai.happened('waiting', 'stall-first@slow');
  clock.advance(2000);
  const { answer, attempts } = await asking;
  expect(outcomes(attempts)).toEqual(['openai:stall-first@slow timeout', 'anthropic:good answered']);
  await readStream(answer);
});

test('a client that disconnects stops all attempts', async () => {
  const clock = manualClock();
  const router = routerOf(then('openai:silent@left', 'anthropic:good'), clock);
  const client = new AbortController();
  const asking = router.chat(
    router.resolve('best'),
    callOf('chat', chatBody('best'), { signal: client.signal }),
  );
  await openai.happened('waiting', 'silent@left');
  client.abort();
  const { answer, attempts } = await asking;
  expect(failureOf(answer).kind).toBe('cancelled');
  expect(attempts).toHaveLength(1);
});

test('unknown model names are rejected with a fix', () => {
  const router = routerOf(one('openai:good'), manualClock());
  for (const model of ['gpt-4o', 'nobody:gpt-4o', 'openai:']) {
    expect(() => router.resolve(model)).toThrow(
      expect.objectContaining({
        code: 'MalformedError',
        message: `Unknown or unsupported model '${model}'. Use the format 'provider:model' with a configured provider.`,
      }),
    );
  }
  expect(router.resolve('openai/good').targets[0]?.key).toBe('openai:good');
});

test('a Gemini model has the same key with and without its list prefix', () => {
  const clock = manualClock();
  const router = routerOf(one('openai:good'), clock, [
    ...everybody(clock),
    providerOf('gemini', gemini, { clock }),
    providerOf('gemini', gemini, { clock, name: 'second' }),
  ]);
  for (const model of ['gemini:good', 'gemini:models/good', 'Gemini/models/models/good']) {
    const [target] = router.resolve(model).targets;
    expect(target).toMatchObject({ key: 'gemini:good', model: 'good', otherKeys: ['gemini:models/good'] });
  }
  expect(router.resolve('second:models/good').targets[0]?.key).toBe('second:good');
  // The prefix alone names no model, and has another meaning for other providers.
  expect(router.resolve('gemini:models/').targets[0]?.key).toBe('gemini:models/');
  expect(router.resolve('openai:models/good').targets[0]).toMatchObject({
    key: 'openai:models/good',
    model: 'models/good',
  });
});

test('all models are listed by their full names, except those of unreachable providers', async () => {
  const clock = manualClock();
  const nobody = providerOf('openai', { ...openai, url: 'http://127.0.0.1:9' }, { clock, name: 'gone' });
  const router = routerOf(one('openai:good'), clock, [...everybody(clock), nobody]);
  const ids = (await router.models(new AbortController().signal)).map(({ id }) => id);
  expect(ids).toEqual(['best', 'openai:good', 'openai:tools', 'anthropic:good']);
});
