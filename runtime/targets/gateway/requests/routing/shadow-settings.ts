import { JUDGE_DEFINITIONS } from '../../evaluation/metrics/text/judge.ts';

/** The metric for which a judge model compares the two responses, in both orders. */
export const PREFERENCE = 'preference';

/** Metrics that compare the candidate's response with the user's, without another model. */
const AGREEMENT_METRICS = ['exact_match', 'rouge', 'chrf', 'meteor', 'tool_calls'] as const;

/** The metric that compares embeddings of the two responses. */
export const SIMILARITY = 'similarity';

/** Metrics for which a judge model scores each response on its own, as in experiments. */
export const POINTWISE_METRICS: readonly string[] = JUDGE_DEFINITIONS.map(({ name }) => name);

/** All metrics of shadow evaluations. */
export const SHADOW_METRICS: readonly string[] = [
  PREFERENCE,
  ...POINTWISE_METRICS,
  SIMILARITY,
  ...AGREEMENT_METRICS,
];

/** Whether a judge model scores responses for a metric. */
export const isJudged = (metric: string): boolean =>
  metric === PREFERENCE || POINTWISE_METRICS.includes(metric);

/** An evaluation of a candidate with live requests to an alias. */
export interface ShadowSettings {
  /** Model strings of the alias's targets and fallbacks, sorted. */
  readonly baseline: readonly string[];
  /** Model string of the candidate, `provider:model`. */
  readonly model: string;
  /** Share of the permitted requests that are also sent to the candidate, from 0 to 1. */
  readonly share: number;
  /** The user who pays for the candidate and the judge. */
  readonly user: string;
  /** ID of an experiment whose metrics and judge are used; undefined if they are set here. */
  readonly experiment: string | undefined;
  /** Names of metrics; undefined for those of the experiment. */
  readonly metrics: readonly string[] | undefined;
  /** Model string of the judge. */
  readonly judge: string | undefined;
  /** What a good response is, for the judge of `preference`. */
  readonly rubric: string | undefined;
  /** Model string of the encoder for `similarity`. */
  readonly embedder: string | undefined;
  /** By how much the candidate can be worse and still count as not worse. */
  readonly margin: number;
  /** Probability, from 0.5 to 1, with which a verdict is right. */
  readonly confidence: number;
  /** The evaluation ends after this many compared requests. */
  readonly maxRows: number;
  /** How long scores are kept; undefined for unlimited. */
  readonly retentionMs: number | undefined;
}

export const SHADOW_DEFAULTS = {
  metrics: [PREFERENCE, 'tool_calls'] as readonly string[],
  margin: 0.05,
  confidence: 0.95,
  maxRows: 10_000,
  retention: '90d',
};
