import { type Static, Type } from 'typebox';
import { RULE_KEYWORD } from '../../../../core/yaml/explain-value.ts';
import { count, duration, keys } from './shapes.ts';

const model = Type.String({ minLength: 1, description: '`provider:model`.' });

const weighted = Type.Object(
  {
    model,
    weight: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'How often it is drawn (1); 0 is tried only after all others.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A model and its weight.' },
);
const target = Type.Union([model, weighted], {
  [RULE_KEYWORD]: '`provider:model`, or a mapping with `model` and `weight`',
});

export const alias = Type.Union(
  [
    Type.String({ minLength: 1, description: 'The one model that it stands for.' }),
    Type.Array(target, { minItems: 1, description: 'One is drawn; if it fails, one of the rest.' }),
    Type.Object(
      {
        targets: Type.Array(target, {
          minItems: 1,
          description: 'One is drawn by weight; if it fails, one of the rest.',
        }),
        fallbacks: Type.Optional(
          Type.Array(model, { description: 'Tried in this order after all targets have failed.' }),
        ),
      },
      { additionalProperties: false, description: 'Targets with weights, and fallbacks.' },
    ),
  ],
  {
    description: 'A name for one or several models.',
    [RULE_KEYWORD]: '`provider:model`, a list of targets, or a mapping with `targets`',
  },
);

export const retries = keys(
  {
    attempts: count('Maximum calls of one target for a request, the first one included (3); 0 means 1.', 0),
    base_delay: duration('The first pause is at most this, and doubles (100ms).'),
    max_delay: duration('The longest of these pauses (2s).'),
    longest_pause: duration('Who asks for a longer pause than this is not waited for (5s).'),
  },
  'How failed requests are sent again; only before the first byte of an answer.',
);

export const breaker = keys(
  {
    failures: count('Failures in a row after which a target is left alone (5).'),
    open: duration('For how long at first (5s); twice as long after every trial that fails.'),
    longest_open: duration('The longest of these times (1m).'),
  },
  'When a target that keeps failing is left alone.',
);

export type AliasEntry = Static<typeof alias>;
export type TargetEntry = Static<typeof target>;
