import { withoutEscapes } from '#core/json/without-escapes.ts';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';

/** The beginning of a text that is JSON, such as tool arguments and results. */
const JSON_TEXT = /^[ \t\r\n]*[[{"]/;

/**
 * A text in each way in which it can be read. If a text is JSON, any character in it can be escaped, and
 * providers and translations to their APIs decode it. Such a text is therefore also read with its escapes
 * decoded. The decoded reading comes first. If the text contains a member twice, only the undecoded reading
 * contains both.
 */
function readingsOf(text: string): readonly string[] {
  if (!text.includes('\\') || !JSON_TEXT.test(text)) return [text];
  const decoded = decode(text);
  return decoded === undefined || decoded === text ? [text] : [decoded, text];
}

function decode(text: string): string | undefined {
  try {
    return JSON.stringify(parseLossless(text));
  } catch {
    // The text is not valid JSON, but a reader could repair it or read only a part of it.
    return withoutEscapes(text);
  }
}

/** Maximum depth of JSON texts inside JSON texts. */
const MAX_DEPTH = 4;

/**
 * A model's text in each way in which a client can read it. It is also read with JSON escapes decoded,
 * because clients decode tool arguments and responses that follow a schema. Unlike a text in a request, it
 * can be part of a stream and therefore incomplete, so it cannot be parsed.
 */
export function writtenReadings(text: string): readonly string[] {
  const readings = [text];
  for (let last = text; readings.length <= MAX_DEPTH && last.includes('\\');) {
    const next = withoutEscapes(last);
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

/** A request's text in each way in which it can be read, even if it is JSON that contains JSON. */
export const checkedReadings = (text: string): readonly string[] => {
  const readings = readingsOf(text);
  return text.includes('\\\\') && JSON_TEXT.test(text)
    ? [...new Set([...readings, ...writtenReadings(text)])]
    : readings;
};

/** Maximum number of characters in the JSON escape of one UTF-16 code unit. */
export const MAX_ESCAPE_LENGTH = 6;

/** Changes a text, based on the first reading that contains something to change. */
export function changeReadings(text: string, change: (text: string) => string): string {
  // Every reading is visited, so that the number of visits does not depend on the changes.
  const changed = readingsOf(text).map((reading) => [reading, change(reading)] as const);
  const nested = changeNested(text, change);
  return changed.find(([reading, result]) => result !== reading)?.[1] ?? nested;
}

/**
 * Changes strings within JSON that are themselves JSON with escapes. Such escapes appear as two consecutive
 * backslashes.
 */
function changeNested(text: string, change: (text: string) => string): string {
  if (!text.includes('\\\\') || !JSON_TEXT.test(text)) return text;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) return text;
  let isChanged = false;
  const visit = (one: unknown): unknown => {
    if (typeof one === 'string') {
      const changed = changeReadings(one, change);
      isChanged ||= changed !== one;
      return changed;
    }
    if (Array.isArray(one)) return one.map(visit);
    if (!isObject(one) || isRawNumber(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, visit(member)]));
  };
  const result = visit(value);
  return isChanged ? JSON.stringify(result) : text;
}

function parsed(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}
