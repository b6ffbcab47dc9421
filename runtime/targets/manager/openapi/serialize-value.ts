import { lookup } from '#core/values/lookup.ts';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import type { ValueStyle } from './plan.ts';

/** The arguments of a call are invalid. The message is for the model, which can correct them. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments';
}

/** A name and a value, both encoded. */
export type Pair = readonly [name: string, value: string];

/** Returns the text of a value without structure. Objects and lists inside lists are written as JSON. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Percent-encodes everything except unreserved characters. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Reserved characters that do not end or split a path segment or a query parameter. */
const RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g;

const encoder =
  (allowReserved: boolean) =>
  (value: unknown): string => {
    const encoded = encodeText(plainText(value));
    return allowReserved ? encoded.replaceAll(RESERVED, (code) => decodeURIComponent(code)) : encoded;
  };

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const membersIn = (value: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(value).filter(([, member]) => isPresent(member));

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !isRawNumber(value);

/**
 * Writes a value for a path or a header, according to its style.
 * @see https://spec.openapis.org/oas/v3.1.1.html#style-values
 */
export function segmentText(
  name: string,
  value: unknown,
  { style, explode, allowReserved }: ValueStyle,
): string {
  const reserved = encoder(allowReserved);
  // A question mark would end the path, so that the value could set parameters of the query.
  const encode = (item: unknown): string => reserved(item).replaceAll('?', '%3F');
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const own = encodeText(name);
  if (Array.isArray(value)) {
    const items = value.filter(isPresent).map(encode);
    if (style === 'matrix')
      return explode ? items.map((item) => `;${own}=${item}`).join('') : `;${own}=${items.join(',')}`;
    return `${prefix}${items.join(style === 'label' && explode ? '.' : ',')}`;
  }
  if (isTable(value)) {
    const members = membersIn(value).map(([key, member]) => [encodeText(key), encode(member)] as const);
    const listed = explode
      ? members.map(([key, member]) => `${key}=${member}`)
      : members.flatMap(([key, member]) => [key, member]);
    if (style === 'matrix') return explode ? `;${listed.join(';')}` : `;${own}=${listed.join(',')}`;
    return `${prefix}${listed.join(style === 'label' && explode ? '.' : ',')}`;
  }
  return style === 'matrix' ? `;${own}=${encode(value)}` : `${prefix}${encode(value)}`;
}

/** Writes a header's value, which is not percent-encoded. */
export function headerText(value: unknown, explode: boolean): string {
  if (Array.isArray(value)) return value.filter(isPresent).map(plainText).join(',');
  if (!isTable(value)) return plainText(value);
  return membersIn(value)
    .flatMap(([key, member]) => (explode ? [`${key}=${plainText(member)}`] : [key, plainText(member)]))
    .join(',');
}

const DELIMITERS = lookup<string>({ spaceDelimited: '%20', pipeDelimited: '%7C' });

/** Writes a value as parameters of a query or a form. */
export function queryPairs(
  name: string,
  value: unknown,
  { style, explode, allowReserved }: ValueStyle,
): Pair[] {
  const encode = encoder(allowReserved);
  const own = encodeText(name);
  if (!Array.isArray(value) && !isTable(value)) return isPresent(value) ? [[own, encode(value)]] : [];
  if (style === 'deepObject') return deepPairs(own, value, encode, 0);
  const delimiter = DELIMITERS[style] ?? ',';
  if (Array.isArray(value)) {
    const items = value.filter(isPresent).map(encode);
    if (items.length === 0) return [];
    return explode ? items.map((item) => [own, item] as const) : [[own, items.join(delimiter)]];
  }
  const members = membersIn(value).map(([key, member]) => [encodeText(key), encode(member)] as const);
  if (members.length === 0) return [];
  return explode && style === 'form' ? members : [[own, members.flat().join(delimiter)]];
}

const MAX_DEPTH = 10;

/** `name[key]=value`, and for nested values, which OpenAPI does not define, `name[key][inner]` and `name[]`. */
function deepPairs(name: string, value: unknown, encode: (value: unknown) => string, depth: number): Pair[] {
  if (depth > MAX_DEPTH) throw new InvalidArguments('A value is nested too deeply for a query parameter.');
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => !Array.isArray(item) && !isTable(item));
    return value.flatMap((item, index) =>
      deepPairs(`${name}%5B${isPlain ? '' : index}%5D`, item, encode, depth + 1),
    );
  }
  if (!isTable(value)) return isPresent(value) ? [[name, encode(value)]] : [];
  return membersIn(value).flatMap(([key, member]) =>
    deepPairs(`${name}%5B${encodeText(key)}%5D`, member, encode, depth + 1),
  );
}
