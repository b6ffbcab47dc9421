import type { Context } from 'hono';
import { inputError } from '#contract/errors.ts';
import { hasLabels } from '#contract/model-types.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planInstruction } from '#core/model/pair-prompt.ts';
import { planRanking } from '#core/model/stage-plan.ts';
import { withArticle } from '#core/text/with-article.ts';
import { itemAt } from '#core/values/item-at.ts';
import type { EngineAnswer, RunModel, ServingEngine } from '../engine/serving.ts';
import { engineFor } from '../engine/staged-engine.ts';
import { withOverflow } from '../predict/predict.ts';
import type { OverflowMembers } from '../schemas/texts.ts';
import { SERVED } from '../served/index.ts';
import type { DocumentScores, RankRequest, ScoreDocuments } from '../served/served-type.ts';
import {
  type ModelCaller,
  type ModelRun,
  reportRuns,
  requestCaller,
  runFor,
  runModel,
  sumOf,
} from './run-model.ts';

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
  body: OverflowMembers & RankingMembers,
): Promise<Ranking> {
  const caller = requestCaller(c);
  const { manifest } = engine;
  const instruction = planInstruction(manifest.pairPrompt, body.instruction);
  const { stage, candidates } = planRanking(manifest, body);
  if (stage === 'fast' && request.weights) {
    throw inputError(
      'weights requires stage "exact" or "two_stage", because the static form has only dense vectors. Remove one of them.',
    );
  }
  const scoreWith: ScoreWith = (form, documents, run) =>
    score(
      form,
      { ...request, documents, instruction, weights: form === engine ? request.weights : undefined },
      {
        query: withOverflow((query) => runFor(caller, form, query), body),
        documents: withOverflow(run, body),
      },
    );
  if (stage === 'two_stage')
    return await rankInTwoStages(caller, engine, request.documents, candidates, scoreWith);
  const form = await engineFor(engine, stage);
  const run: RunModel = (wanted) => runModel(caller, form, wanted);
  const { scores, tokens, truncated } = await scoreWith(form, request.documents, run);
  return { ranked: ranked(scores), tokens: sumOf(tokens), truncated };
}

/** Scores documents with one form of the model. `run` runs this form on the documents. */
type ScoreWith = (
  form: ServingEngine,
  documents: readonly string[],
  run: RunModel,
) => Promise<DocumentScores>;

/** Chooses candidates with the static form, and ranks only these, with the model. */
async function rankInTwoStages(
  caller: ModelCaller,
  engine: ServingEngine,
  documents: readonly string[],
  candidates: number,
  scoreWith: ScoreWith,
): Promise<Ranking> {
  const start = performance.now();
  const runs: ModelRun[] = [];
  const run = async (form: ServingEngine, request: Parameters<RunModel>[0]): Promise<EngineAnswer> => {
    const answer = await runFor(caller, form, request);
    runs.push({ inputs: request.inputs, answer });
    return answer;
  };
  const fast = await engineFor(engine, 'fast');
  const found = await scoreWith(fast, documents, (request) => run(fast, request));
  // In the order of the request, so that documents with equal scores are in the same order as in `exact`.
  const chosen = ranked(found.scores)
    .slice(0, candidates)
    .map(({ index }) => index)
    .sort((one, other) => one - other);
  const indexOf = (candidate: number): number => itemAt(chosen, candidate);
  const { scores, tokens, truncated } = await scoreWith(
    engine,
    chosen.map((index) => itemAt(documents, index)),
    (request) => run(engine, { ...request, indexOf }),
  );
  reportRuns(caller.setHeader, { stage: 'two_stage', runs, truncated, total: performance.now() - start });
  return {
    ranked: ranked(scores).map(({ index, score }) => ({ index: indexOf(index), score })),
    tokens: sumOf([...found.tokens, ...tokens]),
    truncated,
  };
}

/** Scores with the indexes of their documents, greatest first. Equal scores are in the order of the documents. */
const ranked = (scores: readonly number[]): { readonly index: number; readonly score: number }[] =>
  scores.map((score, index) => ({ index, score })).sort((one, other) => other.score - one.score);

interface RankingMembers {
  readonly instruction?: string | null;
  readonly stage?: string | null;
  readonly candidates?: number | null;
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
