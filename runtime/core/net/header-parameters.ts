/**
 * Parameters in a header value by lower-case name, and the position after them: that of a comma, or
 * the end.
 */
export interface HeaderParameters {
  readonly parameters: ReadonlyMap<string, string>;
  readonly end: number;
}

/**
 * Reads parameters such as `; name=value; name="quoted \" value"` from a position on, in one pass.
 * If a name is repeated, the first value is used.
 * https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6
 */
export function headerParameters(header: string, from = 0): HeaderParameters {
  const parameters = new Map<string, string>();
  let at = from;
  while (at < header.length && header[at] !== ',') {
    if (header[at] !== ';') {
      at += 1;
      continue;
    }
    const nameStart = at + 1;
    at = endOf(header, nameStart, ';,=');
    if (header[at] !== '=') continue;
    const name = header.slice(nameStart, at).trim().toLowerCase();
    const { value, end } = header[at + 1] === '"' ? quoted(header, at + 2) : plain(header, at + 1);
    if (!parameters.has(name)) parameters.set(name, value);
    at = end;
  }
  return { parameters, end: at };
}

interface Value {
  readonly value: string;
  readonly end: number;
}

function plain(header: string, start: number): Value {
  const end = endOf(header, start, ';,');
  return { value: header.slice(start, end).trim(), end };
}

function quoted(header: string, start: number): Value {
  const characters: string[] = [];
  let at = start;
  for (; at < header.length && header[at] !== '"'; at += 1) {
    if (header[at] === '\\') at += 1;
    characters.push(header.charAt(at));
  }
  return { value: characters.join(''), end: Math.min(header.length, at + 1) };
}

/** Returns the position of the first of these characters, or the end of the text. */
function endOf(header: string, start: number, marks: string): number {
  let at = start;
  while (at < header.length && !marks.includes(header.charAt(at))) at += 1;
  return at;
}
