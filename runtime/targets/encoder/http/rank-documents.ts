import type { Context } from 'hono';
import { hasLabels } from '#contract/model-types.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planInstruction } from '#core/model/pair-prompt.ts';
import { planRanking } from '#core/model/stage-plan.ts';
import { withArticle } from '#core/text/with-article.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { RunModel, ServingEngine } from '../engine/serving.ts';
import { engineFor } from '../engine/staged-engine.ts';
import { withOverflow } from '../predict/predict.ts';
import type { OverflowMembers } from '../schemas/texts.ts';
import { SERVED } from '../served/index.ts';
import type { DocumentScores, RankRequest, ScoreDocuments } from '../served/served-type.ts';
import { type ModelRun, reportRuns, requestCaller, runModel, sumOf } from './run-model.ts';

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
  wanted: RankRequest,
  body: OverflowMembers & RankingMembers,
): Promise<Ranking> {
  const caller = requestCaller(c);
  const { manifest } = engine;
  const request = { ...wanted, instruction: planInstruction(manifest.pairPrompt, body.instruction) };
  const { stage, candidates } = planRanking(manifest, body);
  /** Scores documents with one form of the model. `documents` runs it on them. */
  const scoreWith = (
    form: ServingEngine,
    documents: RunModel,
    chosen: readonly string[] = request.documents,
  ): Promise<DocumentScores> =>
    score(
      form,
      { ...request, documents: chosen },
      {
        query: withOverflow((query) => form.run({ ...query, signal: caller.signal }), body),
        documents: withOverflow(documents, body),
      },
    );
  if (stage !== 'two_stage') {
    const form = await engineFor(engine, stage);
    const { scores, tokens, truncated } = await scoreWith(form, (run) => runModel(caller, form, run));
    const ranked = bestFirst(scores).map((index) => ({ index, score: itemAt(scores, index) }));
    return { ranked, tokens: sumOf(tokens), truncated };
  }
  const start = performance.now();
  const runs: ModelRun[] = [];
  const recorded =
    (form: ServingEngine): RunModel =>
    async (run) => {
      const answer = await form.run({ ...run, signal: caller.signal });
      runs.push({ inputs: run.inputs, answer });
      return answer;
    };
  const fast = await engineFor(engine, 'fast');
  const found = await scoreWith(fast, recorded(fast));
  // In the order of the request, so that documents with equal scores have the same order as in `exact`.
  const chosen = bestFirst(found.scores)
    .slice(0, candidates)
    .sort((one, other) => one - other);
  const documents = chosen.map((index) => itemAt(request.documents, index));
  const exact = await scoreWith(engine, recorded(engine), documents);
  const truncated = exact.truncated.map((at) => itemAt(chosen, at));
  reportRuns(caller.setHeader, { stage, runs, truncated, total: performance.now() - start });
  return {
    ranked: bestFirst(exact.scores).map((at) => ({
      index: itemAt(chosen, at),
      score: itemAt(exact.scores, at),
    })),
    tokens: sumOf([...found.tokens, ...exact.tokens]),
    truncated,
  };
}

interface RankingMembers {
  readonly instruction?: string | null;
  readonly stage?: string | null;
  readonly candidates?: number | null;
}

/** The indexes of scores, greatest first; equal scores are in order of their index. */
const bestFirst = (scores: readonly number[]): number[] =>
  Array.from(scores.keys()).sort((one, other) => itemAt(scores, other) - itemAt(scores, one));

/**
 * Returns the function with which the model scores documents; undefined if the model cannot score
 * documents.
 */
export const scorerOf = (manifest: Manifest): ScoreDocuments | undefined =>
  SERVED[manifest.modelType].rank?.(manifest);

/** The error message for a model that cannot rank documents. */
export function noReranker(path: string, { name, modelType, width }: Manifest): string {
  const labels = SERVED[modelType].rank && hasLabels(modelType) ? ` with ${width} labels` : '';
  const wayOut =
    modelType === 'sentence_embedding' ? ' Use /similarity, or build the model with `distill: both`.' : '';
  return `${path} requires a sequence_classification model with one label or a multi_vector model, but ${name} is ${withArticle(modelType)} model${labels}.${wayOut}`;
}
