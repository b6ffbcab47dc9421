/** A JSON object of an MCP message: parameters, a result, or an item of a list. */
export type Params = Readonly<Record<string, unknown>>;

/**
 * Checks a value of a server against MCP. Returns the same value if it is valid, a repaired copy if that is safe, or undefined
 * if the value has to be omitted. Throws Malformed if the value cannot be repaired.
 */
export type Shape<Result = unknown> = (value: unknown) => Result;

/** A value that violates MCP. The message contains the path, the value and the rule. */
export class Malformed extends Error {
  readonly #path: string;
  readonly #problem: string;

  /** `path` is the path of the value, for example `content[0].text`; `problem` completes the sentence that starts with it. */
  constructor(path: string, problem: string) {
    super(path === '' ? `it ${problem}` : `\`${path}\` ${problem}`);
    this.name = 'Malformed';
    this.#path = path;
    this.#problem = problem;
  }

  /** Returns the same problem with a path that starts at the object or list that contains the value under this key. */
  within(key: string | number): Malformed {
    const own = typeof key === 'number' ? `[${key}]` : key;
    const joint = this.#path === '' || this.#path.startsWith('[') ? '' : '.';
    return new Malformed(own + joint + this.#path, this.#problem);
  }
}

/** Throws Malformed for the value of a member. */
export function refuseMember(key: string, value: unknown, rule: string): never {
  try {
    return refuse(value, rule);
  } catch (error) {
    throw error instanceof Malformed ? error.within(key) : error;
  }
}

const MAX_SHOWN = 60;

/** Throws Malformed for a value; `rule` is the expected kind of value, for example `a string`. */
export function refuse(value: unknown, rule: string): never {
  throw new Malformed(
    '',
    value === undefined ? `is missing; it must be ${rule}` : `is ${shown(value)}; it must be ${rule}`,
  );
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
