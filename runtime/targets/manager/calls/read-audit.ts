import { open } from 'node:fs/promises';
import { parseJsonText } from '#core/json/json-text.ts';
import { isObject } from '#core/json/is-object.ts';
import { errorCode } from '#core/values/error-code.ts';

/** One line of the audit log. */
export type AuditEntry = Readonly<Record<string, unknown>>;

export interface AuditQuery {
  readonly limit: number;
  /** Position in the file before which entries are read; undefined for the newest. */
  readonly before?: number | undefined;
  readonly matches: (entry: AuditEntry) => boolean;
}

export interface AuditPage {
  /** The newest first. */
  readonly entries: readonly AuditEntry[];
  /** Position of older entries; undefined if there are none. */
  readonly next: number | undefined;
}

const CHUNK_BYTES = 65_536;
/** Maximum part of the file that is read for one page. A rare entry in a large file can need several pages. */
const MAX_BYTES = 16 * 1_048_576;
const LINE_BREAK = 0x0a;

/** Reads the entries of an audit log from its end. A missing file has none. */
export async function readAudit(path: string, { limit, before, matches }: AuditQuery): Promise<AuditPage> {
  const file = await open(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { entries: [], next: undefined };
  try {
    const { size } = await file.stat();
    // After a rotation, the file is shorter than the position in the previous one.
    const start = before === undefined || before > size ? size : before;
    const entries: AuditEntry[] = [];
    let position = start;
    /** The beginning of this text is in the previous chunk. */
    let rest: Buffer = Buffer.alloc(0);
    while (position > 0 && start - position < MAX_BYTES) {
      const length = Math.min(CHUNK_BYTES, position);
      const chunk = Buffer.alloc(length);
      await file.read(chunk, 0, length, position - length);
      position -= length;
      const text = Buffer.concat([chunk, rest]);
      const lines = linesOf(text);
      // The first line can begin before this chunk.
      const partial = position > 0 ? lines.shift() : undefined;
      rest = text.subarray(0, partial?.end ?? 0);
      for (const { start: at, end } of lines.toReversed()) {
        const entry = entryOf(text.subarray(at, end));
        if (!entry || !matches(entry)) continue;
        entries.push(entry);
        if (entries.length < limit) continue;
        const next = position + at;
        return { entries, next: next > 0 ? next : undefined };
      }
    }
    return { entries, next: position > 0 ? position + rest.length : undefined };
  } finally {
    await file.close();
  }
}

/** Returns where the lines of a text begin and end. */
function linesOf(text: Buffer): { readonly start: number; readonly end: number }[] {
  const lines = [];
  let start = 0;
  for (let end = text.indexOf(LINE_BREAK); end !== -1; end = text.indexOf(LINE_BREAK, start)) {
    lines.push({ start, end });
    start = end + 1;
  }
  return [...lines, { start, end: text.length }];
}

/** A line that is still being written, or was written in part, is not an entry. */
function entryOf(line: Buffer): AuditEntry | undefined {
  if (line.length === 0) return undefined;
  try {
    const value = parseJsonText(line.toString());
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
