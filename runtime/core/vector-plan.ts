import { inputError } from '../contract/errors.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { SentenceSettings } from '../contract/sentence.ts';

/** What to make of a vector. The vectors of single tokens are whole, and all tokens have one. */
export interface VectorOptions {
  /** L2-normalise it. */
  readonly normalize?: boolean;
  /** Keep this many first values, before normalising; all by default. */
  readonly dimensions?: number | undefined;
  /** So many tokens at the beginning do not count in pooling. */
  readonly skip?: number | undefined;
}

/** What a request says of the vectors it wants; what it leaves out or sets to null the model decides. */
export interface VectorWishes {
  readonly normalize?: boolean | null | undefined;
  readonly dimensions?: number | null | undefined;
  readonly promptName?: string | null | undefined;
}

export interface VectorPlan {
  readonly options: VectorOptions & { readonly normalize: boolean };
  /** Put before each text; empty where there is none. */
  readonly prompt: string;
}

/**
 * Fills in what the model's settings say, and refuses what the model cannot give. `promptLabel` is what the name of a
 * prompt is called where it is written.
 */
export function planVector(
  { sentence, width }: Pick<Manifest, 'sentence' | 'width'>,
  { normalize, dimensions, promptName }: VectorWishes,
  promptLabel = 'prompt_name',
): VectorPlan {
  checkDimensions(dimensions, width);
  const prompt = findPrompt(sentence, promptName, promptLabel);
  return {
    options: {
      normalize: normalize ?? sentence?.normalize ?? false,
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

/** The empty name stands for no prompt, also where the model has a default. */
function findPrompt(
  sentence: SentenceSettings | undefined,
  wanted: string | null | undefined,
  label: string,
): SentenceSettings['prompts'][string] | undefined {
  const name = wanted ?? sentence?.defaultPrompt;
  if (!name) return undefined;
  const prompts = sentence?.prompts ?? {};
  if (Object.hasOwn(prompts, name)) return prompts[name];
  const [known, given] = [Object.keys(prompts), JSON.stringify(name.slice(0, 100))];
  throw inputError(
    known.length > 0
      ? `${label} must be one of ${known.join(', ')}, not ${given}`
      : `${label} is ${given}, but this model has no prompts. Remove it.`,
  );
}
