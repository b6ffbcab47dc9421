import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import { changeReadings } from '../readings.ts';
import { NON_OUTPUT_MEMBERS } from '../../../providers/streams/output-texts.ts';
import { everyText } from './body-texts.ts';
import { escapedIn } from './restore-answer.ts';

/**
 * Members of answers and of events that are not masked, besides those that are not output: names, which clients compare, reasons to
 * end, and what providers repeat of the request.
 */
const UNMASKED = new Set(
  [
    ['name', 'namespace', 'finish_reason', 'finishReason', 'stop_reason', 'stop_sequence'],
    ['system_fingerprint', 'service_tier', 'modelVersion', 'responseId', 'mimeType', 'thoughtSignature'],
    ['instructions', 'tools', 'tool_choice', 'metadata', 'user', 'safety_identifier', 'prompt_cache_key'],
    ['previous_response_id', 'truncation', 'created_at', 'usage', 'usageMetadata', 'reasoning_effort'],
    ['logprobsResult', 'safetyRatings', 'citationMetadata', 'groundingMetadata', 'promptFeedback'],
  ].flat(),
);

export const isMaskedMember = (name: string): boolean => !UNMASKED.has(name) && !NON_OUTPUT_MEMBERS.has(name);

/** Arguments of tools as an object, whose members can have any name. */
const ARGUMENT_MEMBERS = new Set(['input', 'args', 'arguments']);

/** Replaces all texts of a model's output in an answer or an event. */
export function mapOutputTexts(value: unknown, change: (text: string) => string, name = ''): unknown {
  if (typeof value === 'string') {
    if (value === '') return value;
    return escapedIn(name) ? mapJsonText(value, change) : changeReadings(value, change);
  }
  if (Array.isArray(value)) return value.map((item) => mapOutputTexts(item, change, name));
  if (!isObject(value) || isRawNumber(value)) return value;
  const isImage = value['type'] === 'image_generation_call';
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (!isMaskedMember(key) || (isImage && key === 'result')) return [key, member];
      if (ARGUMENT_MEMBERS.has(key) && isObject(member)) return [key, everyText(member, change)];
      return [key, mapOutputTexts(member, change, key)];
    }),
  );
}

/** Replaces all texts in a text that is JSON, which stays JSON. A text that is not JSON is one text. */
function mapJsonText(text: string, change: (text: string) => string): string {
  const value = parsed(text);
  if (!isObject(value) && !Array.isArray(value)) return changeReadings(text, change);
  let isChanged = false;
  const result = everyText(value, (one) => {
    const changed = change(one);
    isChanged ||= changed !== one;
    return changed;
  });
  return isChanged ? JSON.stringify(result) : text;
}

export function parsed(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

/**
 * Removes the probabilities of tokens, which repeat the text. Lists become empty, because clients expect them to be there.
 */
export function withoutLogprobs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLogprobs);
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== 'logprobs' && name !== 'logprobsResult') return [name, withoutLogprobs(member)];
      return [name, Array.isArray(member) ? [] : null];
    }),
  );
}
