// Calls served models with the npm clients for other APIs, and prints one JSON line per call. The argument is a JSON object with the
// address of each model. Results are compared with those of /predict.
import { readFileSync } from 'node:fs';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { InferenceClient } from '@huggingface/inference';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embed, embedMany } from 'ai';
import { CohereClient, CohereClientV2 } from 'cohere-ai';
import OpenAI from 'openai';

const urls = JSON.parse(process.argv[2] ?? '{}');
const TEXTS = ['Anna lives in Berlin.', 'So does Ben.', 'the movie was bad'];
const QUERY = 'Where does Anna live?';
const DOCUMENTS = ['Ben likes tea.', 'Anna lives in Paris.', 'Nothing of the kind.'];

async function predict(model, body) {
  const response = await fetch(`${urls[model]}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()).results;
}

const predictedVectors = async (inputs) =>
  (await predict('sentence', { inputs, normalize: true })).map(({ embedding }) => embedding);

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

async function sameVectors(actual, texts = TEXTS) {
  const expected = await predictedVectors(texts);
  assert(actual.length === expected.length, `${actual.length} vectors instead of ${expected.length}`);
  const worst = Math.max(
    ...expected.flatMap((vector, at) => vector.map((value, index) => Math.abs(value - actual[at][index]))),
  );
  assert(worst < 1e-6, `differs from /predict by ${worst}`);
}

async function sameRanking(actual, top = DOCUMENTS.length) {
  const results = await predict('reranker', { inputs: DOCUMENTS.map((text) => [QUERY, text]) });
  const expected = results
    .map(({ logits: [logit] }, index) => ({ index, score: 1 / (1 + Math.exp(-logit)) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, top);
  assert(actual.length === top, `${actual.length} results instead of ${top}`);
  for (const [at, { index, score }] of expected.entries()) {
    assert(actual[at].index === index, `order ${JSON.stringify(actual)}`);
    assert(Math.abs(actual[at].relevanceScore - score) < 1e-6, `score ${actual[at].relevanceScore}`);
  }
}

const model = 'any';
const compatible = () => createOpenAICompatible({ name: 'encoderfile', baseURL: `${urls.sentence}/v1` });
const CHECKS = [
  {
    client: 'openai',
    door: '/v1/embeddings',
    call: 'embeddings.create',
    run: async () => {
      const client = new OpenAI({ apiKey: 'none', baseURL: `${urls.sentence}/v1` });
      const { data } = await client.embeddings.create({ model, input: TEXTS });
      await sameVectors(data.map(({ embedding }) => embedding));
    },
  },
  {
    client: 'ai',
    door: '/v1/embeddings',
    call: 'embedMany, embed (@ai-sdk/openai-compatible)',
    run: async () => {
      const { embeddings } = await embedMany({ model: compatible().embeddingModel(model), values: TEXTS });
      await sameVectors(embeddings);
      const { embedding } = await embed({ model: compatible().embeddingModel(model), value: TEXTS[0] });
      await sameVectors([embedding], TEXTS.slice(0, 1));
    },
  },
  {
    client: '@langchain/openai',
    door: '/v1/embeddings',
    call: 'OpenAIEmbeddings.embedDocuments',
    run: async () => {
      const configuration = { baseURL: `${urls.sentence}/v1` };
      const client = new OpenAIEmbeddings({ model, apiKey: 'none', configuration });
      await sameVectors(await client.embedDocuments(TEXTS));
    },
  },
  {
    client: 'cohere-ai',
    door: '/v1/rerank',
    call: 'CohereClient.rerank',
    run: async () => {
      const client = new CohereClient({ token: 'none', environment: `${urls.reranker}/v1` });
      const { results } = await client.rerank({ model, query: QUERY, documents: DOCUMENTS, topN: 2 });
      await sameRanking(results, 2);
    },
  },
  {
    client: 'cohere-ai',
    door: '/v2/rerank',
    call: 'CohereClientV2.rerank',
    run: async () => {
      const client = new CohereClientV2({ token: 'none', environment: urls.reranker });
      const { results } = await client.rerank({ model, query: QUERY, documents: DOCUMENTS });
      await sameRanking(results);
    },
  },
  {
    client: 'cohere-ai',
    door: '/v2/embed',
    call: 'CohereClientV2.embed',
    run: async () => {
      const client = new CohereClientV2({ token: 'none', environment: urls.sentence });
      const request = { model, texts: TEXTS, inputType: 'classification' };
      const { embeddings } = await client.embed({ ...request, embeddingTypes: ['float', 'int8', 'uint8'] });
      await sameVectors(embeddings.float);
      const [int8, uint8] = [embeddings.int8.flat(), embeddings.uint8.flat()];
      assert(
        int8.every((value, at) => value + 128 === uint8[at]),
        'int8 differs from uint8',
      );
    },
  },
  {
    client: '@huggingface/inference',
    door: '/',
    call: 'featureExtraction',
    run: async () => {
      const client = new InferenceClient().endpoint(urls.sentence);
      await sameVectors(await client.featureExtraction({ inputs: TEXTS }));
    },
  },
  {
    client: '@huggingface/inference',
    door: '/',
    call: 'textClassification',
    run: async () => {
      const client = new InferenceClient().endpoint(urls.sentiment);
      const labels = await client.textClassification({ inputs: TEXTS[2] });
      const [{ top }] = await predict('sentiment', { inputs: [TEXTS[2]], top_k: 2 });
      assert(
        JSON.stringify(labels) === JSON.stringify(top.map(({ label, score }) => ({ label, score }))),
        JSON.stringify(labels),
      );
    },
  },
];

for (const { client, door, call, run } of CHECKS) {
  const path = new URL(`node_modules/${client}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(path, 'utf8'));
  const problem = await run().then(
    () => null,
    (error) => `${error.name}: ${error.message}`.slice(0, 300),
  );
  console.log(JSON.stringify({ client, version, door, call, problem }));
}
