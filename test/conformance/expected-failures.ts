import { lookup } from '#core/values/lookup.ts';

/** The scenarios that fail, with the reason. */
export const EXPECTED_FAILURES = lookup<string>({
  'client auth/cross-app-access-complete-flow':
    'An extension (SEP-990): the manager has no identity provider whose tokens it could exchange.',
});
