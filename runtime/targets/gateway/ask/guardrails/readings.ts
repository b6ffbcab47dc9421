import { parseLossless } from '../../../../core/json/lossless-json.ts';

/** JSON in a text: tool arguments and results. */
const JSON_TEXT = /^[ \t\r\n]*[[{"]/;

/**
 * A text in each way that it can be read. Providers, and translations to their APIs, decode JSON in a text, in which any character can
 * be written as an escape: it is also read without those. The decoded reading is the first one, because it can lack members that the text has
 * twice, but not the other way round.
 */
export function readingsOf(text: string): readonly string[] {
  if (!text.includes('\\') || !JSON_TEXT.test(text)) return [text];
  const decoded = decode(text);
  return decoded === undefined || decoded === text ? [text] : [decoded, text];
}

function decode(text: string): string | undefined {
  try {
    return JSON.stringify(parseLossless(text));
  } catch {
    return undefined;
  }
}

/** Changes a text in the first reading in which there is something to change. */
export function changeReadings(text: string, change: (text: string) => string): string {
  // Each reading is visited, so that the number of visits does not depend on the changes.
  const changed = readingsOf(text).map((reading) => [reading, change(reading)] as const);
  return changed.find(([reading, result]) => result !== reading)?.[1] ?? text;
}
