/** A position in a text, from `start` up to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A value of a JSON text with its position. */
export type JsonNode = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonSpanMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'scalar'; readonly value: string | number | boolean | null }
  );

export interface JsonSpanMember extends Span {
  readonly name: string;
  readonly value: JsonNode;
}

export interface CommentedJson {
  readonly root: JsonNode;
  /** Position of the first comment or trailing comma, which JSON itself does not allow. */
  readonly extension: number | undefined;
}

/** Error: a text is not valid JSON, even if comments and trailing commas are allowed. */
export class JsonSyntaxError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.position = position;
  }
}

const MAX_DEPTH = 200;
const SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;
const SPACE = /[ \t\r\n]+|\/\/[^\n\r]*|\/\*[^]*?\*\//y;

/**
 * Parses JSON with comments and trailing commas, as in editor settings, and returns the position of
 * each value and name.
 */
export function parseCommentedJson(text: string): CommentedJson {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let extension: number | undefined;

  const fail = (expected: string): never => {
    const found = at >= text.length ? 'the end of the file' : JSON.stringify(text[at]);
    throw new JsonSyntaxError(`expected ${expected}, not ${found}`, at);
  };
  const skipSpace = (): void => {
    for (SPACE.lastIndex = at; SPACE.test(text); SPACE.lastIndex = at) {
      if (text[at] === '/') extension ??= at;
      at = SPACE.lastIndex;
    }
  };
  const take = (character: string): boolean => {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const scalar = (expected: string): JsonNode & { readonly kind: 'scalar' } => {
    SCALAR.lastIndex = at;
    const [source] = SCALAR.exec(text) ?? fail(expected);
    try {
      const value: string | number | boolean | null = JSON.parse(source);
      const start = at;
      at += source.length;
      return { kind: 'scalar', value, start, end: at };
    } catch {
      return fail(expected);
    }
  };
  /** Reads the items of an object or a list up to its closing bracket. */
  const list = <Part>(close: string, part: () => Part): Part[] => {
    const parts: Part[] = [];
    for (;;) {
      skipSpace();
      if (take(close)) return parts;
      parts.push(part());
      skipSpace();
      const comma = at;
      if (!take(',')) return take(close) ? parts : fail(`"," or "${close}"`);
      skipSpace();
      if (text[at] === close) extension ??= comma;
    }
  };
  const member = (depth: number) => (): JsonSpanMember => {
    const name = scalar('a quoted name');
    if (typeof name.value !== 'string') throw new JsonSyntaxError('expected a quoted name', name.start);
    skipSpace();
    if (!take(':')) fail('":"');
    const value = node(depth);
    return { name: name.value, value, start: name.start, end: value.end };
  };
  function node(depth: number): JsonNode {
    skipSpace();
    const start = at;
    if (depth > MAX_DEPTH) throw new JsonSyntaxError(`nested deeper than ${MAX_DEPTH} levels`, at);
    if (take('{')) return { kind: 'object', members: list('}', member(depth + 1)), start, end: at };
    if (take('[')) return { kind: 'array', items: list(']', () => node(depth + 1)), start, end: at };
    return scalar('a value');
  }

  const root = node(0);
  skipSpace();
  if (at < text.length) fail('the end of the file');
  return { root, extension };
}
