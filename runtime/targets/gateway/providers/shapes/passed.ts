declare const passed: unique symbol;

/**
 * Content that has passed the policy: guardrails have checked and masked it, and it has been added to the
 * prompt log. Everything that is sent to a provider must be of this type, so code that bypasses the policy
 * does not compile. Only `requests/policy` creates values of this type.
 */
export type Passed<Content> = Content & { readonly [passed]: true };

/** Content derived from content that has passed the policy, e.g. a list of its texts. */
export const derivedFrom = <Content>(_source: Passed<unknown>, content: Content): Passed<Content> =>
  content as Passed<Content>;
