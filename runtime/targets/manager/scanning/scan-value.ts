import { visibleText } from '#core/text/visible-text.ts';
import { createYielder } from '#platform/run-yielding.ts';
import type { Finding, TextMatch } from './finding.ts';
import type { TextKind } from './rules/character-rules.ts';
import { around, scanText, scanWords } from './scan-text.ts';
import { wordsOf } from './text/words.ts';

/** Maximum number of characters of a value that are scanned. What exceeds it is a finding, because a text could otherwise be hidden behind a long one. */
const MAX_SCANNED = 2_000_000;
/** Long texts are scanned in windows of this size, so that other work gets a turn in between. */
const WINDOW = 32_768;
/** Characters that two windows share, so that a phrase at the border is in one of them. */
const OVERLAP = 512;
/** Values up to this size are scanned without a break. It takes about a millisecond. */
const MAX_IMMEDIATE = 16_384;
const MAX_DEPTH = 100;
/** Maximum number of findings per value. One is enough for a decision. */
const MAX_FINDINGS = 20;
/** Characters at the end of a text and at the beginning of the next one that are scanned together. */
const BORDER = 120;
/** Members between texts that a model reads as one. */
const KEYWORDS: ReadonlySet<string> = new Set(['type', 'format', 'mimeType', 'role', '$ref', '$schema']);

/** A text of a value, with its JSON Pointer. */
export interface PlacedText {
  readonly pointer: string;
  readonly text: string;
}

/** Returns the texts of a value that can reach a model: all strings and names of members, except binary data. */
export function textsOf(value: unknown): { readonly texts: readonly PlacedText[]; readonly size: number } {
  const texts: PlacedText[] = [];
  let size = 0;
  const add = (text: string, pointer: string): void => {
    size += text.length;
    texts.push({ pointer, text });
  };
  const visit = (one: unknown, pointer: string, depth: number): void => {
    if (typeof one === 'string') {
      if (one !== '') add(one, pointer);
      return;
    }
    if (typeof one !== 'object' || one === null) return;
    if (depth > MAX_DEPTH) {
      size = Infinity;
      return;
    }
    if (Array.isArray(one)) {
      for (const [at, item] of one.entries()) visit(item, `${pointer}/${at}`, depth + 1);
      return;
    }
    for (const [key, member] of Object.entries(one)) {
      const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      // Short names are not sentences, and long ones are not names.
      if (key.length > MAX_NAME) add(key, at);
      const data = binaryText(one, key, member);
      if (data === undefined) visit(member, at, depth + 1);
      else add(data, at);
    }
  };
  visit(value, '', 0);
  return { texts, size };
}

const MAX_NAME = 24;

/**
 * Binary data: of an image or audio, which is not scanned, or a resource, which is only scanned if it is a text. Returns undefined for other members.
 */
function binaryText(owner: object, key: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || (key !== 'data' && key !== 'blob')) return undefined;
  const type = 'mimeType' in owner && typeof owner.mimeType === 'string' ? owner.mimeType : '';
  const isText = type.startsWith('text/') || /\b(?:json|xml|yaml|javascript)\b/.test(type);
  if (key === 'blob') return isText ? Buffer.from(value, 'base64').toString('utf8') : '';
  const isMedia = 'type' in owner && (owner.type === 'image' || owner.type === 'audio');
  return isMedia ? '' : undefined;
}

/** Scans a value. Returns its findings, or a promise of them if the value is large. */
export function scanValue(value: unknown, kind: TextKind): readonly Finding[] | Promise<readonly Finding[]> {
  const { texts, size } = textsOf(value);
  if (texts.length === 0) return [];
  const scan = new ValueScan(kind);
  if (size > MAX_IMMEDIATE) return scanSlowly(texts, size, scan);
  for (const text of texts) scan.add(text, text.text);
  scan.addBorders(texts);
  return scan.findings;
}

async function scanSlowly(
  texts: readonly PlacedText[],
  size: number,
  scan: ValueScan,
): Promise<readonly Finding[]> {
  const yieldToEventLoop = createYielder();
  let left = MAX_SCANNED;
  for (const placed of texts) {
    for (let at = 0; at < placed.text.length && left > 0; at += WINDOW) {
      const window = placed.text.slice(Math.max(0, at - OVERLAP), at + WINDOW);
      scan.add(placed, window);
      left -= WINDOW < placed.text.length ? WINDOW : placed.text.length;
      if (scan.isFull) return scan.findings;
      await yieldToEventLoop();
    }
    if (left <= 0) break;
  }
  if (size > MAX_SCANNED) scan.findings.push({ rule: 'not-scanned', pointer: '', excerpt: tooLong(size) });
  else scan.addBorders(texts);
  return scan.findings;
}

const tooLong = (size: number): string =>
  Number.isFinite(size)
    ? `${size} characters, of which ${MAX_SCANNED} were scanned`
    : `more than ${MAX_DEPTH} levels of nesting`;

class ValueScan {
  readonly findings: Finding[] = [];
  readonly #kind: TextKind;
  readonly #known = new Set<string>();

  constructor(kind: TextKind) {
    this.#kind = kind;
  }

  get isFull(): boolean {
    return this.findings.length >= MAX_FINDINGS;
  }

  add({ pointer }: PlacedText, text: string): void {
    for (const match of scanText(text, this.#kind)) this.#addMatch(pointer, text, match);
  }

  /** Scans the ends of texts together with the beginnings of the next ones, because an instruction can be split over two of them. */
  addBorders(all: readonly PlacedText[]): void {
    const texts = all.filter(({ pointer }) => !KEYWORDS.has(pointer.slice(pointer.lastIndexOf('/') + 1)));
    for (const [at, { text, pointer }] of texts.entries()) {
      const next = texts[at + 1];
      if (!next || this.isFull) return;
      const joined = `${text.slice(-BORDER)} ${next.text.slice(0, BORDER)}`;
      for (const match of scanWords(wordsOf(joined), this.#kind)) {
        // A match that is not split was found before.
        const isSplit =
          match.start < Math.min(text.length, BORDER) && match.end > Math.min(text.length, BORDER);
        if (isSplit) this.#addMatch(pointer, joined, match);
      }
    }
  }

  #addMatch(pointer: string, text: string, { rule, start, end, encoding, decoded }: TextMatch): void {
    const key = `${rule} ${pointer}`;
    if (this.isFull || this.#known.has(key)) return;
    this.#known.add(key);
    const excerpt = visibleText(decoded ?? around(text, start, end));
    this.findings.push({ rule, pointer, excerpt, ...(encoding === undefined ? {} : { encoding }) });
  }
}
