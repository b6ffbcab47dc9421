import { type Static, type TOptional, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { promptNames } from '#core/model/vector-plan.ts';
import { documented, undocumented } from '#serve/http/documented.ts';
import { MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import { inputError } from '#contract/errors.ts';

/** The message that the contract defines for a missing or empty text. */
export const NOT_EMPTY = { [MESSAGE_KEYWORD]: 'Cannot tokenize empty string' };

export const textMember = Type.String({ minLength: 1, title: 'text', ...NOT_EMPTY });

const pair = Type.Array(textMember, {
  minItems: 2,
  maxItems: 2,
  title: 'a pair of texts',
  description: 'Two texts that the model reads as a pair.',
});

/** One input of most models. */
export type TextOrPair = Static<typeof textMember> | Static<typeof pair>;

export const textMembers = (maxInputs: number) =>
  documented(
    Type.Array(textMember, {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

export const textsAndPairs = (maxInputs: number) =>
  documented(
    Type.Array(Type.Union([textMember, pair]), {
      minItems: 1,
      title: 'a list of texts',
      description: `Texts, or pairs of texts. At most ${maxInputs} per request.`,
      ...NOT_EMPTY,
    }),
    { maxItems: maxInputs },
  );

/**
 * The model's prompts. A model without prompts accepts the names that every model has, which have
 * no effect there.
 */
export function promptName({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
  const prompts = sentence?.prompts ?? {};
  if (Object.keys(prompts).length === 0) return optional(undocumented(Type.String()));
  const { defaultPrompt } = sentence ?? {};
  const description =
    'Name of the prompt to put before each text; an empty name means none. Default: the model’s default prompt.';
  return optional(
    oneOf([...promptNames(prompts), ''], {
      description,
      ...(defaultPrompt === undefined ? {} : { default: defaultPrompt }),
    }),
  );
}

/** Booleans are the values of text-embeddings-inference, words those of Cohere. */
const TRUNCATE = [true, false, 'NONE', 'START', 'END', null] as const;
const DIRECTIONS = ['right', 'left', 'Right', 'Left'] as const;

/** Members for texts that are longer than the model supports. */
export const overflowMembers = {
  truncate: Type.Optional(
    Type.Unsafe<(typeof TRUNCATE)[number]>({
      enum: [...TRUNCATE],
      description:
        'Whether to truncate texts that are too long: `false` or `NONE` rejects them, `true` truncates, `START` ' +
        'removes tokens at the start and `END` at the end. Default: the setting of the server.',
    }),
  ),
  truncation_direction: optional(
    oneOf(DIRECTIONS, {
      description: 'The side to remove tokens from. Default: the model’s setting.',
    }),
  ),
};

export type OverflowMembers = {
  readonly [Name in keyof typeof overflowMembers]?: Static<(typeof overflowMembers)[Name]>;
};

/** A count in a body. The HTTP and MCP schemas check it, but gRPC messages have no limits. */
export function atLeastOne(name: string, count: number | null | undefined): number | undefined {
  if (count === 0) throw inputError(`${name} must be at least 1, not 0`);
  return count ?? undefined;
}
