import type { Context } from 'hono';
import type { Manifest } from '../../../contract/manifest.ts';
import { withArticle } from '../../../core/text/with-article.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { shortestFloat32 } from '../../../core/numbers/float32.ts';
import type { RequestOverflow, ServingEngine } from '../engine/serving.ts';
import { sigmoid } from '../maths/softmax.ts';
import { runModel, sumOf } from './run-model.ts';

interface RankRequest {
  readonly query: string;
  readonly documents: readonly string[];
  /** Whether scores are logits instead of numbers between 0 and 1. */
  readonly raw: boolean;
  readonly overflow: RequestOverflow;
}

interface Ranking {
  /** Documents, most relevant first. */
  readonly ranked: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
  /** Indexes of the documents that were truncated. */
  readonly truncated: readonly number[];
}

/** Scores each document together with the query. */
export async function rankDocuments(
  c: Context,
  engine: ServingEngine,
  { query, documents, raw, overflow }: RankRequest,
): Promise<Ranking> {
  const { results, tokens, truncated } = await runModel(c, engine, {
    inputs: documents.map((pair) => ({ text: query, pair })),
    view: { kind: 'result', format: 'json', options: {} },
    overflow,
  });
  const ranked = results
    .map((bytes, index) => ({ index, score: scoreOf(bytes, raw) }))
    .sort((a, b) => b.score - a.score);
  return { ranked, tokens: sumOf(tokens), truncated };
}

/** Computed from the logit, because `scores` can come from a transform or a regression model and may not be between 0 and 1. */
function scoreOf(result: Uint8Array, raw: boolean): number {
  const { logits } = parseJsonText(Buffer.from(result).toString()) as { logits: number[] };
  const logit = Float32Array.from(logits);
  return shortestFloat32((raw ? logit : sigmoid(logit))[0] ?? 0);
}

export const isReranker = ({ modelType, width }: Manifest): boolean =>
  modelType === 'sequence_classification' && width === 1;

/** The message for a model that cannot rank. */
export function noReranker(path: string, { name, modelType, width }: Manifest): string {
  const labels = modelType === 'sequence_classification' ? ` with ${width} labels` : '';
  return `${path} requires a sequence_classification model with one label, but ${name} is ${withArticle(modelType)} model${labels}.`;
}
