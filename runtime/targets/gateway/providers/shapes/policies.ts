import type { LinearPattern } from '#platform/linear-pattern.ts';

export const USER_FIELDS = ['payer', 'end_user'] as const;
export const UNSUPPORTED_TOOLS = ['drop', 'refuse'] as const;

/** How to handle requests in cases where APIs or clients differ. */
export interface RequestPolicy {
  /**
   * The meaning of `user` in a request with an API key: the user to bill, or the client's own user, who is
   * only recorded.
   */
  readonly userField: (typeof USER_FIELDS)[number];
  /** What to do with tools that cannot be translated to the provider's API. */
  readonly unsupportedTools: (typeof UNSUPPORTED_TOOLS)[number];
}

export const REQUEST_POLICY: RequestPolicy = { userField: 'payer', unsupportedTools: 'drop' };

/** Which requests and responses are stored, and how. */
export interface PromptPolicy {
  /** Whether to store the requests and responses of keys without their own setting. */
  readonly isDefault: boolean;
  /** Maximum length of a stored request and of a stored response, in characters. */
  readonly maxCharacters: number;
  /** Patterns of texts to remove in addition to secrets. */
  readonly patterns: readonly LinearPattern[];
}

/** Stores nothing. */
export const NO_PROMPTS: PromptPolicy = { isDefault: false, maxCharacters: 65_536, patterns: [] };
