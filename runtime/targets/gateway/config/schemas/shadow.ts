import { type Static, Type } from 'typebox';
import { SHADOW_DEFAULTS, SHADOW_METRICS } from '../../requests/routing/shadow-settings.ts';
import { about, countSetting, keys, numberSetting, retention, textSetting } from './shapes.ts';

/** By how much the candidate can be worse. A/B tests have the same setting. */
export const marginSetting = (description: string) =>
  numberSetting(description, { exclusiveMinimum: 0, maximum: 1 }, SHADOW_DEFAULTS.margin);

export const confidence = numberSetting(
  'Confidence of verdicts and intervals.',
  { minimum: 0.5, maximum: 0.999 },
  SHADOW_DEFAULTS.confidence,
);

export const shadow = keys(
  {
    model: Type.String({ minLength: 1, description: 'The candidate, `provider:model`.' }),
    share: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the requests that are also sent to the candidate, from 0 to 1. Only requests with keys that allow it (`allow_shadow`) are sent.',
    }),
    user: Type.String({
      minLength: 1,
      description:
        'User who pays for the candidate and the judge. The user must exist; its budget and rate limits apply.',
    }),
    experiment: textSetting(
      'ID of an experiment. The metrics and the judge of its newest workflow are used if `metrics` or `judge` is not set.',
    ),
    metrics: Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...SHADOW_METRICS] }), {
        minItems: 1,
        ...about(
          'How responses are compared: preference (a judge compares both), g_eval_… (a judge scores each), similarity (of embeddings), or agreement with the user’s response (tool_calls, exact_match, rouge, chrf, meteor).',
          SHADOW_DEFAULTS.metrics,
        ),
      }),
    ),
    judge: textSetting('Model that judges responses, `provider:model`.'),
    rubric: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4000,
        description: 'Description of a good response, for the judge of `preference`.',
      }),
    ),
    embedder: textSetting('Encoder for `similarity`, `provider:model`.'),
    margin: marginSetting(
      'By how much the candidate’s mean score can be lower than the current model’s and still count as not worse. Scores are from 0 to 1, preferences from -1 to 1.',
    ),
    confidence,
    max_rows: countSetting(
      'Maximum number of compared requests; the evaluation ends after that.',
      SHADOW_DEFAULTS.maxRows,
    ),
    retention: retention(
      'How long the scores of each request are kept, e.g. 90d, or forever.',
      SHADOW_DEFAULTS.retention,
    ),
  },
  'Shadow evaluation: sends a share of the requests also to a candidate and compares the responses.',
);

export type ShadowEntry = Static<typeof shadow>;
