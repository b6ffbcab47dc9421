/** The lines of a file in pieces, without their ends. Lines are copied only where they cross pieces. */
export function* linesIn(pieces: Iterable<Uint8Array>): Generator<Buffer, void> {
  let rest: Buffer[] = [];
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let from = 0;
    for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, from)) {
      const end = bytes.subarray(from, at);
      yield rest.length === 0 ? end : Buffer.concat([...rest, end]);
      rest = [];
      from = at + 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

const NEW_LINE = 0x0a;
