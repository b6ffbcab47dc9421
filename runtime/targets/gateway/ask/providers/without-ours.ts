import type { MemberEdits } from '../../shared/json-members.ts';

/** Members of a request that are for the gateway alone do not go on to a provider. */
export const WITHOUT_OURS: MemberEdits = { guardrails: undefined };
