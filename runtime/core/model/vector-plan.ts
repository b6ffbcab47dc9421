import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { NamedPrompt, SentenceSettings } from '#contract/sentence.ts';
import { codePoints } from '../text/code-points.ts';
import type { AppliedPrompt } from './applied-prompt.ts';
import { INSTRUCTION_FORM, promptForInstruction, promptsWithTask, withInstruction } from './instruction.ts';
import { vectorWidth } from './vector-width.ts';

/** How to compute vectors. For token vectors, `dimensions` and `skip` do not apply. */
export interface VectorOptions {
  /** Whether to L2-normalize the vector. */
  readonly normalize?: boolean;
  /** Number of leading dimensions to keep, before normalization. Default: all. */
  readonly dimensions?: number | undefined;
  /** Number of leading tokens that pooling ignores. */
  readonly skip?: number | undefined;
}

/** The prompt options of a request under their names in the HTTP API; undefined and null mean not set. */
interface PromptRequest {
  readonly prompt_name?: string | null | undefined;
  readonly task?: string | null | undefined;
  readonly prompt?: string | null | undefined;
  readonly instruction?: string | null | undefined;
}

/** The vector options of a request; undefined and null mean the model's setting. */
export interface VectorRequest extends PromptRequest {
  readonly normalize?: boolean | null | undefined;
  readonly dimensions?: number | null | undefined;
}

export interface VectorPlan {
  readonly options: VectorOptions & { readonly normalize: boolean };
  readonly prompt: AppliedPrompt;
  /**
   * Whether the request itself contains the prompt or a part of it. The number of its tokens, and
   * thus `skip`, is then unknown.
   */
  readonly isFree: boolean;
}

/** Returns how a prompt option is called in messages: its name, or the name of a flag. */
export type PromptLabel = (name: keyof PromptRequest) => string;

const AS_NAMED: PromptLabel = (name) => name;

/** Combines a request's options with the model's settings, and rejects unsupported ones. */
export function planVector(
  manifest: Pick<Manifest, 'sentence' | 'multiVector' | 'images' | 'width'>,
  request: VectorRequest,
  label = AS_NAMED,
): VectorPlan {
  const { sentence, multiVector, images } = manifest;
  const { normalize, dimensions } = request;
  checkDimensions(dimensions, vectorWidth(manifest));
  // Models that read images have no prompts, not even for texts.
  const free = freePrompt(images ? undefined : sentence, request, label);
  const { prompt_name: name, task } = hasAdapters(sentence) ? request : { ...request, task: undefined };
  // In Jina's API, a task also selects its prompt.
  const prompt = free === undefined ? findPrompt(sentence, name ?? task, label) : undefined;
  return {
    options: {
      normalize: normalize ?? sentence?.normalize ?? multiVector?.normalize ?? false,
      dimensions: dimensions ?? sentence?.dimensions,
      skip: sentence?.includePrompt === false ? prompt?.tokens : undefined,
    },
    prompt: { text: free ?? prompt?.text ?? '', adapter: adapterOf(sentence, task ?? name) },
    isFree: free !== undefined && free !== '',
  };
}

function checkDimensions(dimensions: number | null | undefined, width: number): void {
  if (typeof dimensions !== 'number') return;
  if (dimensions < 1) throw inputError(`dimensions must be at least 1, not ${dimensions}`);
  if (dimensions > width) throw inputError(`dimensions must be at most ${width}, not ${dimensions}`);
}

/**
 * The prompt that a request itself contains: its `prompt`, or a prompt of the model with the task
 * of the request. As in sentence-transformers, `prompt` takes precedence over the name of a prompt.
 */
function freePrompt(
  sentence: SentenceSettings | undefined,
  { prompt_name: name, prompt, instruction }: PromptRequest,
  label: PromptLabel,
): string | undefined {
  if (typeof instruction === 'string') {
    checkFreeText(label('instruction'), instruction);
    if (typeof prompt === 'string') {
      throw inputError(
        `${label('instruction')} cannot be combined with ${label('prompt')}. Remove one of them.`,
      );
    }
    return instructed(sentence, name, instruction, label);
  }
  if (typeof prompt !== 'string') return undefined;
  if (!sentence) {
    throw inputError(
      `${label('prompt')} requires a sentence_embedding model. Remove it, or add the prompt to each text.`,
    );
  }
  checkFreeText(label('prompt'), prompt);
  return prompt;
}

/** Maximum number of characters (Unicode code points) of a prompt in a request, because it is read with each text. */
export const MAX_PROMPT_CHARS = 8192;

/** Rejects a prompt or an instruction that is too long. */
export function checkFreeText(what: string, text: string): void {
  // A text never has more code points than UTF-16 code units.
  const characters = text.length <= MAX_PROMPT_CHARS ? 0 : codePoints(text);
  if (characters > MAX_PROMPT_CHARS) {
    throw inputError(`${what} must have at most ${MAX_PROMPT_CHARS} characters, not ${characters}`);
  }
}

/** The model's prompt with the task of a request. */
function instructed(
  sentence: SentenceSettings | undefined,
  name: string | null | undefined,
  instruction: string,
  label: PromptLabel,
): string {
  if (instruction.trim() === '') throw inputError(`${label('instruction')} must not be empty`);
  const { prompts = {}, defaultPrompt } = sentence ?? {};
  const names = promptsWithTask(prompts);
  if (names.length === 0) {
    throw inputError(
      `${label('instruction')} requires a model with a prompt such as "${INSTRUCTION_FORM}", which this model does not have. Remove it, or set the whole prompt with ${label('prompt')}.`,
    );
  }
  const chosen = name ?? promptForInstruction(prompts, defaultPrompt) ?? '';
  const prompt = Object.hasOwn(prompts, chosen) ? prompts[chosen]?.text : undefined;
  const text = withInstruction(prompt ?? '', instruction);
  if (text !== undefined) return text;
  throw inputError(
    `${label('prompt_name')} ${JSON.stringify(chosen.slice(0, 100))} has no task that ${label('instruction')} can replace. Use ${names.join(', ')}, or remove ${label('prompt_name')}.`,
  );
}

/** Whether a model has an adapter for each of several tasks. Each task is also the name of a prompt. */
const hasAdapters = (sentence: Pick<SentenceSettings, 'prompts'> | undefined): boolean =>
  Object.values(sentence?.prompts ?? {}).some(({ adapter }) => adapter !== undefined);

/** The adapter of a task, or of the prompt with its name. */
function adapterOf(
  sentence: SentenceSettings | undefined,
  task: string | null | undefined,
): number | undefined {
  const { prompts = {}, defaultPrompt } = sentence ?? {};
  const name = task ?? defaultPrompt ?? '';
  return Object.hasOwn(prompts, name) ? prompts[name]?.adapter : undefined;
}

/** An empty name means no prompt, even if the model has a default prompt. */
function findPrompt(
  sentence: SentenceSettings | undefined,
  wanted: string | null | undefined,
  label: PromptLabel,
): NamedPrompt | undefined {
  const name = wanted ?? sentence?.defaultPrompt;
  if (!name) return undefined;
  const prompts = sentence?.prompts ?? {};
  if (Object.hasOwn(prompts, name)) return prompts[name];
  const names = promptNames(prompts);
  if (names.includes(name)) return undefined;
  throw inputError(
    `${label('prompt_name')} must be one of ${names.join(', ')}, not ${JSON.stringify(name.slice(0, 100))}`,
  );
}

/**
 * Prompts that every model has, as in sentence-transformers. They are empty unless the model's
 * files set them.
 */
const ROLES = ['query', 'document'] as const;

/** Names of the prompts that requests can use, apart from the empty name. */
export const promptNames = (prompts: SentenceSettings['prompts']): readonly string[] => [
  ...new Set([...Object.keys(prompts), ...ROLES]),
];
