import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ExtraContent, Json } from '../shapes/chat.ts';

// Gemini signs its calls and texts, and Gemini 3 rejects a call that is returned without its signature.
// Other APIs have members for similar data, which agents return unchanged, so these members carry Gemini's
// signatures: a thinking block in Anthropic's messages, encrypted reasoning in OpenAI's responses, and
// `extra_content` in chat completions. The signatures are prefixed with a marker and the ID of the signed
// call, so that the gateway can recognize them and remove them from requests to other providers.

/** A signature returned by a client. */
export interface SealedSignature {
  /** The signed call's ID; empty for a signed text. */
  readonly id: string;
  readonly signature: string;
}

const MARK = 'gateway.google.';

export const sealSignature = (id: string, signature: string): string => `${MARK}${id}.${signature}`;

/** Decodes a signature; undefined for values that were not written by the gateway. */
export function openSignature(value: unknown): SealedSignature | undefined {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return undefined;
  // Signatures are base64, which contains no dots.
  const end = value.lastIndexOf('.');
  return { id: value.slice(MARK.length, Math.max(MARK.length, end)), signature: value.slice(end + 1) };
}

export const isSealed = (value: unknown): boolean => typeof value === 'string' && value.startsWith(MARK);

/** The signature in `extra_content`, which comes from a provider or client and can have any format. */
export function signatureIn(extra: ExtraContent | null | undefined): string | undefined {
  const signature: unknown = extra?.google?.thought_signature;
  return typeof signature === 'string' ? signature : undefined;
}

/** The member that carries this signature in a message or call; empty if there is no signature. */
export const withSignature = (signature: string | undefined): { readonly extra_content?: ExtraContent } =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** A client's `extra_content`, in which the signature is decoded. */
export function readExtraContent(value: unknown): ExtraContent | undefined {
  if (!isObject(value)) return undefined;
  const { thought_signature: found } = membersOf(value['google']);
  const opened = openSignature(found);
  return opened ? { google: { thought_signature: opened.signature } } : value;
}

/** A message or call without a signature that the gateway has encoded. */
export function withoutSealed(json: Json): Json {
  const { extra_content: extra, ...rest } = json;
  return isSealed(membersOf(membersOf(extra)['google'])['thought_signature']) ? rest : json;
}

/**
 * The placeholder signature that Google documents, for Gemini and for Vertex AI, for calls made by another
 * model.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';
