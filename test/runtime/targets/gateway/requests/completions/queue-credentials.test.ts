import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { WorkloadIssuer } from '#gateway/accounts/workloads/workload-config.ts';
import { mergeWaiting } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { openStandInProvider, type StandInProvider } from '../../accounts/sign-in/stand-in-provider.ts';
import type { OpenGateway } from '../../api/open-gateway.ts';
import { useOwnGateways } from '../../api/use-gateway.ts';
import { LABELLED, requestsTo } from '../../evaluation/workflows/workflow-requests.ts';
import { startFixture } from '../../fixture-provider.ts';
import { createTestClock } from '../../test-clock.ts';
import { instanceOf } from './running-gateway.ts';

const AUDIENCE = 'https://llm.example.com';
const MODEL = 'openai:gpt-fast';
const fixture = await startFixture('openai');
const open = useOwnGateways();
let issuer: StandInProvider;
beforeAll(async () => {
  issuer = await openStandInProvider();
});
afterAll(async () => await issuer.close());

const token = async (): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  return await issuer.sign({ iss: issuer.issuer, aud: AUDIENCE, sub: 'app', iat: now, exp: now + 300 });
};

/** A gateway with a workload issuer, and a user for the tokens of `app` and one for keys. */
async function start(): Promise<OpenGateway> {
  const workload: WorkloadIssuer = {
    name: 'ci',
    issuer: issuer.issuer,
    audiences: [AUDIENCE],
    keys: undefined,
    keyMs: 3_600_000,
    maxUsers: 10,
    rules: [{ claims: { sub: ['app'] }, user: 'ci/{sub}', team: null, settings: {} }],
  };
  const provider = openProvider(instanceOf('openai', fixture, { listedAs: 'openai' }), {
    clock: createTestClock(),
    random: () => 0.5,
    onLine: () => undefined,
  });
  const gateway = await open({ workloads: [workload], providers: [provider] });
  // The issuer's tokens use this machine's clock.
  gateway.clock.advance(Date.now() - gateway.clock.now());
  await gateway.ask('POST', '/v1/users', { user_id: 'ann', queue_sec: 900 });
  await chat(gateway, await token());
  await gateway.ask('PATCH', '/v1/users/ci%2Fapp', { queue_sec: 900 });
  return gateway;
}

interface Answered {
  readonly status: number;
  readonly body: { readonly error?: { readonly code: string } };
}

async function chat({ app }: OpenGateway, secret: string): Promise<Answered> {
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 }),
  });
  return { status: response.status, body: (await response.json()) as Answered['body'] };
}

/** Ways to keep requests of all users waiting. */
const obstacles: Readonly<Record<string, (gateway: OpenGateway) => Promise<void>>> = {
  async 'a limit'({ ask, context: { state } }) {
    for (const userId of ['ann', 'ci/app']) {
      await ask('PATCH', `/v1/users/${encodeURIComponent(userId)}`, { max_parallel: 1 });
      const spender = await state.identity.spender({ kind: 'master' }, userId);
      await state.ledger.reserve(spender, { cost: 0n, tokens: 1, free: false });
    }
  },
  'a provider': ({ context: { providerQueue } }) => {
    const turn = providerQueue.open({
      model: MODEL,
      terms: { maxMs: 3_600_000, priority: 'high', userId: 'another' },
      patience: { leftMs: 3_600_000 },
      signal: new AbortController().signal,
      onWaited: () => undefined,
    });
    // This turn stays open, so others have to wait for it.
    void turn.waitAfter(new AppError('OverloadedError', 'No room.', { retryAfterSeconds: 1 }));
    return Promise.resolve();
  },
};

/** Credentials, and what ends their validity. */
const endings: Readonly<
  Record<string, (gateway: OpenGateway) => Promise<readonly [secret: string, end: () => Promise<unknown>]>>
> = {
  'a workload token that expires': async ({ clock }) => [
    await token(),
    () => Promise.resolve(clock.advance(331_000)),
  ],
  'a short-lived key that expires': async ({ ask, clock }) => {
    const { body } = await ask('POST', '/auth/workload', { token: await token(), expires_in: 120 }, {});
    return [body.key, () => Promise.resolve(clock.advance(121_000))];
  },
  'a replaced secret whose grace period ends': async ({ ask, clock }) => {
    const { body } = await ask('POST', '/v1/keys', { user_id: 'ann' });
    await ask('POST', `/v1/keys/${body.id}/rotate`, { grace_seconds: 60 });
    return [body.key, () => Promise.resolve(clock.advance(61_000))];
  },
  'a key that is deleted': async ({ ask }) => {
    const { body } = await ask('POST', '/v1/keys', { user_id: 'ann' });
    return [body.key, () => ask('DELETE', `/v1/keys/${body.id}`)];
  },
  'a key that loses its model': async ({ ask }) => {
    const { body } = await ask('POST', '/v1/keys', { user_id: 'ann' });
    return [body.key, () => ask('PATCH', `/v1/keys/${body.id}`, { allowed_models: ['other:*'] })];
  },
  'a user who is blocked': async ({ ask }) => {
    const { body } = await ask('POST', '/v1/keys', { user_id: 'ann' });
    return [body.key, () => ask('PATCH', '/v1/users/ann', { blocked: true })];
  },
  async 'a worker that loses its job'(gateway) {
    const { jobs } = gateway.context;
    const { body } = await gateway.ask('POST', '/v1/keys', { user_id: 'ann' });
    const own = { 'X-Gateway-Key': `Bearer ${body.key}` };
    const { upload } = requestsTo(gateway);
    const { body: dataset } = await upload(LABELLED, undefined, own);
    const task_definition = { task: 'summarization' };
    const about = { name: 'e', dataset: dataset.id, task_definition };
    const experiment = (await gateway.ask('POST', '/api/v1/experiments/', about, own)).body;
    const work = { name: 'w', experiment_id: experiment.id, provider: 'gateway', model: MODEL };
    await gateway.ask('POST', '/api/v1/workflows/', work, own);
    const claim = await jobs.queue.claim();
    if (!claim) throw new Error('The workflow has no job.');
    await jobs.queue.begin(claim);
    await jobs.access.openAccount(claim);
    const secret = await jobs.tokens.sign({ jobId: claim.job.id, epoch: claim.epoch, worker: randomUUID() });
    return [secret, () => jobs.queue.end(claim, { status: 'failed', error: 'The worker was stopped.' })];
  },
};
const CODES = new Set([
  'invalid_token',
  'invalid_key',
  'expired_key',
  'model_not_allowed',
  'user_blocked',
  'lease_lost',
]);

describe.each(Object.keys(obstacles))('a request that waits for %s', (obstacle) => {
  test.each(Object.keys(endings))('does not outlast %s', async (name) => {
    const gateway = await start();
    const { clock } = gateway;
    const [secret, end] = (await endings[name]?.(gateway)) ?? ['', () => Promise.resolve()];
    await obstacles[obstacle]?.(gateway);
    let answered: Answered | undefined;
    const request = chat(gateway, secret).then((one) => (answered = one));
    const { state, providerQueue } = gateway.context;
    /** Another request, with a high priority, can wait as well. */
    const count = (): number =>
      mergeWaiting([state.ledger.waiting(), providerQueue.waiting()]).find(
        ({ priority }) => priority === 'normal',
      )?.count ?? 0;
    await vi.waitFor(() => expect(count()).toBe(1), { timeout: 60_000 });
    for (let passed = 0; passed < 4; passed += 1) {
      clock.advance(500);
      await sleep(20);
    }
    expect(answered).toBeUndefined();
    await end();
    await vi.waitFor(
      () => {
        clock.advance(250);
        expect(answered).toBeDefined();
      },
      { interval: 20, timeout: 60_000 },
    );
    const { status, body } = await request;
    expect([401, 403, 409]).toContain(status);
    expect(CODES).toContain(body.error?.code);
    expect(count()).toBe(0);
  });
});
