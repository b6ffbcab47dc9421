import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { type Stage, STAGES } from '#contract/static-form.ts';
import { isOneOf } from '../values/is-one-of.ts';

/** The stages of a request that ranks documents: `two_stage` ranks the best documents of `fast` again. */
export const RANKING_STAGES = [...STAGES, 'two_stage'] as const;
export type RankingStage = (typeof RANKING_STAGES)[number];

/** Number of documents that `two_stage` ranks with the model if the request sets no number. */
export const DEFAULT_CANDIDATES = 50;

type StagedModel = Pick<Manifest, 'name' | 'staticForm'>;
/** A word of a request; undefined and null mean not set. */
type Word = string | null | undefined;

/** The stage that computes vectors for a request. `label` is the name of the option in messages. */
export const planStage = (model: StagedModel, stage: Word, label = 'stage'): Stage =>
  planWord(STAGES, model, stage, label);

interface RankingRequest {
  readonly stage?: Word;
  readonly candidates?: number | null | undefined;
}

interface RankingPlan {
  readonly stage: RankingStage;
  readonly candidates: number;
}

/** How a request ranks documents. */
export function planRanking(model: StagedModel, { stage, candidates }: RankingRequest): RankingPlan {
  const planned = planWord(RANKING_STAGES, model, stage, 'stage');
  if (planned !== 'two_stage' && typeof candidates === 'number') {
    throw inputError(
      'candidates requires stage "two_stage", which chooses that many documents and ranks only these. Set stage, or remove candidates.',
    );
  }
  return { stage: planned, candidates: candidates ?? DEFAULT_CANDIDATES };
}

function planWord<Known extends string>(
  known: readonly (Known | 'exact')[],
  { name, staticForm }: StagedModel,
  stage: Word,
  label: string,
): Known | 'exact' {
  if (stage === null || stage === undefined || stage === 'exact') return 'exact';
  const shown = JSON.stringify(stage.slice(0, 100));
  if (!staticForm) {
    throw inputError(
      `${label} ${shown} requires a model that was built with \`distill: both\`, but ${name} has no static form. Remove ${label}, or build the model with both forms.`,
    );
  }
  if (isOneOf(known, stage)) return stage;
  throw inputError(`${label} must be one of ${known.join(', ')}, not ${shown}`);
}
