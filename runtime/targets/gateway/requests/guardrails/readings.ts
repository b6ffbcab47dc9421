import { withoutEscapes } from '#core/json/without-escapes.ts';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';

/** JSON in a text: tool arguments and results. */
const JSON_TEXT = /^[ \t\r\n]*[[{"]/;

/**
 * A text in each way that it can be read. Providers, and translations to their APIs, decode JSON in a text, in which any character can
 * be written as an escape: it is also read without those. The decoded reading is the first one, because it can lack members that the text has
 * twice, but not the other way round.
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
    // The reader repairs it, or reads a part.
    return withoutEscapes(text);
  }
}

/** JSON in a text can contain JSON. */
const MAX_DEPTH = 4;

/**
 * What a model writes, in each way that a client can read it: also without the escapes of JSON, because clients decode the arguments of tools
 * and answers with a schema. Unlike a request, it can be a part of a stream, so that it cannot be parsed.
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

/** A text of a request in each way that it can be read, also if it is JSON that contains JSON. */
export const checkedReadings = (text: string): readonly string[] => {
  const readings = readingsOf(text);
  return text.includes('\\\\') && JSON_TEXT.test(text)
    ? [...new Set([...readings, ...writtenReadings(text)])]
    : readings;
};

/** How many characters of JSON one character can have. */
export const MAX_ESCAPE_LENGTH = 6;

/** Changes a text in the first reading in which there is something to change. */
export function changeReadings(text: string, change: (text: string) => string): string {
  // Each reading is visited, so that the number of visits does not depend on the changes.
  const changed = readingsOf(text).map((reading) => [reading, change(reading)] as const);
  const nested = changeNested(text, change);
  return changed.find(([reading, result]) => result !== reading)?.[1] ?? nested;
}

/** Changes the texts of JSON that are JSON with escapes themselves. Those have two backslashes in a row. */
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
