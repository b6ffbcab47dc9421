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

/** Minimum entity score for profiles that set none. */
export const ENTITY_THRESHOLD = 0.5;

const profile = keys(
  {
    encoder: textSetting('Name of the encoder that classifies texts or finds `entities` in them.'),
    labels: Type.Optional(textsSetting('Labels of the encoder that texts must not have.')),
    entities: Type.Optional(textsSetting('Types of entities that the encoder finds, e.g. PER.')),
    threshold: numberSetting(
      'A text is flagged if the probability of one of the labels is at least this threshold; an entity counts if its score is.',
      { exclusiveMinimum: 0, maximum: 1 },
      computed(`${ENTITY_THRESHOLD} for entities; required for labels`),
    ),
    patterns: mapOf<PatternEntry>(pattern, 'Regular expressions by name, which are searched in linear time.'),
    action: choice(
      ['mask', 'block'],
      'Treatment of entities and matches: a placeholder replaces them, or the text is blocked.',
      computed('mask for entities, block for patterns'),
    ),
    json_schema: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'JSON Schema that responses must match.' }),
    ),
    retries: countSetting(
      'How often a model is called again if its response does not match `json_schema`.',
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
    window_length: countSetting('Characters per window of a longer text.', WINDOW_LENGTH),
    window_overlap: countSetting('Characters that consecutive windows share.', WINDOW_OVERLAP, 0),
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
    mode: choice(['block', 'monitor'], 'Whether to block flagged texts or only to report them.', 'block'),
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
    profiles: mapOf<Static<typeof profile>>(profile, 'Profiles by name. Requests can select them, too.'),
    policy: Type.Optional(Type.Array(rule, { description: 'Profiles that every request must pass.' })),
    realtime: choice(
      ['refuse', 'allow'],
      'Treatment of realtime sessions while there is a `policy`, which cannot check them.',
      'refuse',
    ),
  },
  'Checks of input and output texts.',
);

export type GuardrailsEntry = Static<typeof guardrails>;
