import type { Context } from 'hono';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { withArticle } from '#core/text/with-article.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import type { RequestOverflow, ServingEngine } from '../engine/serving.ts';
import type { VectorRows } from '../math/max-sim.ts';
import { sigmoid } from '#core/numbers/softmax.ts';
import type { ReadVector } from '../math/sparse.ts';
import type { OutputWeights } from '../tasks/hybrid-score.ts';
import { callerOf, runModel, sumOf } from './run-model.ts';

interface RankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Whether scores are logits instead of numbers between 0 and 1. */
  readonly raw: boolean;
  readonly overflow: RequestOverflow;
  /** The weight of each output, for models with several. Default: dense vectors only. */
  readonly weights?: OutputWeights | undefined;
}

interface Ranking {
  /** Documents, most relevant first. */
  readonly ranked: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
  /** Indexes of the documents that were truncated. */
  readonly truncated: readonly number[];
}

/** Scores each document for the query: together with it, or by the vectors of both. */
export function rankDocuments(c: Context, engine: ServingEngine, request: RankRequest): Promise<Ranking> {
  const { multiVector, tokenOutputs } = engine.manifest;
  if (multiVector) return rankByVectors(c, engine, request);
  return tokenOutputs ? rankByOutputs(c, engine, request) : rankPairs(c, engine, request);
}

async function rankPairs(
  c: Context,
  engine: ServingEngine,
  { query, documents, raw, overflow }: RankRequest,
): Promise<Ranking> {
  const { results, tokens, truncated } = await runModel(callerOf(c), engine, {
    inputs: documents.map((pair) => ({ text: query, pair })),
    view: { kind: 'result', format: 'json', options: {} },
    overflow,
  });
  return { ranked: rank(results.map((bytes) => scoreOf(bytes, raw))), tokens: sumOf(tokens), truncated };
}

/** The scores of late interaction are sums of similarities, also as raw scores: no function maps them to 0 to 1. */
async function rankByVectors(
  c: Context,
  engine: ServingEngine,
  { query, documents, overflow }: RankRequest,
): Promise<Ranking> {
  const normalize = engine.manifest.multiVector?.normalize ?? false;
  const encoded = await engine.run({
    inputs: [{ text: query }],
    role: 'query',
    view: { kind: 'result', format: 'json', options: { normalize, role: 'query' } },
    overflow,
    signal: c.req.raw.signal,
  });
  const { results, tokens, truncated } = await runModel(callerOf(c), engine, {
    inputs: documents.map((text) => ({ text })),
    role: 'document',
    view: { kind: 'max-sim', query: vectorsIn(encoded.results[0]) },
    overflow,
  });
  const scores = results.map((bytes) => Number(Buffer.from(bytes).toString()));
  return { ranked: rank(scores), tokens: sumOf([...encoded.tokens, ...tokens]), truncated };
}

/** By the outputs of a sentence_embedding model that have a weight. */
async function rankByOutputs(
  c: Context,
  engine: ServingEngine,
  { query, documents, overflow, weights = DENSE_ONLY }: RankRequest,
): Promise<Ranking> {
  const outputs = EMBEDDING_OUTPUTS.filter((output) => weights[output] !== undefined);
  const encoded = await engine.run({
    inputs: [{ text: query }],
    view: { kind: 'result', format: 'json', options: { normalize: true, outputs } },
    overflow,
    signal: c.req.raw.signal,
  });
  const { embedding, vectors, sparse } = parsed(encoded.results[0]);
  const { results, tokens, truncated } = await runModel(callerOf(c), engine, {
    inputs: documents.map((text) => ({ text })),
    view: {
      kind: 'hybrid',
      query: {
        weights,
        outputs,
        sparse,
        dense: embedding && shared([embedding]),
        multiVector: vectors && shared(vectors),
      },
    },
    overflow,
  });
  const scores = results.map((bytes) => Number(Buffer.from(bytes).toString()));
  return { ranked: rank(scores), tokens: sumOf([...encoded.tokens, ...tokens]), truncated };
}

const DENSE_ONLY: OutputWeights = { dense: 1 };

const vectorsIn = (result: Uint8Array | undefined): VectorRows => shared(parsed(result).vectors ?? []);

/** Which members there are depends on the model and on the outputs of the request. */
interface EncodedQuery {
  readonly embedding?: readonly number[];
  readonly sparse?: ReadVector;
  readonly vectors?: readonly (readonly number[])[];
}

const parsed = (result: Uint8Array = new Uint8Array()): EncodedQuery =>
  parseJsonText(Buffer.from(result).toString()) as EncodedQuery;

/** In memory that threads share, because each document is sent to a thread with them. */
function shared(vectors: readonly (readonly number[])[]): VectorRows {
  const width = vectors[0]?.length ?? 0;
  const values = new Float32Array(
    new SharedArrayBuffer(vectors.length * width * Float32Array.BYTES_PER_ELEMENT),
  );
  for (const [row, vector] of vectors.entries()) values.set(vector, row * width);
  return { values, width };
}

const rank = (scores: readonly number[]): Ranking['ranked'] =>
  scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score);

/** Computed from the logit, because `scores` can come from a transform or a regression model and may not be between 0 and 1. */
function scoreOf(result: Uint8Array, raw: boolean): number {
  const { logits } = parseJsonText(Buffer.from(result).toString()) as { logits: number[] };
  const logit = Float32Array.from(logits);
  return shortestFloat32((raw ? logit : sigmoid(logit))[0] ?? 0);
}

export const isReranker = ({ modelType, width, tokenOutputs }: Manifest): boolean =>
  modelType === 'multi_vector' ||
  tokenOutputs !== undefined ||
  (modelType === 'sequence_classification' && width === 1);

/** The message for a model that cannot rank. */
export function noReranker(path: string, { name, modelType, width }: Manifest): string {
  const labels = modelType === 'sequence_classification' ? ` with ${width} labels` : '';
  return `${path} requires a sequence_classification model with one label or a multi_vector model, but ${name} is ${withArticle(modelType)} model${labels}.`;
}
