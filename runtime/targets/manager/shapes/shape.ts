import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';

/** A JSON object in an MCP message: parameters, a result, or a list item. */
export type ShapeOfParams = Readonly<Record<string, unknown>>;

/**
 * Validates a server's value against MCP. Returns the same value if it is valid, a repaired copy if that is
 * safe, or undefined if the value must be omitted. Throws Malformed if it cannot be repaired.
 */
export type Shape<Result = unknown> = (value: unknown) => Result;

/** A value that violates MCP. The message contains the path, the value and the rule. */
export class Malformed extends Error {
  readonly #path: string;
  readonly #problem: string;

  /**
   * `path` is the value's path, for example `content[0].text`; `problem` is the rest of a sentence that
   * starts with it.
   */
  constructor(path: string, problem: string) {
    super(path === '' ? `it ${problem}` : `\`${path}\` ${problem}`);
    this.name = 'Malformed';
    this.#path = path;
    this.#problem = problem;
  }

  /** Returns the same problem with a path that starts at the object or list containing the value under this key. */
  within(key: string | number): Malformed {
    const own = typeof key === 'number' ? `[${key}]` : key;
    const joint = this.#path === '' || this.#path.startsWith('[') ? '' : '.';
    return new Malformed(own + joint + this.#path, this.#problem);
  }
}

/** Throws Malformed for the value of a field. */
export function refuseMember(key: string, value: unknown, rule: string): never {
  try {
    return rejectShape(value, rule);
  } catch (error) {
    throw error instanceof Malformed ? error.within(key) : error;
  }
}

const MAX_SHOWN = 60;

/** Throws Malformed for a value; `rule` describes the expected value, for example `a string`. */
export function rejectShape(value: unknown, rule: string): never {
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

type Shapes = Readonly<Record<string, Shape>>;
type ShapedBy<Own extends Shapes> = ShapeOfParams & { readonly [Name in keyof Own]: ReturnType<Own[Name]> };

/** An object with these fields. Other fields are passed through unchanged. */
export function objectOf<Own extends Shapes>(shapes: Own): Shape<ShapedBy<Own>> {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isRecord(value)) return rejectShape(value, 'an object');
    let repaired: Record<string, unknown> | undefined;
    for (const [key, shape] of entries) {
      const received = value[key];
      const valid = checked(shape, received, key);
      if (valid === received && (valid !== undefined || !(key in value))) continue;
      repaired ??= { ...value };
      if (valid === undefined) delete repaired[key];
      else repaired[key] = valid;
    }
    return (repaired ?? value) as ShapedBy<Own>;
  };
}

/** A list whose items have this shape. */
export const listOf =
  <Item>(shape: Shape<Item>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return rejectShape(value, 'a list');
    let repaired: Item[] | undefined;
    for (let at = 0; at < value.length; at += 1) {
      const valid = checked(shape, value[at], at);
      if (valid === value[at]) continue;
      repaired ??= [...value];
      repaired[at] = valid;
    }
    return repaired ?? value;
  };

/** A list from which invalid items are removed. Only for items that clients can do without. */
export const listOfValid =
  <Item>(shape: Shape<Item | undefined>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return rejectShape(value, 'a list');
    return value.map(hint(shape)).filter((item) => item !== undefined);
  };

/** An optional member. Null counts as missing, because many languages emit it for a member without a value. */
export const optionalShape =
  <Result>(shape: Shape<Result>): Shape<Result | undefined> =>
  (value) =>
    value === undefined || value === null ? undefined : shape(value);

/** An optional member that clients can do without: it is also removed if invalid. */
export const hint =
  <Result>(shape: Shape<Result>): Shape<Result | undefined> =>
  (value) => {
    if (value === undefined || value === null) return undefined;
    try {
      return shape(value);
    } catch (error) {
      if (error instanceof Malformed) return undefined;
      throw error;
    }
  };

function checked<Result>(shape: Shape<Result>, value: unknown, key: string | number): Result {
  try {
    return shape(value);
  } catch (error) {
    throw error instanceof Malformed ? error.within(key) : error;
  }
}

export const textShape: Shape<string> = (value) =>
  typeof value === 'string' ? value : rejectShape(value, 'a string');

export const filledText: Shape<string> = (value) =>
  typeof value === 'string' && value !== '' ? value : rejectShape(value, 'a non-empty string');

export const flagShape: Shape<boolean> = (value) =>
  typeof value === 'boolean' ? value : rejectShape(value, 'true or false');

/** A number, which passes through unchanged even if a double cannot represent it. */
export const numberShape: Shape = (value) =>
  Number.isFinite(numberOf(value)) ? value : rejectShape(value, 'a number');

export const wholeNumberShape: Shape = (value) =>
  Number.isSafeInteger(numberOf(value)) ? value : rejectShape(value, 'a whole number');

const numberFrom =
  (min: number, max: number): Shape =>
  (value) => {
    const number = numberOf(value);
    return number >= min && number <= max ? value : rejectShape(value, `a number from ${min} to ${max}`);
  };

/** Any JSON object. */
export const record: Shape<Readonly<Record<string, unknown>>> = (value) =>
  isRecord(value) ? value : rejectShape(value, 'an object');

/** Whether a value is a JSON object. Long numbers are JavaScript objects but not JSON objects. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !isRawNumber(value);

export const oneOfShape =
  (...words: readonly string[]): Shape =>
  (value) =>
    words.some((word) => word === value)
      ? value
      : rejectShape(value, words.map((word) => JSON.stringify(word)).join(' or '));

/**
 * Base64 as clients decode it: ignores whitespace, padding is optional.
 * https://infra.spec.whatwg.org/#forgiving-base64
 */
export const base64: Shape<string> = (value) =>
  typeof value === 'string' && isBase64(value) ? value : rejectShape(value, 'a string of base64');

function isBase64(value: string): boolean {
  const dense = value.replaceAll(/[\t\n\f\r ]+/g, '');
  const digits = dense.length % 4 === 0 ? dense.replace(/={1,2}$/, '') : dense;
  return digits.length % 4 !== 1 && !/[^A-Za-z\d+/]/.test(digits);
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const dateTime: Shape = (value) => {
  const day = DATE_TIME.exec(typeof value === 'string' ? value : '')?.[1];
  const midnight = new Date(`${day}T00:00:00Z`);
  // JavaScript converts February 30 to a day in March, so the result is compared with the text.
  const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day ?? '');
  return isDay ? value : rejectShape(value, 'an ISO 8601 time with a time zone');
};

const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : Number.NaN;

export const role: Shape = oneOfShape('user', 'assistant');

export const annotations: Shape = objectOf({
  audience: hint(listOf(role)),
  priority: hint(numberFrom(0, 1)),
  lastModified: hint(dateTime),
});

/** Maximum length of an icon that is contained in its URI. */
const MAX_ICON_CHARACTERS = 65_536;
/** Maximum number of icons of an item, for different sizes and themes. */
const MAX_ICONS = 16;

/** URIs that clients can load as images: other schemes could run code or read files. */
const iconUri: Shape<string> = (value) => {
  const uri = textShape(value);
  if (/^data:image\/[\w.+-]+[;,]/i.test(uri) && uri.length <= MAX_ICON_CHARACTERS) return uri;
  if (isWebUrl(uri)) return uri;
  return rejectShape(uri.slice(0, MAX_SHOWN), 'an http, https or data URI of an image');
};
const MAX_URI_CHARACTERS = 8192;

const isWebUrl = (uri: string): boolean =>
  uri.length <= MAX_URI_CHARACTERS && ['https:', 'http:'].includes(URL.parse(uri)?.protocol ?? '');

const webUrl: Shape<string> = (value) => {
  const uri = textShape(value);
  return isWebUrl(uri) ? uri : rejectShape(uri.slice(0, MAX_SHOWN), 'an http or https URL');
};

const icon = objectOf({
  src: iconUri,
  mimeType: hint(textShape),
  sizes: hint(listOf(textShape)),
  theme: hint(oneOfShape('light', 'dark')),
});

const icons: Shape<readonly unknown[]> = (value) => {
  const valid = listOfValid(icon)(value);
  return valid.length > MAX_ICONS ? valid.slice(0, MAX_ICONS) : valid;
};

/** What clients can show about a server, in addition to its name, title and version. */
const serverInfo = objectOf({ description: hint(textShape), icons: hint(icons), websiteUrl: hint(webUrl) });

/** Returns what clients can show about a server; undefined if the server does not provide anything. */
export function shownServerInfo(value: ShapeOfParams): ShapeOfParams | undefined {
  const { description, icons: shownIcons, websiteUrl } = serverInfo(value);
  const entries = Object.entries({ description, icons: shownIcons, websiteUrl });
  const provided = entries.filter(([, member]) => member !== undefined);
  return provided.length === 0 ? undefined : Object.fromEntries(provided);
}

/** Optional fields of all list items. */
export const LISTED_HINTS = {
  title: hint(textShape),
  description: hint(textShape),
  icons: hint(icons),
  _meta: hint(record),
} as const;
