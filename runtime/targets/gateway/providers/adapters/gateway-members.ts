import type { MemberEdits } from '../../shared/json-members.ts';

/** Removes the members of a request that are for the gateway only, before the request is sent to a provider. */
export const REMOVE_GATEWAY_MEMBERS: MemberEdits = { guardrails: undefined };
