import { fromBinary, fromJson, type JsonObject, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { ModelType } from '#contract/model-types.ts';
import { SMALLEST_IMAGE } from '#encoder/engine/image-input.ts';
import { SERVED } from '#encoder/served/index.ts';
import { FIXTURE_MODELS } from '../surfaces/fixture-models.ts';
import { useModelServers } from './model-server.ts';

// A Connect JSON response is built from the same JSON as over HTTP, and a binary one from the bytes of a thread: both must be the same
// message.

const serve = useModelServers();
const TEXTS = { inputs: ['Ada lives in London.', 'a film'] };
const LABELS = { ...TEXTS, labels: ['person', 'place'] };
const IMAGES = { inputs: [SMALLEST_IMAGE.text] };
const REQUESTS: Record<ModelType, readonly JsonObject[]> = {
  image_classification: [IMAGES],
  object_detection: [IMAGES, { ...IMAGES, threshold: 0.1, topK: 2 }],
  image_embedding: [IMAGES, { ...IMAGES, dimensions: 2 }],
  image_segmentation: [IMAGES, { ...IMAGES, mask: 'MASK_FORMAT_PNG' }],
  image_text_embedding: [{ inputs: [{ text: 'a film' }, { image: SMALLEST_IMAGE.text }], dimensions: 2 }],
  zero_shot_image_classification: [{ ...IMAGES, candidateLabels: ['place', 'film'] }],
  embedding: [TEXTS],
  sparse_embedding: [TEXTS],
  fill_mask: [{ inputs: ['a [MASK] film', 'the [MASK]'] }],
  sequence_classification: [TEXTS],
  zero_shot_classification: [{ ...TEXTS, candidateLabels: ['place', 'film'] }],
  question_answering: [{ inputs: [{ question: 'Who lives in London?', context: 'Ada lives in London.' }] }],
  token_classification: [TEXTS],
  zero_shot_ner: [{ ...LABELS, threshold: 0 }],
  sentence_embedding: [TEXTS],
  multi_vector: [
    { ...TEXTS, inputType: 'QUERY' },
    { ...TEXTS, inputType: 'DOCUMENT' },
  ],
};
const ALL_OUTPUTS = ['DENSE', 'SPARSE', 'MULTI_VECTOR'].map((name) => `EMBEDDING_OUTPUT_${name}`);

test.each(FIXTURE_MODELS)('%s has the same result in JSON and in binary', async (model) => {
  const { port, path } = await serve(model);
  const services = await Promise.all(
    Object.entries(SERVED).map(async ([name, { grpc }]) => [name, await grpc()] as const),
  );
  const [type, service] = known(services.find(([, { typeName }]) => path === `/${typeName}`));
  const predict = known(service.methods.find(({ name }) => name === 'Predict'));
  const post = async (mediaType: string, body: string | Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> => {
    const url = `http://localhost:${port}${path}/Predict`;
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': mediaType }, body });
    const bytes = await response.arrayBuffer();
    expect({ status: response.status, text: response.ok || Buffer.from(bytes).toString() }).toEqual({
      status: 200,
      text: true,
    });
    return bytes;
  };
  const requests = model === 'm3' ? [TEXTS, { ...TEXTS, outputs: ALL_OUTPUTS }] : REQUESTS[type as ModelType];
  for (const request of requests) {
    const json = await post('application/json', JSON.stringify(request));
    const message = toBinary(predict.input, fromJson(predict.input, request));
    const binary = await post('application/proto', Uint8Array.from(message));
    const found = fromJson(predict.output, JSON.parse(Buffer.from(json).toString()) as JsonValue, {
      ignoreUnknownFields: true,
    });
    expect(rounded(toJson(predict.output, found))).toEqual(
      rounded(toJson(predict.output, fromBinary(predict.output, new Uint8Array(binary)))),
    );
  }
});

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The model has no such service.');
  return value;
}

/** A number in JSON has as many digits as a float32 needs, so it is compared as a float32. */
const rounded = (value: JsonValue): unknown =>
  JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    typeof item === 'number' ? Math.fround(item) : item,
  );
