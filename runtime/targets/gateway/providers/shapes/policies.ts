import type { LinearPattern } from '#platform/linear-pattern.ts';

export const USER_FIELDS = ['payer', 'end_user'] as const;
export const UNSUPPORTED_TOOLS = ['drop', 'refuse'] as const;

/** How requests are read where APIs and clients differ. */
export interface RequestPolicy {
  /** What `user` means in a request with an API key: the user to bill, or the client's own user, which is only recorded. */
  readonly userField: (typeof USER_FIELDS)[number];
  /** What happens to tools that cannot be translated to the API of the provider. */
  readonly unsupportedTools: (typeof UNSUPPORTED_TOOLS)[number];
}

export const REQUEST_POLICY: RequestPolicy = { userField: 'payer', unsupportedTools: 'drop' };

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
