import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { SentenceSettings } from '#contract/sentence.ts';
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

/** The vector options of a request; undefined and null mean the model's setting. */
export interface VectorRequest {
  readonly normalize?: boolean | null | undefined;
  readonly dimensions?: number | null | undefined;
  readonly promptName?: string | null | undefined;
}

export interface VectorPlan {
  readonly options: VectorOptions & { readonly normalize: boolean };
  /** Prompt to prepend to each text; can be empty. */
  readonly prompt: string;
}

/**
 * Combines a request's options with the model's settings, and rejects unsupported ones.
 * `promptLabel` is the name of the prompt option, for messages.
 */
export function planVector(
  manifest: Pick<Manifest, 'sentence' | 'multiVector' | 'width'>,
  { normalize, dimensions, promptName }: VectorRequest,
  promptLabel = 'prompt_name',
): VectorPlan {
  const { sentence, multiVector } = manifest;
  checkDimensions(dimensions, vectorWidth(manifest));
  const prompt = findPrompt(sentence, promptName, promptLabel);
  return {
    options: {
      normalize: normalize ?? sentence?.normalize ?? multiVector?.normalize ?? false,
      dimensions: dimensions ?? sentence?.dimensions,
      skip: sentence?.includePrompt === false ? prompt?.tokens : undefined,
    },
    prompt: prompt?.text ?? '',
  };
}

function checkDimensions(dimensions: number | null | undefined, width: number): void {
  if (typeof dimensions !== 'number') return;
  if (dimensions < 1) throw inputError(`dimensions must be at least 1, not ${dimensions}`);
  if (dimensions > width) throw inputError(`dimensions must be at most ${width}, not ${dimensions}`);
}

/** An empty name means no prompt, even if the model has a default prompt. */
function findPrompt(
  sentence: SentenceSettings | undefined,
  wanted: string | null | undefined,
  label: string,
): SentenceSettings['prompts'][string] | undefined {
  const name = wanted ?? sentence?.defaultPrompt;
  if (!name) return undefined;
  const prompts = sentence?.prompts ?? {};
  if (Object.hasOwn(prompts, name)) return prompts[name];
  const names = promptNames(prompts);
  if (names.includes(name)) return undefined;
  throw inputError(`${label} must be one of ${names.join(', ')}, not ${JSON.stringify(name.slice(0, 100))}`);
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
