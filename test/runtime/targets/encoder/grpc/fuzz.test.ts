import { array, integer, oneof, sample, tuple, uint8Array } from 'fast-check';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { frame, requestHttp2, statusOf } from './server/raw-http2.ts';
import { type ModelServer, useModelServers } from './model-server.ts';

const serve = useModelServers();
const SEED = 20_260_821;
const MODELS = ['sentiment', 'ner', 'embedder', 'sentence'];

const bytes = (count: number, seed: number): Buffer<ArrayBuffer>[] =>
  sample(uint8Array({ maxLength: 300 }), { numRuns: count, seed: SEED + seed }).map((generated) =>
    Buffer.from(generated),
  );

/** Well-formed fields with random numbers, types and content: valid protobuf, but not this contract. */
const fields = array(
  oneof(
    tuple(integer({ min: 1, max: 5 }), uint8Array({ maxLength: 60 })).map(([number, content]) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]),
    ),
    tuple(integer({ min: 1, max: 15 }), integer({ min: 0, max: 127 })).map(([number, value]) =>
      Buffer.from([number << 3, value]),
    ),
  ),
  { maxLength: 8 },
).map((parts) => Buffer.concat(parts));

const works = async ({ call }: ModelServer): Promise<void> => {
  expect((await call('Predict', { inputs: ['fine'] })).answer).toBeDefined();
};

test.each(MODELS)(
  '%s: 200 random bodies never return INTERNAL, and the next valid request succeeds',
  async (model) => {
    const server = await serve(model);
    for (const body of bytes(100, 1)) {
      const framed = statusOf(await requestHttp2(server.port, `${server.path}/Predict`, frame(body)));
      const unframed = statusOf(await requestHttp2(server.port, `${server.path}/Predict`, body));
      for (const status of [framed, unframed]) expect([...CLIENT_FAULTS, 0]).toContain(status);
    }
    await works(server);
    expect(server.kernel.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);

test.each(MODELS)('%s: 200 random protobuf messages never return INTERNAL', async (model) => {
  const server = await serve(model);
  for (const body of sample(fields, { numRuns: 200, seed: SEED })) {
    const status = statusOf(await requestHttp2(server.port, `${server.path}/Predict`, frame(body)));
    expect([...CLIENT_FAULTS, 0], body.toString('hex')).toContain(status);
  }
  await works(server);
});

test.each([
  'application/json',
  'application/proto',
  'application/grpc-web',
  'application/connect+json',
  'text/x',
])('random bodies with content type %s over HTTP/1.1 return a client error', async (type) => {
  const server = await serve('sentiment');
  for (const body of bytes(40, 2)) {
    const response = await fetch(`http://localhost:${server.port}${server.path}/Predict`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    const text = await response.text();
    expect(response.status).toBeLessThan(500);
    expect(text).not.toMatch(/grpc-status: (2|13)\b/);
  }
  await works(server);
});

const CLIENT_FAULTS = [Code.InvalidArgument, Code.Unimplemented, Code.ResourceExhausted];
