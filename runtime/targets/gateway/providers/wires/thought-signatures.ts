import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ExtraContent, Json } from '../shapes/chat.ts';

// Gemini signs its calls and texts, and Gemini 3 rejects a call that comes back without its signature. APIs of other providers have
// members for signatures of their own, which agents return unchanged, so Gemini's travel in these: in a thinking block of Anthropic's
// messages, in encrypted reasoning of OpenAI's responses, and in `extra_content` of chat completions. A mark and the id of the signed call
// precede them, so that they are found again, and are removed where another provider would read them.

/** A signature that a client has returned. */
export interface SealedSignature {
  /** The id of the signed call; empty for a signed text. */
  readonly id: string;
  readonly signature: string;
}

const MARK = 'gateway.google.';

export const sealSignature = (id: string, signature: string): string => `${MARK}${id}.${signature}`;

/** Undefined for values that the gateway has not written. */
export function openSignature(value: unknown): SealedSignature | undefined {
  if (typeof value !== 'string' || !value.startsWith(MARK)) return undefined;
  // Signatures are base64, which has no dots.
  const end = value.lastIndexOf('.');
  return { id: value.slice(MARK.length, Math.max(MARK.length, end)), signature: value.slice(end + 1) };
}

export const isSealed = (value: unknown): boolean => typeof value === 'string' && value.startsWith(MARK);

/** The signature in `extra_content`, which a provider or a client has written in any form. */
export function signatureIn(extra: ExtraContent | null | undefined): string | undefined {
  const signature: unknown = extra?.google?.thought_signature;
  return typeof signature === 'string' ? signature : undefined;
}

/** The member of a message or call with this signature; none without one. */
export const withSignature = (signature: string | undefined): { readonly extra_content?: ExtraContent } =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** `extra_content` of a client, with its signature opened. */
export function readExtraContent(value: unknown): ExtraContent | undefined {
  if (!isObject(value)) return undefined;
  const { thought_signature: found } = membersOf(value['google']);
  const opened = openSignature(found);
  return opened ? { google: { thought_signature: opened.signature } } : value;
}

/** A message or call without a signature that the gateway has sealed. */
export function withoutSealed(json: Json): Json {
  const { extra_content: extra, ...rest } = json;
  return isSealed(membersOf(membersOf(extra)['google'])['thought_signature']) ? rest : json;
}

/**
 * The signature that Google documents, for Gemini and for Vertex AI, for calls that another model has made.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';
