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
  description: 'Two texts that the model processes as a pair.',
});

/** One input, as most models accept it. */
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
 * The names of the model's prompts. A model without prompts accepts the names that every model has,
 * but they have no effect.
 */
export function promptName({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
  const prompts = sentence?.prompts ?? {};
  if (Object.keys(prompts).length === 0) return optional(undocumented(Type.String()));
  const { defaultPrompt } = sentence ?? {};
  const description =
    'Name of the prompt to prepend to each text; an empty name means no prompt. Default: the model’s default prompt.';
  return optional(
    oneOf([...promptNames(prompts), ''], {
      description,
      ...(defaultPrompt === undefined ? {} : { default: defaultPrompt }),
    }),
  );
}

/** text-embeddings-inference uses booleans for this option, and Cohere uses strings. */
const TRUNCATE = [true, false, 'NONE', 'START', 'END', null] as const;
const DIRECTIONS = ['right', 'left', 'Right', 'Left'] as const;

/** The request fields that specify how to handle texts that are longer than the model supports. */
export const overflowMembers = {
  truncate: Type.Optional(
    Type.Unsafe<(typeof TRUNCATE)[number]>({
      enum: [...TRUNCATE],
      description:
        'How to handle texts that are too long: `false` or `NONE` rejects them, `true` truncates them, `START` ' +
        'removes tokens from the start, and `END` from the end. Default: the server’s setting.',
    }),
  ),
  truncation_direction: optional(
    oneOf(DIRECTIONS, {
      description: 'Side from which tokens are removed. Default: the model’s setting.',
    }),
  ),
};

export type OverflowMembers = {
  readonly [Name in keyof typeof overflowMembers]?: Static<(typeof overflowMembers)[Name]>;
};

/**
 * Checks a count in a body. HTTP and MCP requests have already been checked with a schema, but gRPC
 * messages have no limits.
 */
export function atLeastOne(name: string, count: number | null | undefined): number | undefined {
  if (count === 0) throw inputError(`${name} must be at least 1, not 0`);
  return count ?? undefined;
}
