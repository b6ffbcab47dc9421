const GRAPHEMES = /\p{RGI_Emoji}|\p{L}\p{M}*|[^]/gv;
const WIDE =
  /^(?:\p{RGI_Emoji}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}])/v;
const UNSEEN = /^(?:\p{M}|\p{Cf})/v;

/** Characters of these texts take one column each; detecting emoji is slow. */
const PLAIN = /^[ -~]*$/;

/** Number of terminal columns that a text takes. */
export const textWidth = (text: string): number =>
  PLAIN.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0);

/** Truncates a text to a number of columns, with an ellipsis at the end. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let shown = '';
  let columns = 1;
  for (const grapheme of graphemes(text)) {
    columns += widthOf(grapheme);
    if (columns > width) break;
    shown += grapheme;
  }
  return `${shown}…`;
}

const graphemes = (text: string): readonly string[] => text.match(GRAPHEMES) ?? [];

function widthOf(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return UNSEEN.test(grapheme) ? 0 : 1;
}
