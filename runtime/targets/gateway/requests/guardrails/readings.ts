import { withoutEscapes } from '#core/json/without-escapes.ts';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';

/** JSON in a text: tool arguments and results. */
const JSON_TEXT = /^[ \t\r\n]*[[{"]/;

/**
 * A text in each way in which it can be read. Providers, and translations to their APIs, decode JSON in a
 * text, where any character can be written as an escape: it is therefore also read with escapes decoded. The
 * decoded reading comes first, because it can lack members that the text contains twice, but not vice versa.
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
    // The reader repairs it, or reads only a part.
    return withoutEscapes(text);
  }
}

/** JSON in a text can itself contain JSON. */
const MAX_DEPTH = 4;

/**
 * A model's text in each way in which a client can read it: also with JSON escapes decoded, because clients
 * decode tool arguments and responses that follow a schema. Unlike in a request, it can be part of a stream,
 * so it cannot be parsed.
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

/** Maximum number of JSON characters per character. */
export const MAX_ESCAPE_LENGTH = 6;

/** Changes a text in the first reading that contains something to change. */
export function changeReadings(text: string, change: (text: string) => string): string {
  // Every reading is visited, so that the number of visits does not depend on the changes.
  const changed = readingsOf(text).map((reading) => [reading, change(reading)] as const);
  const nested = changeNested(text, change);
  return changed.find(([reading, result]) => result !== reading)?.[1] ?? nested;
}

/** Changes texts within JSON that are themselves JSON with escapes. These contain two consecutive backslashes. */
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
