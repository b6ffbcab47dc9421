import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { expect } from 'vitest';
import { Embedding } from '#gen/encoder/embedding_pb.ts';
import { SequenceClassification } from '#gen/encoder/sequence_classification_pb.ts';
import { verifiesServed } from './verifies.ts';

const PREDICT = '/encoder.SequenceClassification/Predict';

const TRANSPORTS: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  grpc: (baseUrl) => createGrpcTransport({ baseUrl }),
  web: (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  connect: (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
};

verifiesServed('serve:grpc-observed', async (arm) => {
  const served = await arm.serve('sentiment');
  for (const [name, transport] of Object.entries(TRANSPORTS)) {
    const wire = transport(`http://127.0.0.1:${served.grpcPort}`);
    const { predict } = createClient(SequenceClassification, wire);
    const seen: (string | null)[] = [];
    const options = (id: string) => ({
      headers: { 'x-request-id': `${name}-${id}` },
      onHeader: (headers: Headers) => void seen.push(headers.get('x-request-id')),
    });
    const refusal = async (call: Promise<unknown>): Promise<Code> =>
      ConnectError.from(await call.catch((error: unknown) => error)).code;
    expect((await predict({ inputs: ['good'] }, options('good'))).results).toHaveLength(1);
    expect(await refusal(predict({ inputs: [''] }, options('empty')))).toBe(Code.InvalidArgument);
    const other = createClient(Embedding, wire);
    expect(await refusal(other.predict({ inputs: ['x'] }, options('other')))).toBe(Code.Unimplemented);
    expect(seen).toContain(`${name}-good`);
  }
  const metrics = await (await fetch(`http://127.0.0.1:${served.httpPort}/metrics`)).text();
  const count = (method: string, code: string): string =>
    `grpc_request_duration_seconds_count{method="${method}",code="${code}"} 3`;
  expect(metrics).toContain(count(PREDICT, 'OK'));
  expect(metrics).toContain(count(PREDICT, 'INVALID_ARGUMENT'));
  expect(metrics).toContain(count('none', 'UNIMPLEMENTED'));

  await served.stop();
  const lines = served
    .log()
    .split('\n')
    .filter((line) => line.includes('"msg":"call"'))
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject(
    Object.keys(TRANSPORTS).flatMap((name) => [
      { requestId: `${name}-good`, method: PREDICT, code: 'OK' },
      { requestId: `${name}-empty`, method: PREDICT, code: 'INVALID_ARGUMENT' },
      { requestId: `${name}-other`, method: '/encoder.Embedding/Predict', code: 'UNIMPLEMENTED' },
    ]),
  );
});
