import { memberOf } from '#core/values/member-of.ts';

/**
 * Fields in the contract's request body that do not exist in Hugging Face's APIs, which would
 * ignore them.
 */
const CONTRACT_MEMBERS = ['metadata', 'top_k', 'threshold', 'aggregation', 'mask'];

/**
 * Whether a `/predict` body uses the format of text-embeddings-inference or of Hugging Face's
 * Inference API: `inputs` is a single text, or there is a field that only exists in these APIs. In
 * the contract's format, `inputs` is a list, and none of these fields exist.
 */
export function isHuggingFaceBody(body: unknown): boolean {
  const has = (name: string): boolean => memberOf(body, name) !== undefined;
  if (CONTRACT_MEMBERS.some(has)) return false;
  return typeof memberOf(body, 'inputs') === 'string' || has('raw_scores') || hasParameters(body);
}

export const HUGGING_FACE_NOTE =
  'A body with `raw_scores`, `parameters` or a single text as `inputs` gets a response in the format of text-embeddings-inference or of the Inference API, as at `/`.';

/** For models whose requests in the format of the Inference API always have parameters. */
export const PARAMETERS_NOTE =
  'A body with `parameters` gets a response in the format of the Inference API, as at `/`.';

export const hasParameters = (body: unknown): boolean => memberOf(body, 'parameters') !== undefined;
