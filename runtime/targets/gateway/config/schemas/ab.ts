import { type Static, Type } from 'typebox';
import { AB_DEFAULTS, AB_METRICS, AB_SHARES, AB_UNITS } from '../../requests/routing/ab-settings.ts';
import { SHADOW_DEFAULTS } from '../../requests/routing/shadow-settings.ts';
import { confidence, marginSetting } from './shadow.ts';
import { about, choice, countSetting, keys, numberSetting, retention, textSetting } from './shapes.ts';

export const ab = keys(
  {
    model: Type.String({ minLength: 1, description: 'The candidate, `provider:model`.' }),
    share: Type.Number({
      ...AB_SHARES,
      description:
        'Share of the users who get responses from the candidate, from 0.01 to 0.99. If it grows, all users who have the candidate keep it.',
    }),
    by: choice(
      AB_UNITS,
      'Whose requests all get the same variant: the user who pays, the client’s own user (`end_user`), the session, or the key. A request without one belongs to its user.',
      AB_DEFAULTS.by,
    ),
    metrics: Type.Optional(
      Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...AB_METRICS] }), {
        minItems: 1,
        ...about(
          'How the variants are compared: feedback on responses, success (the model has responded), no_refusal (it has not declined to respond), and g_eval_… (a judge scores responses). All of them decide, and so does success if it is not set.',
          AB_DEFAULTS.metrics,
        ),
      }),
    ),
    judge: textSetting('Model that judges responses, `provider:model`.'),
    user: textSetting('User who pays for the judge. The user must exist; its budget and rate limits apply.'),
    judge_share: numberSetting(
      'Share of the requests whose responses are judged, from 0 to 1. Only requests with keys that allow it (`allow_shadow`) are.',
      { minimum: 0, maximum: 1 },
      AB_DEFAULTS.judgeShare,
    ),
    max_score: numberSetting(
      'The score in feedback that counts as 1, e.g. 5 for stars. A thumb up counts as 1, and one down as 0.',
      { exclusiveMinimum: 0 },
      AB_DEFAULTS.maxScore,
    ),
    window: textSetting(
      'The requests of a user that count: those within this time after the first one, e.g. 1d. The user is counted after that.',
      AB_DEFAULTS.window,
    ),
    margin: marginSetting(
      'By how much the candidate’s mean, from 0 to 1, can be lower than the current model’s and still count as not worse.',
    ),
    confidence,
    max_rows: countSetting(
      'Maximum number of recorded requests. After that, users keep their variants, but nothing is recorded.',
      AB_DEFAULTS.maxRows,
    ),
    retention: retention(
      'How long recorded requests are kept, e.g. 90d, or forever.',
      SHADOW_DEFAULTS.retention,
    ),
  },
  'A/B test: a share of the users gets responses from a candidate.',
);

export type AbEntry = Static<typeof ab>;
