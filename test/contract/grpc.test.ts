import { once } from 'node:events';
import { type ClientDuplexStream, status } from '@grpc/grpc-js';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { afterEach, expect } from 'vitest';
import { callOf, clientOf, type GrpcClient } from './grpc-call.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

const clients: GrpcClient[] = [];
const open = (service: string, port: number): GrpcClient => {
  const client = clientOf(service, port);
  clients.push(client);
  return client;
};
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

const SERVICES = {
  sentiment: 'encoder.SequenceClassification',
  ner: 'encoder.TokenClassification',
  embedder: 'encoder.Embedding',
};
const LABELS = { '0': 'NEGATIVE', '1': 'POSITIVE' };
const METADATA = {
  sentiment: { model_type: 'SEQUENCE_CLASSIFICATION', id2label: LABELS },
  ner: { model_type: 'TOKEN_CLASSIFICATION', id2label: expect.objectContaining({ '8': 'I-MISC' }) as object },
  embedder: { model_type: 'EMBEDDING', id2label: {} },
};

verifiesServed('grpc:metadata', async (arm) => {
  for (const model of ['sentiment', 'ner', 'embedder'] as const) {
    const { grpcPort } = await serve(arm, model);
    const client = open(SERVICES[model], grpcPort);
    const answer = { model_id: model, version: '1.0.0', ...METADATA[model] };
    expect(await callOf(client, 'GetModelMetadata', {})).toEqual({ answer });
  }
});

const FLOAT = expect.any(Number) as number;
const floats = (count: number): number[] => Array<number>(count).fill(FLOAT);
const info = (token: string, end: number): object => ({ token, token_id: FLOAT, start: 0, end });
const RESULTS = {
  sentiment: { logits: floats(2), scores: floats(2), predicted_index: 0, predicted_label: 'NEGATIVE' },
  ner: {
    tokens: [
      { token_info: info('Anna', 4), logits: floats(9), scores: floats(9), label: 'B-PER', score: FLOAT },
    ],
  },
  embedder: { embeddings: [{ token_info: info('love', 4), embedding: floats(32) }] },
};

verifiesServed('grpc:predict', async (arm) => {
  for (const [model, text] of [
    ['sentiment', 'this is awful'],
    ['ner', 'Anna'],
    ['embedder', 'love'],
  ] as const) {
    const { grpcPort } = await serve(arm, model);
    const client = open(SERVICES[model], grpcPort);
    const outcome = await callOf(client, 'Predict', { inputs: [text], metadata: { k: 'v' } });
    expect(outcome).toMatchObject({ answer: { model_id: model, metadata: { k: 'v' } } });
    const { answer } = (await callOf(client, 'Predict', { inputs: [text] })) as {
      answer: { results: object[]; metadata: object };
    };
    expect(answer.metadata).toEqual({});
    expect(clean(answer.results)).toEqual([RESULTS[model]]);
  }
});

/** Without the fields that the loader adds for `optional` fields. */
const clean = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part: unknown) => (key.startsWith('_') ? undefined : part)));

const INPUTS: readonly [request: object, message: string][] = [
  [{ inputs: [] }, 'Cannot tokenize empty string'],
  [{ inputs: ['a', ''] }, 'Cannot tokenize empty string'],
  [
    { inputs: ['x'.repeat(200_001)] },
    'Input 0 is too long: it has 200001 characters, but the maximum is 200000 (--max-input-chars). Split it into shorter inputs.',
  ],
  [
    { inputs: Array.from({ length: 2049 }, () => 'a') },
    'Too many inputs: the request has 2049, but the maximum is 2048 (--max-client-batch). Split it into several requests.',
  ],
];

verifiesServed('grpc:invalid', async (arm) => {
  const { grpcPort, url } = await serve(arm, 'sentiment');
  const client = open(SERVICES.sentiment, grpcPort);
  for (const [request, message] of INPUTS) {
    expect(await callOf(client, 'Predict', request)).toEqual({ code: status.INVALID_ARGUMENT, message });
    expect((await post(`${url}/predict`, request)).text).toBe(message);
  }
});

verifiesServed('grpc:unimplemented', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment');
  for (const service of [SERVICES.ner, SERVICES.embedder]) {
    const outcome = await callOf(open(service, grpcPort), 'Predict', { inputs: ['a'] });
    expect(outcome).toMatchObject({ code: status.UNIMPLEMENTED });
    expect(outcome).toHaveProperty(
      'message',
      expect.stringMatching(
        `^Unknown method: /${service}/Predict\\. The services on this port are encoder\\.SequenceClassification, `,
      ),
    );
  }
});

verifiesServed('grpc:too-large', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment', ['--max-body', '100']);
  const client = open(SERVICES.sentiment, grpcPort);
  expect(await callOf(client, 'Predict', { inputs: ['x'.repeat(100)] })).toEqual({
    code: status.RESOURCE_EXHAUSTED,
    message: 'Message too large: the maximum is 100 bytes. Send several smaller messages.',
  });
  expect(await callOf(client, 'Predict', { inputs: ['x'.repeat(98)] })).toHaveProperty('answer');
});

verifiesServed('grpc:unauthenticated', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment', ['--api-key', 'first,second']);
  const client = open(SERVICES.sentiment, grpcPort);
  const call = (method: string, headers = {}) => callOf(client, method, { inputs: ['a'] }, { headers });
  expect(await call('Predict')).toEqual({
    code: status.UNAUTHENTICATED,
    message: 'Missing API key. Send the header `Authorization: Bearer <key>`.',
  });
  expect(await call('GetModelMetadata')).toMatchObject({ code: status.UNAUTHENTICATED });
  expect(await call('Predict', { authorization: 'Bearer third' })).toEqual({
    code: status.UNAUTHENTICATED,
    message: 'Invalid API key.',
  });
  expect(await call('Predict', { authorization: 'Bearer second' })).toHaveProperty('answer');
  expect(await callOf(open('grpc.health.v1.Health', grpcPort), 'Check', {})).toEqual({
    answer: { status: 'SERVING' },
  });
});

verifiesServed('grpc:health', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment');
  const health = open('grpc.health.v1.Health', grpcPort);
  for (const service of ['', SERVICES.sentiment])
    expect(await callOf(health, 'Check', { service })).toEqual({ answer: { status: 'SERVING' } });
  expect(await callOf(health, 'Check', { service: SERVICES.ner })).toEqual({
    code: status.NOT_FOUND,
    message: `Unknown service "${SERVICES.ner}". Services: ${SERVICES.sentiment}; an empty name selects the whole server.`,
  });
});

interface ReflectionAnswer {
  readonly list_services_response?: { readonly service: { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: Uint8Array[] };
}

verifiesServed('grpc:reflection', async (arm) => {
  const { grpcPort } = await serve(arm, 'ner');
  for (const version of ['v1', 'v1alpha']) {
    const client = open(`grpc.reflection.${version}.ServerReflection`, grpcPort);
    const start = client['ServerReflectionInfo'] as () => ClientDuplexStream<object, ReflectionAnswer>;
    const stream = start.call(client);
    const question = async (asked: object): Promise<ReflectionAnswer> => {
      stream.write(asked);
      return ((await once(stream, 'data')) as [ReflectionAnswer])[0];
    };
    const { list_services_response: list } = await question({ list_services: '' });
    expect(list?.service.map(({ name }) => name)).toEqual([
      SERVICES.ner,
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
    const { file_descriptor_response: files } = await question({ file_containing_symbol: SERVICES.ner });
    const names = files?.file_descriptor_proto.map(
      (file) => fromBinary(FileDescriptorProtoSchema, file).name,
    );
    expect(names).toEqual(['encoder/token_classification.proto', 'encoder/model.proto']);
    stream.end();
    await once(stream, 'end');
  }
});

verifiesServed('grpc:connect', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment');
  const url = `http://127.0.0.1:${grpcPort}`;
  const predict = await post(`${url}/${SERVICES.sentiment}/Predict`, { inputs: ['I love this'] });
  expect(predict).toMatchObject({ status: 200, type: 'application/json' });
  expect(JSON.parse(predict.text)).toEqual({
    results: [{ logits: floats(2), scores: floats(2), predictedIndex: 1, predictedLabel: 'POSITIVE' }],
    modelId: 'sentiment',
    metadata: {},
  });
  const empty = await post(`${url}/${SERVICES.sentiment}/Predict`, { inputs: [''] });
  expect(empty.status).toBe(400);
  expect(empty.text).toBe('{"code":"invalid_argument","message":"Cannot tokenize empty string"}');
  expect((await ask(`${url}/`)).status).toBe(404);
});
