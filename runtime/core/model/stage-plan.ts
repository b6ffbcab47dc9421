import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { type Stage, STAGES } from '#contract/stages.ts';
import { isOneOf } from '../values/is-one-of.ts';

/** The stages of a request that ranks documents: `two_stage` ranks the best documents of `fast` again. */
export const RANKING_STAGES = ['two_stage', ...STAGES] as const;
export type RankingStage = (typeof RANKING_STAGES)[number];

/** Number of documents that `two_stage` ranks with the model if the request sets no number. */
export const DEFAULT_CANDIDATES = 50;

type StagedModel = Pick<Manifest, 'name' | 'staticForm'>;
/** A word of a request; undefined and null mean not set. */
type Word = string | null | undefined;

/** The stage that computes vectors for a request. `label` is the name of the option in messages. */
export function planStage(model: StagedModel, stage: Word, label = 'stage'): Stage {
  if (isExact(stage)) return 'exact';
  return knownStage(STAGES, model, stage, label);
}

interface RankingRequest {
  readonly stage?: Word;
  readonly candidates?: number | null | undefined;
}

interface RankingPlan {
  readonly stage: RankingStage;
  readonly candidates: number;
}

/** How a request ranks documents. A number of candidates alone means `two_stage`. */
export function planRanking(model: StagedModel, { stage, candidates }: RankingRequest): RankingPlan {
  if (typeof candidates !== 'number') {
    const planned = isExact(stage) ? 'exact' : knownStage(RANKING_STAGES, model, stage, 'stage');
    return { stage: planned, candidates: DEFAULT_CANDIDATES };
  }
  requireStaticForm(model, 'candidates', candidates);
  const planned = knownStage(RANKING_STAGES, model, stage ?? 'two_stage', 'stage');
  if (planned === 'two_stage') return { stage: planned, candidates };
  throw inputError(
    `candidates requires stage "two_stage", not "${planned}", which scores all documents. Remove one of them.`,
  );
}

const isExact = (stage: Word): stage is 'exact' | null | undefined =>
  stage === null || stage === undefined || stage === 'exact';

function knownStage<Known extends string>(
  known: readonly Known[],
  model: StagedModel,
  stage: string,
  label: string,
): Known {
  requireStaticForm(model, label, stage);
  if (isOneOf(known, stage)) return stage;
  throw inputError(`${label} must be one of ${known.join(', ')}, not ${shown(stage)}`);
}

function requireStaticForm({ name, staticForm }: StagedModel, label: string, value: string | number): void {
  if (staticForm) return;
  throw inputError(
    `${label} ${shown(value)} requires a model that was built with \`distill: both\`, but ${name} has no static form. Remove ${label}, or build the model with both forms.`,
  );
}

const shown = (value: string | number): string =>
  JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value);
