import { Type, type Static } from 'typebox';

const TRUNCATION_SIDES = ['left', 'right'] as const;
const TRUNCATION_STRATEGIES = ['longest_first', 'only_first', 'only_second'] as const;

/** The field `tokenizer` in a build configuration. */
export const TOKENIZER_OPTIONS = Type.Object(
  {
    max_length: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: 1_000_000,
        description: 'Alternative to the top-level `max_length`.',
      }),
    ),
    truncation_side: Type.Optional(
      Type.Enum(TRUNCATION_SIDES, {
        description:
          'Side on which long texts are truncated. Default: the side in tokenizer_config.json, or right.',
      }),
    ),
    truncation_strategy: Type.Optional(
      Type.Enum(TRUNCATION_STRATEGIES, {
        description: 'Which text of a pair is truncated. Pairs are always truncated longest first.',
      }),
    ),
    stride: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Alternative to the top-level `stride`.',
      }),
    ),
    pad_strategy: Type.Optional(
      Type.Union(
        [
          Type.String({
            minLength: 1,
            description: '`batch_longest`: pad to the longest text in a batch.',
          }),
          Type.Object(
            { fixed: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Number of tokens.' }) },
            { additionalProperties: false, description: 'Pad to a fixed number of tokens.' },
          ),
        ],
        { description: 'How texts in a batch are padded. Padding does not change results.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'Tokenizer settings.' },
);

/** Tokenizer settings as in the config file. */
export type TokenizerOptions = Static<typeof TOKENIZER_OPTIONS>;
