/** A part of a text that was encoded. */
export interface DecodedPart {
  readonly encoding: 'base64' | 'hex' | 'binary' | 'url' | 'html' | 'json' | 'reversed' | 'rot13';
  readonly text: string;
  /** Position of the encoded part in the text. */
  readonly start: number;
  readonly end: number;
}

/** Shorter runs are words or IDs. 16 characters of Base64 are 12 bytes. */
const MIN_RUN = 16;
const MAX_RUNS = 64;
/** Number of escapes from which a text is decoded. Fewer ones cannot hide a sentence. */
const MIN_ESCAPES = 4;

/** Decodes the parts of a text that are encoded with Base64, hexadecimal digits or escapes and contain a text. */
export function decodedParts(text: string): DecodedPart[] {
  return [...escapedParts(text), ...runs(text), ...bits(text), ...turned(text)];
}

function runs(text: string): DecodedPart[] {
  const parts: DecodedPart[] = [];
  let start = 0;
  for (let at = 0; at <= text.length && parts.length < MAX_RUNS; at += 1) {
    if (at < text.length && isBase64(text.charCodeAt(at))) continue;
    if (at - start >= MIN_RUN) {
      const part = decodeRun(text, start, at);
      if (part) parts.push(part);
    }
    start = at + 1;
  }
  return parts;
}

function decodeRun(text: string, start: number, end: number): DecodedPart | undefined {
  // The beginning shows whether the run contains a text. Images and IDs do not.
  const head = text.slice(start, Math.min(end, start + 64));
  if (/^[\da-f]+$/i.test(head)) {
    return isReadable(Buffer.from(head, 'hex'))
      ? { encoding: 'hex', text: Buffer.from(text.slice(start, end), 'hex').toString('utf8'), start, end }
      : undefined;
  }
  if (!isReadable(Buffer.from(head, 'base64'))) return undefined;
  return {
    encoding: 'base64',
    text: Buffer.from(text.slice(start, end), 'base64').toString('utf8'),
    start,
    end,
  };
}

/** Whether bytes look like a text: letters, spaces and no control characters. Bytes above 0x7f can be letters in UTF-8. */
function isReadable(bytes: Buffer): boolean {
  if (bytes.length < 8) return false;
  let letters = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) || byte === 0x7f) return false;
    if ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x20 || byte > 0x7f)
      letters += 1;
  }
  return letters >= bytes.length * 0.7;
}

const isBase64 = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x61 && unit <= 0x7a) ||
  unit === 0x2b ||
  unit === 0x2f ||
  unit === 0x2d ||
  unit === 0x5f;

/** The escapes, with the encoding's name and the function that decodes one of them. */
const ESCAPES: readonly {
  readonly encoding: DecodedPart['encoding'];
  readonly sign: string;
  readonly pattern: RegExp;
}[] = [
  { encoding: 'url', sign: '%', pattern: /%([\da-f]{2})/gi },
  { encoding: 'html', sign: '&#', pattern: /&#(x?)([\da-f]{1,6});/gi },
  { encoding: 'json', sign: '\\', pattern: /\\(?:u|x|u\{)([\da-f]{2,4})\}?/gi },
];

function escapedParts(text: string): DecodedPart[] {
  return ESCAPES.flatMap(({ encoding, sign, pattern }) => {
    if (!text.includes(sign)) return [];
    let count = 0;
    const decoded = text.replaceAll(pattern, (escape: string, first: string, second?: unknown) => {
      count += 1;
      if (encoding !== 'html') return character(Number.parseInt(first, 16), escape);
      return character(Number.parseInt(String(second), first === '' ? 10 : 16), escape);
    });
    return count < MIN_ESCAPES ? [] : [{ encoding, text: decoded, start: 0, end: text.length }];
  });
}

const character = (point: number, escape: string): string =>
  point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point) : escape;

/** Decodes groups of eight binary digits. */
function bits(text: string): DecodedPart[] {
  const groups = [...text.matchAll(/[01]{8}(?![01])/g)];
  const [first] = groups;
  const last = groups.at(-1);
  if (groups.length < MIN_RUN / 2 || !first || !last) return [];
  const bytes = Buffer.from(groups.map(([digits]) => Number.parseInt(digits, 2)));
  if (!isReadable(bytes.subarray(0, 48))) return [];
  return [{ encoding: 'binary', text: bytes.toString('utf8'), start: first.index, end: last.index + 8 }];
}

/** Words that only occur in instructions that are written backwards, or with each letter moved by 13 places. */
const BACKWARDS = ['snoitcurtsni', 'suoiverp', 'erongi', 'tpmorp'];
const MOVED = ['vafgehpgvbaf', 'cerivbhf', 'vtaber', 'cebzcg'];

function turned(text: string): DecodedPart[] {
  const lower = text.toLowerCase();
  const whole = { start: 0, end: text.length };
  const parts: DecodedPart[] = [];
  if (BACKWARDS.some((word) => lower.includes(word))) {
    parts.push({ encoding: 'reversed', text: Array.from(text).toReversed().join(''), ...whole });
  }
  if (MOVED.some((word) => lower.includes(word))) {
    const moved = text.replaceAll(/[a-z]/gi, (letter) => {
      const base = letter <= 'Z' ? 65 : 97;
      return String.fromCodePoint(((letter.charCodeAt(0) - base + 13) % 26) + base);
    });
    parts.push({ encoding: 'rot13', text: moved, ...whole });
  }
  return parts;
}
