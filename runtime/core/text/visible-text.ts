/**
 * Escapes control characters and invisible characters, because they could move the cursor of a terminal or hide
 * instructions to a model.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-misleading-character-class -- Each character is meant by itself.
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu,
    (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`,
  );
