import { pushAll } from '#core/values/push-all.ts';
/** A line, or a marker for a line that exceeded the limit. */
export type Line = { readonly text: string } | { readonly tooLong: true };

export interface LineSplitter<Item = Line> {
  /**
   * Returns the lines that end in this chunk. A line that exceeds the limit is reported once, as
   * soon as it does.
   */
  push(chunk: Buffer): Item[];
  /** Returns the last line if the stream does not end with a line break. */
  end(): Item[];
}

/** Collects the parts of a line that arrives in several chunks. */
export interface OpenLine<Item = Line> {
  /** Whether parts were added since the last line break. */
  isOpen(): boolean;
  add(part: Buffer): Item[];
  /** Ends the line and returns it. */
  finish(): Item[];
}

const LINE_END = 0x0a;

export interface LineSplitterOptions {
  /**
   * Whether a line that exceeds the limit is truncated and returned when it ends, instead of being
   * reported as too long.
   */
  readonly cut?: boolean | undefined;
}

/** Splits a byte stream into lines. Never buffers more than `maxBytes`. */
export const createLineSplitter = (
  maxBytes: number,
  { cut = false }: LineSplitterOptions = {},
): LineSplitter => splitLines(cappedLine(maxBytes, cut), maxBytes);

/**
 * Splits a byte stream into lines, with a custom buffer for lines that arrive in parts or exceed
 * `maxBytes`.
 */
export function splitLines<Item>(
  open: OpenLine<Item>,
  maxBytes: number,
): LineSplitter<Item | { readonly text: string }> {
  return {
    push(chunk) {
      const lines: (Item | { readonly text: string })[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
        // Most lines are short and arrive in one chunk, so they do not have to be copied.
        if (!open.isOpen() && end - from <= maxBytes) lines.push({ text: chunk.toString('utf8', from, end) });
        else pushAll(lines, [...open.add(chunk.subarray(from, end)), ...open.finish()]);
        from = end + 1;
      }
      if (from < chunk.length) pushAll(lines, open.add(chunk.subarray(from)));
      return lines;
    },
    end: () => (open.isOpen() ? open.finish() : []),
  };
}

function cappedLine(maxBytes: number, cut: boolean): OpenLine {
  let parts: Buffer[] = [];
  let bytes = 0;
  let skipping = false;
  return {
    isOpen: () => bytes > 0 || skipping,
    add(part) {
      if (skipping) return [];
      parts.push(part.subarray(0, maxBytes - bytes));
      bytes += part.length;
      if (bytes <= maxBytes) return [];
      skipping = true;
      if (cut) return [];
      [parts, bytes] = [[], 0];
      return [{ tooLong: true }];
    },
    finish() {
      const line = { text: Buffer.concat(parts).toString('utf8') };
      const finished = skipping && !cut ? [] : [line];
      [parts, bytes, skipping] = [[], 0, false];
      return finished;
    },
  };
}
