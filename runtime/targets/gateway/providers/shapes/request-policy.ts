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
