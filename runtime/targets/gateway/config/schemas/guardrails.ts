import { type Static, Type } from 'typebox';
import { choice, count, duration, keys, mapOf, texts } from './shapes.ts';

const profile = keys(
  {
    encoder: Type.String({ minLength: 1, description: 'Name of the encoder that classifies the texts.' }),
    labels: texts('Labels that texts must not have.'),
    threshold: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'A text is flagged if the probability of one of the labels is at least this threshold.',
    }),
    window_length: count('Characters per window of a longer text (400).'),
    window_overlap: count('Characters that consecutive windows share (80).', 0),
    timeout: duration('Timeout of the encoder (5s).'),
  },
  'A check by an encoder of type sequence_classification.',
);

const rule = keys(
  {
    profile: Type.String({ minLength: 1, description: 'Name of one of `profiles`.' }),
    mode: choice(['block', 'monitor'], 'Whether to block flagged texts or only to report them (block).'),
    on_unavailable: choice(
      ['block', 'monitor'],
      'What to do if the encoder is unavailable (same as `mode`).',
    ),
    on: Type.Optional(texts('input, output or both (input).')),
  },
  'A profile that every request has to pass.',
);

export const guardrails = keys(
  {
    profiles: mapOf<Static<typeof profile>>(profile, 'Profiles by name. Requests can select them, too.'),
    policy: Type.Optional(Type.Array(rule, { description: 'Profiles that every request has to pass.' })),
  },
  'Checks of input and output texts.',
);

export type GuardrailsEntry = Static<typeof guardrails>;
