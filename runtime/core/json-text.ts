/** As `JSON.parse` calls it; TypeScript's library does not have the third argument yet. */
export type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * `JSON.parse` that reads every name as it is written. That of V8 takes a name with escapes for another one that was read before,
 * perhaps out of somebody else's text (nodejs/node#63785); so names are spelled without escapes before they reach it.
 */
export function parseJsonText(text: string, revive?: Reviver): unknown {
  const escaped = namesWithEscapes(text);
  if (escaped.length === 0) return JSON.parse(text, revive as Parse);
  // What is no JSON is refused as it came.
  JSON.parse(text);
  const names = escaped.map(({ start, end }) => JSON.parse(text.slice(start, end)) as string);
  const standIns = standInsFor(names, text);
  let spelled = '';
  let from = 0;
  escaped.forEach(({ start, end }, index) => {
    const name = names[index] ?? '';
    spelled += `${text.slice(from, start)}"${standIns.get(name) ?? name}"`;
    from = end;
  });
  const value: unknown = JSON.parse(spelled + text.slice(from), revive as Parse);
  if (standIns.size > 0)
    renameMembers(value, new Map([...standIns].map(([name, standIn]) => [standIn, name])));
  return value;
}

type Parse = Parameters<typeof JSON.parse>[1];

interface Range {
  readonly start: number;
  readonly end: number;
}

const COLON = /[ \t\r\n]*:/y;
// oxlint-disable-next-line no-control-regex -- they are what has to be escaped.
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/;

/** Where they are, with their quotes. In a text that is no JSON it may be anywhere. */
function namesWithEscapes(text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf('\\'); at !== -1;) {
    const end = endOfString(text, at);
    if (end === undefined) return found;
    COLON.lastIndex = end;
    // It is the first of its string, which therefore began at the quote before it.
    if (COLON.test(text)) found.push({ start: text.lastIndexOf('"', at), end });
    at = text.indexOf('\\', end);
  }
  return found;
}

/** Behind the first quote without an escape of its own. */
function endOfString(text: string, from: number): number | undefined {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return undefined;
}

/** Names that are nowhere else, for those that cannot be written without escapes. */
function standInsFor(names: readonly string[], text: string): Map<string, string> {
  const unwritable = new Set(names.filter((name) => NEEDS_ESCAPES.test(name)));
  if (unwritable.size === 0) return new Map();
  // Whoever writes the text may have written any mark: the first is taken that is not there.
  const taken = new Set(
    [text, ...names].flatMap((one) => [...one.matchAll(MARK)].map(([, number]) => number)),
  );
  let free = 0;
  while (taken.has(String(free))) free += 1;
  return new Map([...unwritable].map((name, index) => [name, `\uE000${free}.${index}`]));
}

const MARK = /\uE000(\d+)/g;

/** Gives members their names back, each in its place. Goes as deep as the text, so it must not call itself. */
function renameMembers(value: unknown, names: ReadonlyMap<string, string>): void {
  const open = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== 'object' || item === null) continue;
    const entries = Object.entries(item);
    for (const [, child] of entries) if (typeof child === 'object' && child !== null) open.push(child);
    if (!entries.some(([name]) => names.has(name))) continue;
    for (const [name] of entries) delete (item as Record<string, unknown>)[name];
    for (const [name, child] of entries) {
      // Not an assignment, which would take `__proto__` for something else.
      Object.defineProperty(item, names.get(name) ?? name, {
        value: child,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    }
  }
}
