import { type Static, Type } from 'typebox';
import { type PatternEntry, pattern } from './prompt-log.ts';
import { choice, count, duration, flag, keys, mapOf, text, texts } from './shapes.ts';

const profile = keys(
  {
    encoder: text('Name of the encoder that classifies texts, or finds `entities` in them.'),
    labels: Type.Optional(texts('Labels of the encoder that texts must not have.')),
    entities: Type.Optional(texts('Types of entities that the encoder finds, e.g. PER.')),
    threshold: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        description:
          'A text is flagged if the probability of one of the labels is at least this threshold; an entity counts if its score is (0.5 for entities).',
      }),
    ),
    patterns: mapOf<PatternEntry>(pattern, 'Regular expressions by name, which are searched in linear time.'),
    action: choice(
      ['mask', 'block'],
      'Treatment of entities and matches: a placeholder replaces them, or the text is blocked (mask for entities, block for patterns).',
    ),
    json_schema: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: 'JSON Schema of answers.' }),
    ),
    retries: count('How often a model is called again if its answer does not match `json_schema` (0).', 0),
    webhook: Type.Optional(
      keys(
        {
          url: Type.String({ minLength: 1, description: 'URL of a server that decides about texts.' }),
          headers: mapOf<string>({ type: 'string' }, 'Headers to send, e.g. with a token.'),
        },
        'A server that decides about texts.',
      ),
    ),
    window_length: count('Characters per window of a longer text (400).'),
    window_overlap: count('Characters that consecutive windows share (80).', 0),
    timeout: duration('Timeout of the check (5s; 1s for patterns, 3s for a webhook).'),
  },
  'A check: by an encoder with `labels` or `entities`, by `patterns`, by a `json_schema`, or by a `webhook`.',
);

const rule = keys(
  {
    profile: Type.String({ minLength: 1, description: 'Name of one of `profiles`.' }),
    mode: choice(['block', 'monitor'], 'Whether to block flagged texts or only to report them (block).'),
    on_unavailable: choice(
      ['block', 'monitor'],
      'Action if the check is unavailable, e.g. its encoder (same as `mode`).',
    ),
    on: Type.Optional(texts('input, output or both (input; output for a `json_schema`).')),
    restore: flag('Whether the answer gets back what was masked in the request (true).'),
  },
  'A profile that every request has to pass.',
);

export const guardrails = keys(
  {
    profiles: mapOf<Static<typeof profile>>(profile, 'Profiles by name. Requests can select them, too.'),
    policy: Type.Optional(Type.Array(rule, { description: 'Profiles that every request has to pass.' })),
    realtime: choice(
      ['refuse', 'allow'],
      'Treatment of realtime sessions while there is a `policy`, which cannot check them (refuse).',
    ),
  },
  'Checks of input and output texts.',
);

export type GuardrailsEntry = Static<typeof guardrails>;
