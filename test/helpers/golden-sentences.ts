import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pooling } from '#contract/sentence.ts';
import { FIXTURES } from './paths.ts';

/** Results of sentence-transformers for all texts with one combination of settings (fixtures/scripts/make_sentence.py). */
export interface SentenceVariant {
  readonly pooling: Exclude<Pooling, 'none'>;
  readonly normalize: boolean;
  readonly dimensions: number | null;
  readonly prompt_name: string | null;
  readonly include_prompt: boolean;
  readonly max_length: number;
  /** One per text. */
  readonly vectors: number[][];
}

export interface GoldenSentences {
  readonly texts: readonly string[];
  readonly prompts: Readonly<Record<string, string>>;
  readonly variants: readonly SentenceVariant[];
}

export function readGoldenSentences(): GoldenSentences {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(FIXTURES, 'golden', file), 'utf8'));
  const { ids, ...rest } = read('sentence.json') as GoldenSentences & { ids: readonly string[] };
  const texts = read('texts.json') as { id: string; text: string }[];
  return { ...rest, texts: ids.map((id) => texts.find((one) => one.id === id)?.text ?? missing(id)) };
}

function missing(id: string): never {
  throw new Error(`golden text ${id} is not in texts.json`);
}

/** As text, for messages. */
export const variantName = (variant: SentenceVariant): string =>
  Object.entries(variant)
    .filter(([key, value]) => key !== 'vectors' && value !== null)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
