/** A JSON object of an MCP message: parameters, a result, or an item of a list. */
export type Params = Readonly<Record<string, unknown>>;

/**
 * Takes a value of a server to what MCP allows there: the same value if it is valid, or a copy with the repairs that are safe.
 * Undefined means that the value is to be left out. Throws a Malformed if the value cannot be repaired.
 */
export type Shape<Result = unknown> = (value: unknown) => Result;

/** A value that breaks the rules of MCP. The message names the place, the value and the rule. */
export class Malformed extends Error {
  readonly #path: string;
  readonly #problem: string;

  /** `path` is where the value is in what was checked, e.g. `content[0].text`; `problem` is what follows it in a sentence. */
  constructor(path: string, problem: string) {
    super(path === '' ? `it ${problem}` : `\`${path}\` ${problem}`);
    this.name = 'Malformed';
    this.#path = path;
    this.#problem = problem;
  }

  /** The same problem, seen from the object or list that has the value under this key. */
  within(key: string | number): Malformed {
    const own = typeof key === 'number' ? `[${key}]` : key;
    const joint = this.#path === '' || this.#path.startsWith('[') ? '' : '.';
    return new Malformed(own + joint + this.#path, this.#problem);
  }
}

/** Refuses the value of a member. */
export function refuseMember(key: string, value: unknown, rule: string): never {
  try {
    return refuse(value, rule);
  } catch (error) {
    throw error instanceof Malformed ? error.within(key) : error;
  }
}

const MAX_SHOWN = 60;

/** Refuses a value: `rule` says what it must be, e.g. `a string`. */
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
