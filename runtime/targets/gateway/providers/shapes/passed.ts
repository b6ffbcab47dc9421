declare const passed: unique symbol;

/**
 * Content that has passed the policy: guardrails have checked and masked it, and the prompt log has it.
 * Everything that reaches a provider must be of this type, so that a call without the policy does not
 * compile. Only `requests/policy` creates such values.
 */
export type Passed<Content> = Content & { readonly [passed]: true };

/** Content derived from content that has passed, e.g. the list of its texts. */
export const derivedFrom = <Content>(_source: Passed<unknown>, content: Content): Passed<Content> =>
  content as Passed<Content>;
