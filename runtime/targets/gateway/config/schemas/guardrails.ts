import { type Static, Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import {
  ENCODER_TIMEOUT_MS,
  PATTERN_TIMEOUT_MS,
  WEBHOOK_TIMEOUT_MS,
  WINDOW_LENGTH,
  WINDOW_OVERLAP,
} from '../../requests/guardrails/judges/judgement.ts';
import { type PatternEntry, pattern } from './prompt-log.ts';
import {
  choice,
  computed,
  countSetting,
  durationSetting,
  flagSetting,
  keys,
  mapOf,
  numberSetting,
  textSetting,
  textsSetting,
} from './shapes.ts';

/** Minimum entity score for profiles that do not set one. */
export const ENTITY_THRESHOLD = 0.5;

const profile = keys(
  {
    encoder: textSetting('Name of the encoder that classifies texts or finds `entities` in them.'),
    labels: Type.Optional(textsSetting('Labels of the encoder that texts must not have.')),
    entities: Type.Optional(textsSetting('Types of entities that the encoder finds, e.g. PER.')),
    threshold: numberSetting(
      'A text is flagged if the probability of one of the labels is at least this threshold. An entity is flagged if its score is at least this threshold.',
      { exclusiveMinimum: 0, maximum: 1 },
      computed(`${ENTITY_THRESHOLD} for entities; required for labels`),
    ),
    patterns: mapOf<PatternEntry>(pattern, 'Regular expressions by name. They are matched in linear time.'),
    action: choice(
      ['mask', 'block'],
      'How to treat entities and matches: replace them with placeholders, or block the text.',
      computed('mask for entities, block for patterns'),
    ),
    json_schema: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'JSON Schema that responses must match.' }),
    ),
    retries: countSetting(
      'Maximum number of additional model calls if the response does not match `json_schema`.',
      0,
      0,
    ),
    webhook: Type.Optional(
      keys(
        {
          url: Type.String({ minLength: 1, description: 'URL of a server that judges texts.' }),
          headers: mapOf<string>({ type: 'string' }, 'Headers to send, e.g. with a token.'),
        },
        'A server that judges texts.',
      ),
    ),
    window_length: countSetting(
      'Number of characters per window; longer texts are split into windows.',
      WINDOW_LENGTH,
    ),
    window_overlap: countSetting(
      'Number of characters by which consecutive windows overlap.',
      WINDOW_OVERLAP,
      0,
    ),
    timeout: durationSetting(
      'Timeout of the check.',
      computed(
        `${durationText(ENCODER_TIMEOUT_MS)}; ${durationText(PATTERN_TIMEOUT_MS)} for patterns, ${durationText(WEBHOOK_TIMEOUT_MS)} for a webhook`,
      ),
    ),
  },
  'A check: by an encoder with `labels` or `entities`, by `patterns`, by a `json_schema`, or by a `webhook`.',
);

const rule = keys(
  {
    profile: Type.String({ minLength: 1, description: 'Name of one of `profiles`.' }),
    mode: choice(['block', 'monitor'], 'Whether to block flagged texts or only report them.', 'block'),
    on_unavailable: choice(
      ['block', 'monitor'],
      'Action if the check is unavailable, e.g. its encoder.',
      computed('same as `mode`'),
    ),
    on: Type.Optional(textsSetting('input, output or both.', computed('input; output for a `json_schema`'))),
    restore: flagSetting('Whether to restore values in the response that were masked in the request.', true),
  },
  'A profile that every request must pass.',
);

export const guardrails = keys(
  {
    profiles: mapOf<Static<typeof profile>>(profile, 'Profiles by name. Requests can also select profiles.'),
    policy: Type.Optional(Type.Array(rule, { description: 'Profiles that every request must pass.' })),
    realtime: choice(
      ['refuse', 'allow'],
      'How to treat realtime sessions if there is a `policy`, because guardrails cannot check such sessions.',
      'refuse',
    ),
  },
  'Checks of input and output texts.',
);

export type GuardrailsEntry = Static<typeof guardrails>;
