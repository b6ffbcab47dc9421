import { POINTWISE_METRICS } from './shadow-settings.ts';

/** Whose requests all get the same variant. */
export const AB_UNITS = ['user', 'end_user', 'session', 'key'] as const;
export type AbUnit = (typeof AB_UNITS)[number];

/** All metrics of A/B tests. Their values are from 0 to 1, and higher is better. */
export const AB_METRICS: readonly string[] = ['feedback', 'success', 'no_refusal', ...POINTWISE_METRICS];

/** Always decides, because a candidate that fails leaves its requests to the alias's targets. */
export const SUCCESS = 'success';

/** A test in which a share of an alias's users gets the candidate's responses. */
export interface AbSettings {
  /** Model strings of the alias's targets and fallbacks, sorted. */
  readonly baseline: readonly string[];
  /** Model string of the candidate, `provider:model`. */
  readonly model: string;
  /** Share of the users who get the candidate's responses, above 0 and below 1. */
  readonly share: number;
  readonly by: AbUnit;
  readonly metrics: readonly string[];
  /** Model string of the judge of the metrics that have one. */
  readonly judge: string | undefined;
  /** The user who pays for the judge. */
  readonly user: string | undefined;
  /** Share of the permitted requests whose responses are judged, from 0 to 1. */
  readonly judgeShare: number;
  /** The score in feedback that counts as 1. */
  readonly maxScore: number;
  /** The requests of a user that count: those within this time after the first one. */
  readonly windowMs: number;
  /** By how much the candidate can be worse and still count as not worse. */
  readonly margin: number;
  /** Probability, from 0.5 to 1, with which a verdict is right. */
  readonly confidence: number;
  /** After this many requests, no more are recorded. */
  readonly maxRows: number;
  /** How long recorded requests are kept; undefined for unlimited. */
  readonly retentionMs: number | undefined;
}

export const AB_DEFAULTS = {
  by: 'user' as AbUnit,
  metrics: ['feedback', SUCCESS] as readonly string[],
  judgeShare: 0.1,
  maxScore: 1,
  window: '1d',
  maxRows: 100_000,
};

/** Without an end or a share of 0 or 1, both variants keep getting users. */
export const AB_SHARES = { minimum: 0.01, maximum: 0.99 } as const;
