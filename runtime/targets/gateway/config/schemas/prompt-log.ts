import { type Static, Type } from 'typebox';
import { countSetting, flagSetting, keys, retention } from './shapes.ts';

export const pattern = Type.Union([
  Type.String({ minLength: 1 }),
  keys(
    {
      pattern: Type.String({ minLength: 1, description: 'Regular expression.' }),
      ignore_case: flagSetting('Ignore the case of ASCII letters.', false),
    },
    'A pattern with its options.',
  ),
]);

export type PatternEntry = Static<typeof pattern>;

export const promptLog = keys(
  {
    enabled: flagSetting('Store requests and responses for keys without their own setting.', false),
    retention: retention('How long requests and responses are kept, e.g. 12h or 30d, or forever.', '30d'),
    max_characters: countSetting('Maximum length of each stored request and response.', 65_536),
    redact: Type.Optional(
      Type.Array(pattern, {
        description:
          'Regular expressions whose matches are replaced with [redacted], in addition to secrets. They are matched in linear time.',
      }),
    ),
  },
  'Log of requests and responses.',
);
