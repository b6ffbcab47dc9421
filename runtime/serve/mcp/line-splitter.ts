/** A line, or the fact that a line exceeded the limit. */
export type Line = { readonly text: string } | { readonly tooLong: true };

export interface LineSplitter {
  /** Returns the lines that end in this chunk. A line over the limit is reported once, as soon as it exceeds the limit. */
  push(chunk: Buffer): Line[];
  /** Returns the last line if the stream does not end with a line end. */
  end(): Line[];
}

const LINE_END = 0x0a;

export interface LineSplitterOptions {
  /** Whether a line over the limit is returned truncated when it ends, instead of being reported as too long. */
  readonly cut?: boolean | undefined;
}

/** Splits a byte stream into lines and never buffers more than `maxBytes`. */
export function createLineSplitter(
  maxBytes: number,
  { cut = false }: LineSplitterOptions = {},
): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let skipping = false;

  const keep = (part: Buffer): Line[] => {
    if (skipping) return [];
    parts.push(part.subarray(0, maxBytes - bytes));
    bytes += part.length;
    if (bytes <= maxBytes) return [];
    skipping = true;
    if (cut) return [];
    [parts, bytes] = [[], 0];
    return [{ tooLong: true }];
  };
  const finish = (): Line[] => {
    const line = { text: Buffer.concat(parts).toString('utf8') };
    const finished = skipping && !cut ? [] : [line];
    [parts, bytes, skipping] = [[], 0, false];
    return finished;
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
        // Most lines are short and arrive whole: they need no copy.
        if (parts.length === 0 && !skipping && end - from <= maxBytes)
          lines.push({ text: chunk.toString('utf8', from, end) });
        else lines.push(...keep(chunk.subarray(from, end)), ...finish());
        from = end + 1;
      }
      if (from < chunk.length) lines.push(...keep(chunk.subarray(from)));
      return lines;
    },
    end: () => (bytes === 0 ? [] : finish()),
  };
}
