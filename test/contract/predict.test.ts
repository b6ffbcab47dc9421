import { afterAll, expect } from 'vitest';
import { expectClose } from '../helpers/close.ts';
import { type GoldenText, readGolden } from '../helpers/golden.ts';
import { readGoldenModules } from '../helpers/golden-modules.ts';
import { readGoldenSentences, type SentenceVariant, variantName } from '../helpers/golden-sentences.ts';
import {
  grpcClient,
  type PredictRequest,
  type PredictResponse,
  type PredictResult,
  type Transport,
} from './clients.ts';
import { post } from './http-client.ts';
import type { Served, ServingArm } from './serving.ts';
import { verifiesOverWires, verifiesServed } from './verifies.ts';

const SERVICES = {
  sentiment: 'SequenceClassification',
  multilabel: 'SequenceClassification',
  reranker: 'SequenceClassification',
  ner: 'TokenClassification',
  embedder: 'Embedding',
  sentence: 'SentenceEmbedding',
  'sentence-pooled': 'SentenceEmbedding',
  'sentence-modules': 'SentenceEmbedding',
};
type Model = keyof typeof SERVICES;

const { texts, prompts, variants } = readGoldenSentences();
/** With the settings that the fixture was saved with. */
const isAsSaved = ({
  normalize,
  pooling,
  dimensions,
  include_prompt,
  max_length,
}: SentenceVariant): boolean =>
  normalize && pooling === 'mean' && dimensions === null && include_prompt && max_length === 64;

const served = new Map<string, Promise<Served>>();
const serve = (arm: ServingArm, model: Model): Promise<Served> => {
  const key = `${arm.name} ${model}`;
  const running = served.get(key) ?? arm.serve(model);
  served.set(key, running);
  return running;
};
afterAll(async () => {
  for (const running of served.values()) await (await running).stop();
});

async function predict(
  arm: ServingArm,
  transport: Transport,
  model: Model,
  request: PredictRequest,
): Promise<PredictResponse> {
  const client = await transport.connect(await serve(arm, model), SERVICES[model]);
  try {
    return await client.predict(model === 'embedder' ? { normalize: false, ...request } : request);
  } finally {
    await client.close();
  }
}

verifiesOverWires('predict:golden', async (arm, transport) => {
  for (const model of ['sentiment', 'multilabel', 'reranker', 'ner', 'embedder'] as const) {
    const golden = readGolden(model);
    const { results, model_id } = await predict(arm, transport, model, {
      inputs: golden.map(({ text }) => text),
    });
    expect(model_id).toBe(model);
    expect(results).toHaveLength(golden.length);
    for (const [at, result] of results.entries()) expectGolden(result, golden[at]);
  }
});

verifiesOverWires('predict:metadata', async (arm, transport) => {
  const metadata = { trace: 'é 42', empty: '' };
  const answer = await predict(arm, transport, 'sentiment', { inputs: ['hello'], metadata });
  expect(answer.metadata).toEqual(metadata);
  const without = await predict(arm, transport, 'sentiment', { inputs: ['hello'] });
  expect(without.metadata ?? {}).toEqual({});
});

verifiesOverWires('predict:empty', async (arm, transport) => {
  for (const inputs of [[], [''], ['fine', '']]) {
    await expect(predict(arm, transport, 'ner', { inputs })).rejects.toMatchObject({
      code: transport.inputError,
      message: 'Cannot tokenize empty string',
    });
  }
  expect((await predict(arm, transport, 'ner', { inputs: [' '] })).results).toEqual([{ tokens: [] }]);
});

verifiesOverWires('predict:normalize', async (arm, transport) => {
  const lengths = async (normalize: boolean): Promise<number[]> => {
    const { results } = await predict(arm, transport, 'embedder', { inputs: ['one two three'], normalize });
    return (results[0]?.embeddings ?? []).map(({ embedding }) => Math.hypot(...embedding));
  };
  for (const length of await lengths(true)) expect(length).toBeCloseTo(1, 5);
  for (const length of await lengths(false)) expect(Math.abs(length - 1)).toBeGreaterThan(0.01);
});

verifiesOverWires('predict:order', async (arm, transport) => {
  const golden = readGolden('sentiment').slice(0, 40);
  const together = await Promise.all(
    golden.map(({ text }) => predict(arm, transport, 'sentiment', { inputs: [text, 'another'] })),
  );
  for (const [at, { results }] of together.entries()) expectGolden(results[0], golden[at]);
});

verifiesOverWires('sentence:golden', async (arm, transport) => {
  for (const variant of variants.filter(isAsSaved)) {
    const { prompt_name, vectors } = variant;
    const request = { inputs: texts, ...(prompt_name === null ? {} : { prompt_name }) };
    const { results, model_id } = await predict(arm, transport, 'sentence', request);
    expect(model_id).toBe('sentence');
    expect(results).toHaveLength(texts.length);
    for (const [at, { embedding }] of results.entries())
      expectClose(embedding, vectors[at], variantName(variant));
  }
});

verifiesOverWires('sentence:pooled', async (arm, transport) => {
  const { results } = await predict(arm, transport, 'sentence-pooled', { inputs: texts });
  const pooled = variants.find(({ max_length }) => max_length === 128);
  expect(results).toHaveLength(texts.length);
  for (const [at, { embedding }] of results.entries())
    expectClose(embedding, pooled?.vectors[at], texts[at] ?? '');
});

const modules = readGoldenModules();
const gtr = modules.models.find(({ name }) => name === 'gtr');

verifiesOverWires('sentence:modules', async (arm, transport) => {
  const vectors = async (request: Partial<PredictRequest>): Promise<(readonly number[] | undefined)[]> => {
    const { results } = await predict(arm, transport, 'sentence-modules', {
      inputs: modules.texts,
      ...request,
    });
    return results.map(({ embedding }) => embedding);
  };
  for (const [at, vector] of (await vectors({})).entries()) {
    expect(vector).toHaveLength(40);
    expectClose(vector, gtr?.vectors[at], modules.texts[at] ?? '');
  }
  for (const [at, vector] of (await vectors({ prompt_name: 'query' })).entries())
    expectClose(vector, gtr?.query[at], modules.texts[at] ?? '');
  const [cut] = await vectors({ dimensions: 36 });
  expect(cut).toHaveLength(36);
  await expect(vectors({ dimensions: 41 })).rejects.toMatchObject({
    code: transport.inputError,
    message: 'dimensions must be at most 40, not 41',
  });
});

verifiesServed('sentence:similarity', async (arm) => {
  const url = `http://127.0.0.1:${(await serve(arm, 'sentence-modules')).httpPort}`;
  const [source_sentence = '', ...sentences] = modules.texts;
  for (const path of ['/similarity', '/']) {
    const { text } = await post(`${url}${path}`, { inputs: { source_sentence, sentences } });
    expectClose(JSON.parse(text) as number[], gtr?.similarity, path);
  }
  const facts = await (await fetch(`${url}/model`)).json();
  expect(facts).toMatchObject({ similarity_fn_name: 'euclidean', dimensions: 40 });
  const { text } = await post(`${url}/v1/embeddings`, { input: source_sentence, model: 'any' });
  const { data } = JSON.parse(text) as { data: { embedding: number[] }[] };
  expectClose(data[0]?.embedding, gtr?.vectors[0], '/v1/embeddings');
});

verifiesOverWires('sentence:options', async (arm, transport) => {
  const vector = async (options: Partial<PredictRequest>): Promise<readonly number[]> => {
    const answer = await predict(arm, transport, 'sentence', { inputs: texts.slice(0, 1), ...options });
    return answer.results[0]?.embedding ?? [];
  };
  const long = variants.find(
    ({ normalize, pooling, dimensions, prompt_name }) =>
      !normalize && pooling === 'mean' && dimensions === null && prompt_name === null,
  );
  expectClose(await vector({ normalize: false }), long?.vectors[0], 'normalize');
  const cut = await vector({ dimensions: 4 });
  expect(cut).toHaveLength(4);
  expect(Math.hypot(...cut)).toBeCloseTo(1, 5);
  expect(await vector({ prompt_name: '' })).toEqual(await vector({}));
  const prompt = prompts['query'] ?? '';
  expect(await vector({ prompt, prompt_name: 'passage' })).toEqual(await vector({ prompt_name: 'query' }));
  expect(await vector({ prompt: '' })).toEqual(await vector({}));
});

verifiesOverWires('sentence:refused', async (arm, transport) => {
  const cases: [options: Partial<PredictRequest>, message: string][] = [
    [{ prompt_name: 'nope' }, 'prompt_name must be one of query, passage, document, not "nope"'],
    [{ dimensions: 33 }, 'dimensions must be at most 32, not 33'],
    [{ prompt: 'x'.repeat(9000) }, 'prompt must have at most 8192 characters, not 9000'],
    [
      { instruction: 'Find texts' },
      'instruction requires a model with a prompt such as "Instruct: {task}\\nQuery: ", which this model does not have. Remove it, or set the whole prompt with prompt.',
    ],
    [{ inputs: [''], prompt_name: 'query' }, 'Cannot tokenize empty string'],
  ];
  for (const [options, message] of cases) {
    await expect(predict(arm, transport, 'sentence', { inputs: ['fine'], ...options })).rejects.toMatchObject(
      { code: transport.inputError, message },
    );
  }
});

verifiesServed('sentence:metadata', async (arm) => {
  const { httpPort, grpcPort } = await serve(arm, 'sentence');
  const model: unknown = await (await fetch(`http://127.0.0.1:${httpPort}/model`)).json();
  const known = { model_id: 'sentence', model_type: 'sentence_embedding', version: '1.0.0' };
  expect(model).toEqual({
    ...known,
    pooling: 'mean',
    normalize: true,
    dimensions: 32,
    int8_scale: 1 / 127,
    prompts,
  });
  const client = grpcClient('SentenceEmbedding', `127.0.0.1:${grpcPort}`);
  const metadata = await new Promise((resolve, reject) => {
    const done = (error: unknown, answer: unknown): void => (error ? reject(error) : resolve(answer));
    (client['GetModelMetadata'] as (...args: unknown[]) => unknown).call(client, {}, done);
  });
  client.close();
  // The loader shows an enum by its number: 4 is SENTENCE_EMBEDDING.
  expect(metadata).toMatchObject({ model_id: 'sentence', model_type: 4, id2label: {} });
});

/** All values that independent libraries compute for a text, within 1e-5. */
function expectGolden(result: PredictResult | undefined, golden: GoldenText | undefined): void {
  if (!result || !golden) throw new Error('a result for every text');
  const kept = golden.input_ids.flatMap((_, at) => (golden.special_tokens_mask[at] === 0 ? [at] : []));
  const rows = result.tokens ?? result.embeddings;
  if (!rows) {
    expect(result.predicted_label).toBe(golden.predicted_label);
    expectClose(result.logits, golden.logits as number[], golden.id);
    expectClose(result.scores, golden.scores as number[], golden.id);
    return;
  }
  expect(rows.map(({ token_info }) => token_info)).toEqual(
    kept.map((at) => ({
      token: golden.tokens[at],
      token_id: golden.input_ids[at],
      start: golden.offsets[at]?.[0],
      end: golden.offsets[at]?.[1],
    })),
  );
  for (const [row, at] of kept.entries()) {
    expectClose(result.embeddings?.[row]?.embedding, golden.embeddings?.[at], golden.id);
    expectClose(result.tokens?.[row]?.logits, golden.logits?.[at] as number[] | undefined, golden.id);
    expectClose(result.tokens?.[row]?.scores, golden.scores?.[at] as number[] | undefined, golden.id);
    expect(result.tokens?.[row]?.label).toBe(golden.labels?.[at]);
  }
}
