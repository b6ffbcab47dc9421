import { type Static, Type } from 'typebox';
import { choice, count, duration, keys, mapOf, texts } from './shapes.ts';

const profile = keys(
  {
    encoder: Type.String({ minLength: 1, description: 'Name of the encoder that judges.' }),
    labels: texts('The labels that texts must not have.'),
    threshold: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Texts are flagged if their probability to have one of the labels is at least this.',
    }),
    window_length: count('Characters that are judged at once (400).'),
    window_overlap: count('By how many characters the next ones begin earlier (80).', 0),
    timeout: duration('How long the encoder may take (5s).'),
  },
  'What an encoder of type sequence_classification is asked.',
);

const rule = keys(
  {
    profile: Type.String({ minLength: 1, description: 'One of `profiles`.' }),
    mode: choice(['block', 'monitor'], 'Whether to refuse, or only to tell (block).'),
    on_unavailable: choice(
      ['block', 'monitor'],
      'The same for when the encoder cannot be asked; as `mode` unless set.',
    ),
    on: Type.Optional(texts('input, output, or both; input unless set.')),
  },
  'What every request has to pass.',
);

export const guardrails = keys(
  {
    profiles: mapOf<Static<typeof profile>>(profile, 'By name; requests can ask for them too.'),
    policy: Type.Optional(Type.Array(rule, { description: 'What every request has to pass.' })),
  },
  'Checks of what goes in and what comes out.',
);

export type GuardrailsEntry = Static<typeof guardrails>;
