import { expect, test } from 'vitest';
import { BREAKER_POLICY, createTargetStates } from '#gateway/requests/routing/target-states.ts';
import { createRouter, ROUTING_POLICY } from '#gateway/requests/routing/router.ts';
import { startFixture } from '../../fixture-provider.ts';
import { manualClock } from '../../manual-clock.ts';
import {
  callOf,
  chatBody,
  failureOf,
  providerOf,
  readStream,
  streamOf,
  wholeOf,
} from '../../test-provider.ts';

const openai = await startFixture('openai');

const REQUEST = { owner: undefined, isTrial: false, isOwnTrial: false };

/** A model whose breaker is open and due for a trial. */
function dueForTrial(model: string) {
  const clock = manualClock();
  const states = createTargetStates(() => ROUTING_POLICY);
  const key = `openai:${model}`;
  for (let failures = 0; failures < BREAKER_POLICY.failures; failures += 1)
    states.report(key, 'failed', REQUEST, clock.now());
  expect(states.admit(key, clock.now()).admitted).toBe(false);
  clock.advance(BREAKER_POLICY.open);
  const router = createRouter({
    providers: [providerOf('openai', openai, { clock })],
    clock,
    random: () => 0,
    states,
  });
  const ask = (stream: boolean, signal = new AbortController().signal) =>
    router.chat(router.resolve(key), callOf('chat', chatBody(key, { stream }), { signal }));
  const admission = () => states.admit(key, clock.now());
  return { ask, admission };
}

test('a trial with a streaming response succeeds when the stream starts, whether or not the client reads it', async () => {
  const { ask, admission } = dueForTrial('good');
  const trial = await ask(true);
  expect(admission()).toMatchObject({ admitted: true, isTrial: false });
  expect(wholeOf((await ask(false)).answer).text).not.toBe('');
  streamOf(trial.answer).cancel();
  expect(admission()).toMatchObject({ admitted: true, isTrial: false });
});

test('a stream that breaks after a successful trial counts as an ordinary failure', async () => {
  const { ask, admission } = dueForTrial('ends-early@trial');
  const streams = [await ask(true)];
  while (streams.length < BREAKER_POLICY.failures) streams.push(await ask(true));
  for (const { answer } of streams) {
    expect(admission()).toMatchObject({ admitted: true, isTrial: false });
    expect((await readStream(answer)).summary.outcome).toBe('incomplete');
  }
  expect(admission()).toEqual({ admitted: false, retryAfter: BREAKER_POLICY.open });
});

test.each(['silent@trial', 'stall-first@trial'])(
  'if the client disconnects before the response to a trial (`%s`), the next trial is admitted',
  async (model) => {
    for (const stream of [false, true]) {
      const { ask, admission } = dueForTrial(model);
      const client = new AbortController();
      const asking = ask(stream, client.signal);
      await openai.happened('waiting', model);
      expect(admission().admitted).toBe(false);
      client.abort();
      expect(failureOf((await asking).answer).kind).toBe('cancelled');
      expect(admission()).toMatchObject({ admitted: true, isTrial: true });
    }
  },
);
