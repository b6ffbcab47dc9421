import { type Static, type TOptional, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { promptNames } from '#core/model/prompt-names.ts';
import { documented, undocumented } from '#serve/http/documented.ts';
import { MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';

/** The message that the contract defines for a missing or empty text. */
export const NOT_EMPTY = { [MESSAGE_KEYWORD]: 'Cannot tokenize empty string' };

export const text = Type.String({ minLength: 1, title: 'text', ...NOT_EMPTY });

const pair = Type.Array(text, {
  minItems: 2,
  maxItems: 2,
  title: 'a pair of texts',
  description: 'Two texts that the model reads as a pair.',
});

/** One input of most models. */
export type TextOrPair = Static<typeof text> | Static<typeof pair>;

export const texts = (maxInputs: number) =>
  documented(
    Type.Array(text, {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

export const textsAndPairs = (maxInputs: number) =>
  documented(
    Type.Array(Type.Union([text, pair]), {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts, or pairs of texts. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

/** The prompts of the model. A model without prompts accepts the names that each model has, which change nothing there. */
export function promptName({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
  const prompts = sentence?.prompts ?? {};
  if (Object.keys(prompts).length === 0) return optional(undocumented(Type.String()));
  const { defaultPrompt } = sentence ?? {};
  const description =
    "Name of the prompt to put before each text; an empty name means none. Default: the model's default prompt.";
  return optional(
    oneOf([...promptNames(prompts), ''], {
      description,
      ...(defaultPrompt === undefined ? {} : { default: defaultPrompt }),
    }),
  );
}
