import { memberOf } from '#core/values/member-of.ts';

/** Members of the contract's body that do not exist in Hugging Face's APIs, where they would be ignored. */
const CONTRACT_MEMBERS = ['metadata', 'top_k', 'aggregation'];

/**
 * Whether a `/predict` body uses the format of text-embeddings-inference or of Hugging Face's
 * Inference API: `inputs` is a single text, or there is a member that only they have. The
 * contract's body has a list of inputs and none of these members.
 */
export function isHuggingFaceBody(body: unknown): boolean {
  const has = (name: string): boolean => memberOf(body, name) !== undefined;
  if (CONTRACT_MEMBERS.some(has)) return false;
  return typeof memberOf(body, 'inputs') === 'string' || has('raw_scores') || hasParameters(body);
}

export const HUGGING_FACE_NOTE =
  'A body with `raw_scores`, `parameters` or a single text as `inputs` gets a response in the format of text-embeddings-inference or of the Inference API, as at `/`.';

export const hasParameters = (body: unknown): boolean => memberOf(body, 'parameters') !== undefined;
