import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { STAGES } from '#contract/stages.ts';
import { promptsWithTask } from '#core/model/instruction.ts';
import { DEFAULT_CANDIDATES, RANKING_STAGES } from '#core/model/stage-plan.ts';
import { MAX_PROMPT_CHARS, promptNames } from '#core/model/vector-plan.ts';
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
 * The request fields that specify the prompt to prepend to each text. Documents omit the fields
 * that have no effect on the model; the plan of a request explains why it rejects them.
 */
export const promptMembers = ({ sentence, images }: Pick<Manifest, 'sentence' | 'images'>) => {
  const texts = images || !sentence ? {} : { sentence };
  return {
    prompt_name: promptName(texts),
    ...taskMember(texts),
    prompt: promptText(texts),
    instruction: instruction(texts),
  };
};

/**
 * The request field that chooses the form of the model. Documents omit it for files with only one form,
 * which reject every value but `exact` with a sentence that states the reason.
 */
export const stageMember = (manifest: Pick<Manifest, 'staticForm'>) => ({
  stage: stageOf(
    manifest,
    STAGES,
    'Form of the model: `fast` is the static form, whose vectors have their own dimensions and cannot be compared with those of `exact`, the model itself.',
  ),
});

/** The request fields that choose how documents are ranked. */
export const rankingMembers = (manifest: Pick<Manifest, 'staticForm'>) => ({
  stage: stageOf(
    manifest,
    RANKING_STAGES,
    'Form of the model that scores the documents: `fast` is the static form, `exact` the model itself. `two_stage` chooses `candidates` documents with the static form, and ranks and returns only these, with scores of the model.',
  ),
  candidates: optional(
    asDocumented(
      manifest,
      Type.Integer({
        minimum: 1,
        description: `Number of documents that \`two_stage\` ranks with the model, by default ${DEFAULT_CANDIDATES}. Without \`stage\`, it means \`two_stage\`; it cannot be combined with other stages.`,
      }),
    ),
  ),
});

function stageOf(
  { staticForm }: Pick<Manifest, 'staticForm'>,
  words: readonly string[],
  description: string,
): TOptional<TUnsafe<string | null>> {
  return optional(staticForm ? oneOf(words, { default: 'exact', description }) : undocumented(Type.String()));
}

const asDocumented = <Schema extends TSchema>({ staticForm }: Pick<Manifest, 'staticForm'>, schema: Schema) =>
  staticForm ? Type.Unsafe<Static<Schema>>(schema) : undocumented(schema);

const freeText = (description: string) =>
  documented(Type.String({ description }), { maxLength: MAX_PROMPT_CHARS });

function promptText({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
  if (!sentence) return optional(undocumented(Type.String()));
  return optional(
    freeText(
      'Text to prepend to each text instead of one of the model’s prompts; an empty text means no prompt.',
    ),
  );
}

function instruction({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
  const names = promptsWithTask(sentence?.prompts ?? {});
  if (names.length === 0) return optional(undocumented(Type.String()));
  return optional(
    freeText(
      `Task to use instead of the one in the model’s prompt. Requires one of the prompts ${names.join(', ')}; cannot be combined with \`prompt\`.`,
    ),
  );
}

/**
 * The instruction in the prompt of a reranker. Documents omit the field for other models, which
 * reject it with a sentence that states the reason.
 */
export function pairInstruction({
  pairPrompt,
}: Pick<Manifest, 'pairPrompt'>): TOptional<TUnsafe<string | null>> {
  if (pairPrompt?.instructed === undefined) return optional(undocumented(Type.String()));
  return optional(
    freeText(
      'Instruction in the model’s prompt, for pairs of a query and a document. Default: the one that the model was published with.',
    ),
  );
}

/**
 * The names of the model's prompts. A model without prompts accepts the names that every model has,
 * but they have no effect.
 */
function promptName({ sentence }: Pick<Manifest, 'sentence'>): TOptional<TUnsafe<string | null>> {
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

/**
 * The tasks of a model with adapters. Other models have no such field, so routes that ignore
 * unknown fields ignore it, as clients of Jina's API expect.
 */
function taskMember({ sentence }: Pick<Manifest, 'sentence'>) {
  const names = Object.entries(sentence?.prompts ?? {}).flatMap(([name, { adapter }]) =>
    adapter === undefined ? [] : [name],
  );
  const task = optional(
    oneOf(names, {
      description:
        'Task whose adapter the model uses, as in Jina’s API. Default: the task with the name of the prompt. Its prompt is prepended to each text unless `prompt_name` or `prompt` is set.',
    }),
  );
  return names.length > 0 ? { task } : ({} as { task: typeof task });
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
