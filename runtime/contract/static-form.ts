import type { InputName, TokenizerSettings } from './manifest.ts';
import type { SentenceSettings } from './sentence.ts';

/**
 * The facts about the static form of a model in which it differs from the model, for files that contain
 * both forms. The section `static` contains its table.
 */
export interface StaticForm {
  readonly inputs: readonly InputName[];
  readonly output: string;
  readonly width: number;
  readonly precision: string;
  readonly tokenizer: TokenizerSettings;
  readonly sentence: SentenceSettings;
}

/**
 * The stages in which a model with a static form can compute vectors: `exact` is the model itself, `fast`
 * is its static form.
 */
export const STAGES = ['exact', 'fast'] as const;
export type Stage = (typeof STAGES)[number];
