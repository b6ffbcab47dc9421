/** Members of requests whose strings can be encoded data: Base64, or the URL of data. */
const DATA_MEMBERS: ReadonlySet<string> = new Set(
  'data file_data url image_url file_url fileUri file_uri'.split(' '),
);
const DATA_URL = /^data:([^,]{0,200}),/i;
const BASE64 = /^[\w+/=\s-]{8,}$/;
/** Bytes at each end of data that decide whether it can be text. */
const SAMPLE_BYTES = 4096;
/** Of so many characters of a text, one can be a control character or no character at all. */
const CHARACTERS_PER_FLAW = 20;

/** A text that was found in bytes. */
export interface DecodedText {
  readonly text: string;
  /** Whether the text has all bytes, as UTF-8. */
  readonly isExact: boolean;
}

/**
 * The text in bytes of any kind, whatever they are declared as: UTF-8, also with some bytes that are not, or UTF-16. Undefined for other
 * data, such as images, in which most bytes are not text.
 */
export function textOfBytes(bytes: Uint8Array): DecodedText | undefined {
  const ends = [bytes.subarray(0, SAMPLE_BYTES), bytes.subarray(-SAMPLE_BYTES)];
  if (!ends.some((end) => isReadable(decoded(end)))) return undefined;
  const text = decoded(bytes);
  if (!isReadable(text)) return undefined;
  return { text, isExact: Buffer.byteLength(text) === bytes.length && !text.includes('\uFFFD') };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes), { ignoreBOM: true }).decode(bytes);
}

/** Western texts in UTF-16 have a zero in every second byte. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let [even, odd] = [0, 0];
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  if (odd * 3 > sample.length && even === 0) return 'utf-16le';
  return even * 3 > sample.length && odd === 0 ? 'utf-16be' : 'utf-8';
}

/** Control characters other than white space, and the replacement of invalid bytes. */
const FLAW = /(?!\s)\p{Cc}|\uFFFD/gu;

const isReadable = (text: string): boolean =>
  text !== '' && (text.match(FLAW)?.length ?? 0) * CHARACTERS_PER_FLAW <= text.length;

/** The text that is encoded in a string member of a request; undefined if there is none. */
export function encodedText(member: string, value: string): string | undefined {
  return DATA_MEMBERS.has(member) ? open(value)?.text : undefined;
}

/** Changes the text that is encoded in a string member of a request, and encodes it again in the same way. */
export function changeEncoded(member: string, value: string, change: (text: string) => string): string {
  const found = DATA_MEMBERS.has(member) ? open(value) : undefined;
  if (!found) return value;
  const changed = change(found.text);
  return changed === found.text ? value : found.close(changed);
}

interface OpenedText {
  readonly text: string;
  readonly close: (text: string) => string;
}

function open(value: string): OpenedText | undefined {
  const [start, declared = ''] = DATA_URL.exec(value) ?? [];
  if (start === undefined)
    return BASE64.test(value) ? opened(Buffer.from(value, 'base64'), toBase64) : undefined;
  const rest = value.slice(start.length);
  if (/;\s*base64\s*$/i.test(declared))
    return opened(Buffer.from(percentDecoded(rest), 'base64'), (text) => start + toBase64(text));
  return opened(Buffer.from(percentDecoded(rest)), (text) => start + encodeURIComponent(text));
}

function opened(bytes: Uint8Array, close: (text: string) => string): OpenedText | undefined {
  const found = textOfBytes(bytes);
  return found && { text: found.text, close };
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Some clients do not escape the percent sign.
    return text.replaceAll(/%[\da-f]{2}/gi, (escape) =>
      String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
    );
  }
}
