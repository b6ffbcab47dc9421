/**
 * Yields the lines of a text that arrives in chunks, without line endings (LF or CRLF) and without
 * a byte order mark. Node's readline is not used, because it also splits lines at U+2028 and
 * U+2029, which JSON allows in strings.
 */
export async function* lines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  let first = true;
  const finish = (end: string): string => {
    const line = [...rest, end].join('').replace(/\r$/, '');
    rest = [];
    if (!first) return line;
    first = false;
    return line.replace(/^\uFEFF/, '');
  };
  for await (const piece of pieces) {
    // Searches only the new text: a line can be as long as the file, so searching all of it for
    // each chunk would take too long.
    const [end = '', ...more] = piece.split('\n');
    if (more.length === 0) {
      rest.push(end);
      continue;
    }
    yield finish(end);
    for (const line of more.slice(0, -1)) yield finish(line);
    rest = [more.at(-1) ?? ''];
  }
  if (rest.some((part) => part !== '')) yield finish('');
}
