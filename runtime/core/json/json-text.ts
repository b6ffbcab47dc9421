/** Reviver for `JSON.parse`. TypeScript's library does not declare the third argument yet. */
export type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * `JSON.parse` with correct member names. V8 can confuse an escaped name with another name that it
 * parsed before, possibly in another text (nodejs/node#63785), so names are first rewritten without
 * escapes.
 */
export function parseJsonText(text: string, revive?: Reviver): unknown {
  const escaped = namesWithEscapes(text);
  if (escaped.length === 0) return JSON.parse(text, revive as Parse);
  // If the text is invalid, parses the original text, so that the error refers to it.
  JSON.parse(text);
  const names = escaped.map(({ start, end }): string => JSON.parse(text.slice(start, end)));
  const standIns = standInsFor(names, text);
  let spelled = '';
  let from = 0;
  escaped.forEach(({ start, end }, index) => {
    const name = names[index] ?? '';
    spelled += `${text.slice(from, start)}"${standIns.get(name) ?? name}"`;
    from = end;
  });
  const value: unknown = JSON.parse(spelled + text.slice(from), revive as Parse);
  if (standIns.size === 0) return value;
  return renameMembers(value, new Map([...standIns].map(([name, standIn]) => [standIn, name])));
}

type Parse = Parameters<typeof JSON.parse>[1];

interface Range {
  readonly start: number;
  readonly end: number;
}

const COLON = /[ \t\r\n]*:/y;
// oxlint-disable-next-line no-control-regex -- they are what must be escaped.
const NEEDS_ESCAPES = /["\\\u0000-\u001f]/;

/**
 * Finds the member names that contain escapes; the positions include the quotes. For invalid JSON,
 * the positions are meaningless.
 */
function namesWithEscapes(text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf('\\'); at !== -1;) {
    const end = endOfString(text, at);
    if (end === undefined) return found;
    COLON.lastIndex = end;
    // This is the first escape of its string, so the string starts at the preceding quote.
    if (COLON.test(text)) found.push({ start: text.lastIndexOf('"', at), end });
    at = text.indexOf('\\', end);
  }
  return found;
}

/** Returns the position after the first unescaped quote. */
function endOfString(text: string, from: number): number | undefined {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (text[escapes - 1] === '\\') escapes -= 1;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  return undefined;
}

/** Creates unique placeholders for names that cannot be written without escapes. */
function standInsFor(names: readonly string[], text: string): Map<string, string> {
  const unwritable = new Set(names.filter((name) => NEEDS_ESCAPES.test(name)));
  if (unwritable.size === 0) return new Map();
  // Chooses a marker that the text does not contain.
  const taken = new Set(
    [text, ...names].flatMap((one) => [...one.matchAll(MARK)].map(([, number]) => number)),
  );
  let free = 0;
  while (taken.has(String(free))) free += 1;
  return new Map([...unwritable].map((name, index) => [name, `\uE000${free}.${index}`]));
}

const MARK = /\uE000(\d+)/g;

/**
 * Replaces the placeholders with the original names. Not recursive, because values can be nested
 * very deeply.
 */
function renameMembers(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const whole: Members = { root };
  const open = [whole];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    for (const key of Object.keys(item)) {
      const child = item[key];
      if (!hasMembers(child)) continue;
      const renamed = withNames(child, names);
      open.push(renamed);
      // An assignment would treat `__proto__` specially.
      if (renamed !== child) Object.defineProperty(item, key, { value: renamed });
    }
  }
  return whole.root;
}

type Members = Record<string, unknown>;
const hasMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/**
 * Returns the object itself, or a copy in which the original names replace the placeholders. Using
 * a copy is faster than deleting members of an object.
 */
function withNames(item: Members, names: ReadonlyMap<string, string>): Members {
  if (Array.isArray(item) || !Object.keys(item).some((name) => names.has(name))) return item;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [names.get(name) ?? name, value]));
}
