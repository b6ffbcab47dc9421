import { status } from '@grpc/grpc-js';
import { afterEach, expect } from 'vitest';
import { callOf, clientOf, type GrpcClient, type Outcome } from './grpc-call.ts';
import { metric, untilBusy, untilIdle, WORK } from './busy.ts';
import { ask } from './http-client.ts';
import type { Served, ServingArm } from './serving.ts';
import { verifiesServed } from './verifies.ts';

const running: { served: Served; client: GrpcClient }[] = [];
afterEach(async () => {
  for (const { served, client } of running.splice(0)) {
    client.close();
    await served.stop();
  }
});

interface Server extends Served {
  readonly url: string;
  readonly predict: (request: object, options?: Parameters<typeof callOf>[3]) => Promise<Outcome>;
}

async function start(arm: ServingArm): Promise<Server> {
  const served = await arm.serve('sentiment');
  const client = clientOf('encoder.SequenceClassification', served.grpcPort);
  running.push({ served, client });
  return {
    ...served,
    url: `http://127.0.0.1:${served.httpPort}`,
    predict: (request, options) => callOf(client, 'Predict', request, options),
  };
}

verifiesServed('grpc:deadline', async (arm) => {
  const { url, predict } = await start(arm);
  const late = await predict({ inputs: WORK }, { deadline: Date.now() + 200 });
  expect(late).toMatchObject({ code: status.DEADLINE_EXCEEDED });
  await untilIdle(url);
  expect(await metric(url, 'encoder_inputs_total')).toBe(0);
  expect(await predict({ inputs: ['a'] }, { deadline: Date.now() + 60_000 })).toHaveProperty('answer');
  expect(await metric(url, 'encoder_inputs_total')).toBe(1);
});

verifiesServed('grpc:cancelled', async (arm) => {
  const { url, predict } = await start(arm);
  const leaving = new AbortController();
  const call = predict({ inputs: WORK }, { signal: leaving.signal });
  await untilBusy(url);
  leaving.abort();
  expect(await call).toMatchObject({ code: status.CANCELLED });
  await untilIdle(url);
  expect(await metric(url, 'encoder_inputs_total')).toBe(0);
});

verifiesServed('grpc:draining', async (arm) => {
  const server = await start(arm);
  const { url, predict } = server;
  const accepted = predict({ inputs: WORK });
  await untilBusy(url);
  const stopped = server.stop();
  while ((await ask(`${url}/readyz`)).status !== 503);
  expect(await predict({ inputs: ['late'] })).toEqual({
    code: status.UNAVAILABLE,
    message: 'The server is shutting down.',
  });
  const { answer } = (await accepted) as { answer: { results: unknown[] } };
  expect(answer.results).toHaveLength(WORK.length);
  await stopped;
});
