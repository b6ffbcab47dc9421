import type { TextMatch } from '../finding.ts';
import {
  isBidirectionalControl,
  isDirectionMark,
  isInvisible,
  isJoiningScript,
  isRightToLeft,
  isTag,
  isVariationSelector,
} from '../text/invisible.ts';

/** Where a text comes from. Contents of documents and web pages usually contain single invisible characters. */
export type TextKind = 'definition' | 'content';

/** Number of invisible characters between letters above which contents are suspicious. */
const MAX_IN_CONTENT = 8;
const FLAG = 0x1_f3f4;
const END_OF_TAGS = 0xe_007f;
/** A flag of a region has up to six tags, and an end. */
const MAX_FLAG = 8;

/** Finds characters that hide text from a person, or show it in another order. */
export function findCharacters(text: string, kind: TextKind): TextMatch[] {
  // Most texts contain none of them, and need no second look.
  if (!HIDDEN.test(text)) return [];
  const matches: TextMatch[] = [];
  const invisible: number[] = [];
  const controls: number[] = [];
  let hasRightToLeft = false;
  let before = -1;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    const next = at + (point > 0xffff ? 2 : 1);
    if (isRightToLeft(point)) hasRightToLeft = true;
    if (isTag(point) || isVariationSelector(point)) {
      const run = readRun(text, at, before);
      if (run.hidden !== undefined) {
        matches.push({ rule: 'hidden-text', start: at, end: run.end, decoded: run.hidden });
      }
      at = run.end;
      continue;
    }
    if (isBidirectionalControl(point)) controls.push(at);
    else if (isInvisible(point) && !isNeeded(text, at, point, before)) invisible.push(at);
    before = point;
    at = next;
  }
  const marks = invisible.filter((at) => !(hasRightToLeft && isDirectionMark(text.codePointAt(at) ?? 0)));
  const [first] = marks;
  if (first !== undefined && (kind === 'definition' || marks.length > MAX_IN_CONTENT)) {
    matches.push({ rule: 'invisible-text', start: first, end: first + 1 });
  }
  const [control] = controls;
  if (
    control !== undefined &&
    (!hasRightToLeft || hasOverride(text, controls) || !isBalanced(text, controls))
  ) {
    matches.push({ rule: 'bidirectional-text', start: control, end: control + 1 });
  }
  return matches;
}

const HIDDEN =
  // oxlint-disable-next-line no-misleading-character-class -- Each character is meant by itself.
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

const ZERO_WIDTH_JOINER = 0x200d;
const ZERO_WIDTH_NON_JOINER = 0x200c;
const BYTE_ORDER_MARK = 0xfeff;
const ZERO_WIDTH_SPACE = 0x200b;
const SOFT_HYPHEN = 0xad;

/** Whether an invisible character is needed where it is: joiners in emoji and in scripts that have them, and marks that break lines. */
function isNeeded(text: string, at: number, point: number, before: number): boolean {
  const after = text.codePointAt(at + 1) ?? 0;
  if (point === BYTE_ORDER_MARK) return at === 0;
  if (point === ZERO_WIDTH_JOINER && isPictograph(before) && isPictograph(after)) return true;
  if (point === ZERO_WIDTH_JOINER || point === ZERO_WIDTH_NON_JOINER) {
    return isJoiningScript(before) || isJoiningScript(after);
  }
  // Marks possible line breaks in scripts without spaces.
  if (point === ZERO_WIDTH_SPACE) return isJoiningScript(before) || isAsianScript(before);
  if (point === SOFT_HYPHEN) return isLetter(before) && isLetter(after) && before > 0x7f;
  return point >= 0x180b && point <= 0x180f && before >= 0x1800 && before <= 0x18af;
}

const isPictograph = (point: number): boolean =>
  point > 0 &&
  (/[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(String.fromCodePoint(point)) ||
    point === 0xfe0f);

const isLetter = (point: number): boolean => point > 0 && /\p{L}/u.test(String.fromCodePoint(point));

/** Thai, Lao, Tibetan, Chinese, Japanese and Korean. */
const isAsianScript = (point: number): boolean =>
  (point >= 0xe00 && point <= 0xfff) || (point >= 0x3000 && point <= 0xd7ff);

interface Run {
  readonly end: number;
  /** The text that is hidden in the run; undefined if the run is not suspicious. */
  readonly hidden: string | undefined;
}

/** Reads tag characters or variation selectors that follow each other. */
function readRun(text: string, start: number, before: number): Run {
  const points: number[] = [];
  let end = start;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    if (!isTag(point) && !isVariationSelector(point)) break;
    points.push(point);
    end += point > 0xffff ? 2 : 1;
  }
  const [first = 0] = points;
  const isFlag =
    before === FLAG && points.length <= MAX_FLAG && points.every(isTag) && points.at(-1) === END_OF_TAGS;
  // A single selector chooses the form of the character before it.
  const isSelector =
    points.length === 1 && isVariationSelector(first) && before > 0x20 && !isInvisible(before);
  return { end, hidden: isFlag || isSelector ? undefined : decodeRun(points) };
}

/** Decodes the bytes that tag characters or variation selectors stand for. */
const decodeRun = (points: readonly number[]): string =>
  Buffer.from(
    points.map((point) => {
      if (isTag(point)) return point - 0xe_0000;
      return point >= 0xe_0100 ? point - 0xe_0100 + 16 : point - 0xfe00;
    }),
  ).toString('utf8');

const OVERRIDES = new Set([0x202d, 0x202e]);
const OPENING = new Set([0x202a, 0x202b, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068]);

const hasOverride = (text: string, controls: readonly number[]): boolean =>
  controls.some((at) => OVERRIDES.has(text.charCodeAt(at)));

/** Whether each control that opens a part in another direction is closed, as programs that insert names do. */
function isBalanced(text: string, controls: readonly number[]): boolean {
  let open = 0;
  for (const at of controls) {
    open += OPENING.has(text.charCodeAt(at)) ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}
