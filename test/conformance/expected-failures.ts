import { lookup } from '../../runtime/core/values/lookup.ts';

/** The scenarios that fail, with the reason. */
export const EXPECTED_FAILURES = lookup<string>({});
