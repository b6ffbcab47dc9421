import type { LinearPattern } from '#platform/linear-pattern.ts';

/** Which requests and answers are stored, and how. */
export interface PromptPolicy {
  /** Whether those of keys without a setting of their own are stored. */
  readonly isDefault: boolean;
  /** Maximum length of a stored request, and of a stored answer. */
  readonly maxCharacters: number;
  /** What is removed in addition to secrets. */
  readonly patterns: readonly LinearPattern[];
}

/** Stores nothing. @internal Exported for tests only. */
export const NO_PROMPTS: PromptPolicy = { isDefault: false, maxCharacters: 65_536, patterns: [] };
