import { fromBinary, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { Embedding, EmbeddingResponseSchema } from '#gen/encoder/embedding_pb.ts';
import { frame } from './server/raw-http2.ts';
import { useModelServers } from './model-server.ts';

const serve = useModelServers();
const REQUEST = { inputs: ['one text', 'another, longer text'], normalize: true, metadata: { id: '7' } };

const post = async (path: string, type: string, body: string | Buffer<ArrayBuffer>): Promise<Response> => {
  const { port } = await serve('embedder');
  return fetch(`http://localhost:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
};

test.each([
  ['gRPC', 'proto', createGrpcTransport],
  ['gRPC', 'JSON', createGrpcTransport],
  ['gRPC-Web', 'proto', createGrpcWebTransport],
  ['gRPC-Web', 'JSON', createGrpcWebTransport],
  ['Connect', 'proto', createConnectTransport],
  ['Connect', 'JSON', createConnectTransport],
])('%s with %s returns the same numbers over both HTTP versions', async (protocol, codec, transport) => {
  const { port, call } = await serve('embedder');
  const { answer } = await call('Predict', REQUEST);
  const results = answer?.['results'] as { embeddings: { embedding: number[] }[] }[];
  const expected = results.map(({ embeddings }) => embeddings.map(({ embedding }) => embedding));
  // gRPC requires trailers, which fetch-like clients over HTTP/1.1 do not read.
  for (const httpVersion of protocol === 'gRPC' ? (['2'] as const) : (['1.1', '2'] as const)) {
    const client = createClient(
      Embedding,
      transport({ baseUrl: `http://localhost:${port}`, httpVersion, useBinaryFormat: codec === 'proto' }),
    );
    const response = await client.predict(REQUEST);
    expect(response).toMatchObject({ modelId: 'embedder', metadata: { id: '7' } });
    const floats = response.results.map(({ embeddings }) =>
      embeddings.map(({ embedding }) => embedding.map(Math.fround)),
    );
    expect(floats).toEqual(expected);
  }
});

test('Connect with JSON works with plain fetch, and prints every float in its shortest form', async () => {
  const response = await post('/encoder.Embedding/Predict', 'application/json', JSON.stringify(REQUEST));
  expect(response.headers.get('content-type')).toBe('application/json');
  const text = await response.text();
  const { results, modelId, metadata } = JSON.parse(text) as {
    results: { embeddings: { embedding: number[]; tokenInfo: object }[] }[];
    modelId: string;
    metadata: object;
  };
  expect({ modelId, metadata }).toEqual({ modelId: 'embedder', metadata: { id: '7' } });
  const [first] = results[0]?.embeddings ?? [];
  // The response contains a start of 0, although protobuf's JSON format can omit zeros.
  expect(first?.tokenInfo).toEqual({
    token: 'one',
    tokenId: expect.any(Number) as unknown,
    start: 0,
    end: 3,
  });
  for (const number of text.match(/-?\d+\.\d+/g) ?? []) {
    expect(number.replace(/^-?0?\.?0*/, '').replace('.', '').length).toBeLessThanOrEqual(9);
  }
});

test('binary gRPC-Web works with plain fetch: a message, then the trailer', async () => {
  const json = await post('/encoder.Embedding/Predict', 'application/json', JSON.stringify(REQUEST));
  const request = toBinary(Embedding.method.predict.input, {
    $typeName: 'encoder.EmbeddingRequest',
    ...REQUEST,
  });
  const response = await post('/encoder.Embedding/Predict', 'application/grpc-web+proto', frame(request));
  const bytes = Buffer.from(await response.arrayBuffer());
  const length = bytes.readUInt32BE(1);
  const message = fromBinary(EmbeddingResponseSchema, bytes.subarray(5, 5 + length));
  expect(rounded(toJson(EmbeddingResponseSchema, message, { alwaysEmitImplicit: true }))).toEqual(
    rounded((await json.json()) as JsonValue),
  );
  const trailer = bytes.subarray(5 + length);
  expect(trailer[0]).toBe(0x80);
  expect(trailer.subarray(5).toString()).toContain('grpc-status: 0');
});

test('Connect returns JSON errors with their HTTP status', async () => {
  const response = await post('/encoder.Embedding/Predict', 'application/json', '{"inputs":[""]}');
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    code: 'invalid_argument',
    message: 'Cannot tokenize empty string',
  });
  const broken = await post('/encoder.Embedding/Predict', 'application/json', '{"inputs":[');
  expect(broken.status).toBe(400);
});

const rounded = (value: JsonValue): unknown =>
  JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    typeof item === 'number' ? Math.fround(item) : item,
  );
