/** A line, or that there was one nobody will read. */
export type Line = { readonly text: string } | { readonly tooLong: true };

export interface LineSplitter {
  /** The lines that end in this piece of the stream. A line over the limit is told once, as soon as it is over. */
  push(chunk: Buffer): Line[];
  /** The last line, if the stream ended without a line end. */
  end(): Line[];
}

const LINE_END = 0x0a;

export interface LineSplitterOptions {
  /** Gives the beginning of a line over the limit, when it ends, instead of telling that there was one. */
  readonly cut?: boolean | undefined;
}

/** Cuts a byte stream at its line ends and never keeps more than `maxBytes` of it. */
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
        lines.push(...keep(chunk.subarray(from, end)), ...finish());
        from = end + 1;
      }
      return [...lines, ...keep(chunk.subarray(from))];
    },
    end: () => (bytes === 0 ? [] : finish()),
  };
}
