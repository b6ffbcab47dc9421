import { createHash } from 'node:crypto';
import type { JsonMember } from '../../shared/json-members.ts';

export interface KeyParts {
  /** Everything besides the body that the answer depends on, in a fixed order. */
  readonly facts: readonly (string | number | boolean | null)[];
  /** The body as the client sent it. */
  readonly bytes: Uint8Array;
  readonly members: readonly JsonMember[];
  /** Names of members that do not change the answer, or that are replaced by a fact. */
  readonly left: ReadonlySet<string>;
}

/** Members that are replaced by facts: the model by its targets, the guardrails by those that apply. */
const REPLACED = ['model', 'stream', 'guardrails'];
/** Members that only identify the client, and choose where the provider caches the prompt. */
const IDENTIFYING = [
  'user',
  'metadata',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'store',
];

/** Answers of this route repeat the members that identify the client. */
const REPEATING_ENDPOINT = '/v1/responses';
const LEFT_WHERE_REPEATED: ReadonlySet<string> = new Set(REPLACED);
const LEFT: ReadonlySet<string> = new Set([...REPLACED, ...IDENTIFYING]);

/** Names of members of a request that are not part of its key. */
export const membersLeft = (endpoint: string): ReadonlySet<string> =>
  endpoint === REPEATING_ENDPOINT ? LEFT_WHERE_REPEATED : LEFT;

/**
 * The key of the answer to a request. Members are compared by their bytes, so that no two requests with different answers can have the
 * same key; the order of the members does not matter.
 */
export function cacheKey({ facts, bytes, members, left }: KeyParts): string {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  const kept = members.filter(({ name }) => !left.has(name));
  for (const { name, value, end } of kept.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    hash.update(JSON.stringify([name, end - value])).update(bytes.subarray(value, end));
  }
  return hash.digest('base64url');
}
