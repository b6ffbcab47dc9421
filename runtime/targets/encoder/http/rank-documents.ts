import type { Context } from 'hono';
import { hasLabels } from '#contract/model-types.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planInstruction } from '#core/model/pair-prompt.ts';
import { withArticle } from '#core/text/with-article.ts';
import type { ServingEngine } from '../engine/serving.ts';
import { withOverflow } from '../predict/predict.ts';
import type { OverflowMembers } from '../schemas/texts.ts';
import { SERVED } from '../served/index.ts';
import type { DocumentScores, RankRequest, ScoreDocuments } from '../served/served-type.ts';
import { requestCaller, runModel, sumOf } from './run-model.ts';

interface Ranking extends Pick<DocumentScores, 'truncated'> {
  /** The documents, most relevant first. */
  readonly ranked: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
}

/** Ranks documents by their scores for the query. */
export async function rankDocuments(
  c: Context,
  engine: ServingEngine,
  score: ScoreDocuments,
  request: RankRequest,
  body: OverflowMembers & { readonly instruction?: string | null },
): Promise<Ranking> {
  const caller = requestCaller(c);
  const instruction = planInstruction(engine.manifest.pairPrompt, body.instruction);
  const { scores, tokens, truncated } = await score(
    engine,
    { ...request, instruction },
    {
      query: withOverflow(
        (wanted) => engine.run({ ...wanted, signal: caller.signal, lane: caller.lane }),
        body,
      ),
      documents: withOverflow((wanted) => runModel(caller, engine, wanted), body),
    },
  );
  const ranked = scores.map((one, index) => ({ index, score: one })).sort((a, b) => b.score - a.score);
  return { ranked, tokens: sumOf(tokens), truncated };
}

/**
 * Returns the function with which the model scores documents; undefined if the model cannot score
 * documents.
 */
export const scorerOf = (manifest: Manifest): ScoreDocuments | undefined =>
  SERVED[manifest.modelType].rank?.(manifest);

/** The error message for a model that cannot rank documents. */
export function noReranker(path: string, { name, modelType, width }: Manifest): string {
  const labels = SERVED[modelType].rank && hasLabels(modelType) ? ` with ${width} labels` : '';
  return `${path} requires a sequence_classification model with one label or a multi_vector model, but ${name} is ${withArticle(modelType)} model${labels}.`;
}
