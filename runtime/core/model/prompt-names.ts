import type { SentenceSettings } from '#contract/sentence.ts';

/** Prompts that each model has, as in sentence-transformers. They are empty unless the files of the model set them. */
const ROLES = ['query', 'document'] as const;

/** Names of prompts that requests can use, without the empty name. */
export const promptNames = (prompts: SentenceSettings['prompts']): readonly string[] => [
  ...new Set([...Object.keys(prompts), ...ROLES]),
];
