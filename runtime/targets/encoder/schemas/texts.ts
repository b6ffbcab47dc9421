import { Type } from 'typebox';
import { MESSAGE_KEYWORD } from '../../../serve/http/explain-problems.ts';
import { optional } from '../../../serve/http/schemas.ts';

/** The message that the contract defines for a missing or empty text. */
export const NOT_EMPTY = { [MESSAGE_KEYWORD]: 'Cannot tokenize empty string' };

export const text = Type.String({ minLength: 1, title: 'text', ...NOT_EMPTY });

const pair = Type.Array(text, {
  minItems: 2,
  maxItems: 2,
  title: 'a pair of texts',
  description: 'Two texts that the model reads as a pair.',
});

export const textsAndPairs = (maxInputs: number) =>
  Type.Array(Type.Union([text, pair]), {
    minItems: 1,
    title: 'a list of texts',
    description: `Texts, or pairs of texts. At most ${maxInputs} per request.`,
    ...NOT_EMPTY,
  });

export const promptName = optional(
  Type.String({
    description:
      "Name of the prompt to put before each text; an empty name means none. Default: the model's default prompt.",
  }),
);
