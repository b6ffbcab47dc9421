import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'undici';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import type { WorkloadIssuer } from '#gateway/accounts/workloads/workload-config.ts';
import { openStandInProvider, type StandInProvider } from '../../accounts/sign-in/stand-in-provider.ts';
import type { OpenGateway } from '../../api/open-gateway.ts';
import { useOwnGateways } from '../../api/use-gateway.ts';
import { startFixture } from '../../fixture-provider.ts';
import { LABELLED, requestsTo } from '../../evaluation/workflows/workflow-requests.ts';
import { instanceOf } from '../completions/running-gateway.ts';
import { createTestClock } from '../../test-clock.ts';

const AUDIENCE = 'https://llm.example.com';
const fixture = await startFixture('openai');
const open = useOwnGateways();
let issuer: StandInProvider;
beforeAll(async () => {
  issuer = await openStandInProvider();
});
afterAll(async () => await issuer.close());

async function start(): Promise<{ readonly gateway: OpenGateway; readonly url: string }> {
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
  return { gateway, url: await gateway.listen() };
}

const token = async (): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer.issuer, aud: AUDIENCE, sub: 'app', iat: now, exp: now + 300 };
  return await issuer.sign(claims);
};

interface Session {
  /** The next event whose type is `error`, then the code with which the session was closed. */
  readonly refusal: Promise<readonly [code: string, closed: number]>;
  readonly isOpen: () => boolean;
  /** Waits until the gateway has forwarded an event and its response. */
  readonly use: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function connect(url: string, key: string): Promise<Session> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=openai:gpt-realtime`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve(code)),
  );
  let refused = '';
  let updated = (): void => undefined;
  const created = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const { type, error } = JSON.parse(String(data)) as { type: string; error?: { code: string } };
    if (type === 'session.created') created.resolve();
    if (type === 'session.updated') updated();
    if (error) refused = error.code;
  });
  await Promise.race([created.promise, closed]);
  if (refused) throw new Error(refused);
  return {
    refusal: closed.then((code) => [refused, code] as const),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    use: () =>
      new Promise((resolve) => {
        updated = resolve;
        socket.send(JSON.stringify({ type: 'session.update', session: { instructions: 'Be kind.' } }));
      }),
    close: async () => {
      socket.close();
      await closed;
    },
  };
}

/** Lets the gateway check its sessions' credentials once. */
async function check({ clock }: OpenGateway, session: Session): Promise<void> {
  clock.advance(500);
  await session.use();
}

/** Advances the clock until something ends. A check that is still running sets its next timer only when it is done. */
async function advanceUntil<Result>({ clock }: OpenGateway, end: Promise<Result>): Promise<Result> {
  const pending = Symbol('pending');
  for (;;) {
    clock.advance(500);
    const ended = await Promise.race([end, setTimeout(5, pending)]);
    if (ended !== pending) return ended;
  }
}

const credentials: Record<string, (gateway: OpenGateway) => Promise<readonly [secret: string, ms: number]>> =
  {
    'a workload token': async () => [await token(), 330_000],
    'a short-lived key': async ({ ask }) => {
      const { body } = await ask('POST', '/auth/workload', { token: await token(), expires_in: 120 }, {});
      return [body.key, 120_000];
    },
    'a replaced secret in its grace period': async ({ ask }) => {
      const { body } = await ask('POST', '/v1/keys', { user_id: 'ann' });
      await ask('POST', `/v1/keys/${body.id}/rotate`, { grace_seconds: 60 });
      return [body.key, 60_000];
    },
    'a key with an expiry': async ({ ask, clock }) => {
      const expires_at = new Date(clock.now() + 90_000).toISOString();
      return [(await ask('POST', '/v1/keys', { user_id: 'ann', expires_at })).body.key, 90_000];
    },
  };

test.each(Object.keys(credentials))('a session does not outlast %s', async (name) => {
  const { gateway, url } = await start();
  await gateway.ask('POST', '/v1/users', { user_id: 'ann' });
  const [secret, ms] = (await credentials[name]?.(gateway)) ?? ['', 0];
  const session = await connect(url, secret);
  await check(gateway, session);
  gateway.clock.advance(ms - 5000);
  await check(gateway, session);
  expect(session.isOpen()).toBe(true);
  gateway.clock.advance(4500);
  const [code, closed] = await advanceUntil(gateway, session.refusal);
  expect([['invalid_token', 'invalid_key', 'expired_key'].includes(code), closed]).toEqual([true, 1008]);
});

test('a session whose worker has lost its job is closed', async () => {
  const { gateway, url } = await start();
  const { jobs } = gateway.context;
  const { upload, experiment, workflow } = requestsTo(gateway);
  const task = { task_definition: { task: 'summarization' } };
  const id = await experiment((await upload(LABELLED)).body.id, task);
  await workflow(id, { provider: 'gateway', model: 'openai:gpt-realtime' });
  const claim = await jobs.queue.claim();
  if (!claim) throw new Error('The workflow has no job.');
  await jobs.queue.begin(claim);
  await jobs.access.openAccount(claim);
  const token = await jobs.tokens.sign({ jobId: claim.job.id, epoch: claim.epoch, worker: randomUUID() });
  const session = await connect(url, token);
  await check(gateway, session);
  await jobs.queue.end(claim, { status: 'failed', error: 'The worker was stopped.' });
  expect((await advanceUntil(gateway, session.refusal))[1]).toBe(1008);
});

test('a stream of log lines ends with the credential of its caller', async () => {
  const { gateway, url } = await start();
  const { ask, clock } = gateway;
  await ask('POST', '/v1/users', { user_id: 'ann' });
  const expires_at = new Date(clock.now() + 90_000).toISOString();
  const { key } = (await ask('POST', '/v1/keys', { user_id: 'ann', expires_at })).body;
  const own = { 'X-Gateway-Key': `Bearer ${key}` };
  const { upload } = requestsTo(gateway);
  const { body: dataset } = await upload(LABELLED, undefined, own);
  const task_definition = { task: 'summarization' };
  const experiment = await ask(
    'POST',
    '/api/v1/experiments/',
    { name: 'e', dataset: dataset.id, task_definition },
    own,
  );
  const made = {
    name: 'w',
    experiment_id: experiment.body.id,
    provider: 'gateway',
    model: 'openai:gpt-fast',
  };
  const { body: workflow } = await ask('POST', '/api/v1/workflows/', made, own);
  const follow = async (): Promise<Response> =>
    await fetch(`${url}/api/v1/workflows/${workflow.id}/logs?follow=true`, { headers: own });
  const first = await follow();
  expect(first.status).toBe(200);
  clock.advance(89_500);
  expect(await advanceUntil(gateway, first.text())).toContain(
    'event: error\ndata: {"error":{"code":"expired_key","message":"API key has expired"}}',
  );
});
