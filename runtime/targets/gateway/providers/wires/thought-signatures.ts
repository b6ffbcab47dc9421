import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ExtraContent, Json } from '../shapes/chat.ts';

// Gemini signs its calls and texts, and Gemini 3 rejects a call that is returned without its signature. Other
// providers' APIs have members for their own signatures, which agents return unchanged, so Gemini's
// signatures are transported in these: in a thinking block of Anthropic's messages, in encrypted reasoning of
// OpenAI's responses, and in `extra_content` of chat completions. They are prefixed with a marker and the
// signed call's ID, so that they can be recognized, and removed if another provider would read them.

/** A signature returned by a client. */
export interface SealedSignature {
  /** The signed call's ID; empty for a signed text. */
  readonly id: string;
  readonly signature: string;
}

const MARK = 'gateway.google.';

export const sealSignature = (id: string, signature: string): string => `${MARK}${id}.${signature}`;

/** Undefined for values not written by the gateway. */
export function openSignature(value: unknown): SealedSignature | undefined {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return undefined;
  // Signatures are base64, which contains no dots.
  const end = value.lastIndexOf('.');
  return { id: value.slice(MARK.length, Math.max(MARK.length, end)), signature: value.slice(end + 1) };
}

export const isSealed = (value: unknown): boolean => typeof value === 'string' && value.startsWith(MARK);

/** The signature in `extra_content`, which a provider or client may have written in any format. */
export function signatureIn(extra: ExtraContent | null | undefined): string | undefined {
  const signature: unknown = extra?.google?.thought_signature;
  return typeof signature === 'string' ? signature : undefined;
}

/** The member of a message or call that carries this signature; empty without one. */
export const withSignature = (signature: string | undefined): { readonly extra_content?: ExtraContent } =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** A client's `extra_content`, with its signature opened. */
export function readExtraContent(value: unknown): ExtraContent | undefined {
  if (!isObject(value)) return undefined;
  const { thought_signature: found } = membersOf(value['google']);
  const opened = openSignature(found);
  return opened ? { google: { thought_signature: opened.signature } } : value;
}

/** A message or call without a signature sealed by the gateway. */
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
