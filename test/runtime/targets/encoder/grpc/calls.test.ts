import { status as Status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { connect } from './server/grpc-js.ts';
import { MAX_MESSAGE_BYTES, useModelServers } from './model-server.ts';

const serve = useModelServers();

test("Predict returns the request's metadata unchanged", async () => {
  const { call } = await serve('sentiment');
  const metadata = { id: '7', empty: '', ünï: '😀' };
  expect((await call('Predict', { inputs: ['good'], metadata })).answer).toMatchObject({ metadata });
});

test.each([
  ['sentiment', 'SEQUENCE_CLASSIFICATION', { 0: 'NEGATIVE', 1: 'POSITIVE' }],
  [
    'ner',
    'TOKEN_CLASSIFICATION',
    expect.objectContaining({ 0: 'O', 1: expect.stringMatching(/^[BI]-/) as string }) as object,
  ],
  ['nli', 'ZERO_SHOT_CLASSIFICATION', { 0: 'contradiction', 1: 'neutral', 2: 'entailment' }],
  ['qa', 'QUESTION_ANSWERING', {}],
  ['embedder', 'EMBEDDING', {}],
  ['sentence', 'SENTENCE_EMBEDDING', {}],
  ['multi-vector', 'MULTI_VECTOR', {}],
])('GetModelMetadata returns the metadata of %s', async (model, model_type, id2label) => {
  const { call } = await serve(model);
  const { answer } = await call('GetModelMetadata', {});
  expect(answer).toEqual({ model_id: model, model_type, id2label, version: '1.0.0' });
});

test.each([[[]], [['']], [['fine', '']]])('inputs %j return INVALID_ARGUMENT', async (inputs) => {
  const { call } = await serve('sentiment');
  expect(await call('Predict', { inputs })).toMatchObject({
    status: Status.INVALID_ARGUMENT,
    message: 'Cannot tokenize empty string',
  });
});

test('services of other model types return UNIMPLEMENTED', async () => {
  const { port } = await serve('sentiment');
  const other = connect('encoder/embedding.proto', 'encoder.Embedding', port);
  expect(await other.call('Predict', { inputs: ['x'] })).toMatchObject({
    status: Status.UNIMPLEMENTED,
    message: expect.stringContaining(
      'The services on this port are encoder.SequenceClassification',
    ) as unknown,
  });
  other.client.close();
});

test('a request that is too large returns RESOURCE_EXHAUSTED, and the next request succeeds', async () => {
  const { call } = await serve('sentiment');
  expect(await call('Predict', { inputs: ['x'.repeat(MAX_MESSAGE_BYTES)] })).toMatchObject({
    status: Status.RESOURCE_EXHAUSTED,
    message: expect.stringContaining(`the maximum is ${MAX_MESSAGE_BYTES} bytes`) as unknown,
  });
  expect((await call('Predict', { inputs: ['good'] })).answer).toBeDefined();
});

test('64 parallel large responses on one connection all arrive', async () => {
  const { call } = await serve('embedder');
  const inputs = Array.from({ length: 16 }, (_, at) => `${at} word`.repeat(200));
  const outcomes = await Promise.all(Array.from({ length: 64 }, () => call('Predict', { inputs })));
  expect(outcomes.filter(({ answer }) => answer).length).toBe(64);
});

test('health and reflection list the service', async () => {
  const { port } = await serve('ner');
  const health = connect('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);
  expect((await health.call('Check', { service: 'encoder.TokenClassification' })).answer).toEqual({
    status: 'SERVING',
  });
  health.client.close();
  const reflection = connect(
    'grpc/reflection/v1/reflection.proto',
    'grpc.reflection.v1.ServerReflection',
    port,
  );
  const stream = reflection.talk('ServerReflectionInfo');
  stream.write({ file_containing_symbol: 'encoder.TokenClassificationResult.TokenClassification' });
  const [answer] = await stream.take(1).toArray();
  expect(answer).toMatchObject({ file_descriptor_response: {} });
  reflection.client.close();
});
