import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import { type SecurityScheme, UnusableOperation } from './plan.ts';
import { type References, tableOf } from './references.ts';
import { textOf } from './text-limits.ts';

const PLACES = lookup<SecurityScheme['kind']>({ header: 'header', query: 'query', cookie: 'cookie' });
const HTTP = lookup<SecurityScheme['kind']>({ basic: 'basic', bearer: 'bearer' });

/** Reads the document's ways to authenticate. Invalid ones count as unsupported. */
export function readSchemes(
  schemes: unknown,
  references: References,
): Readonly<Record<string, SecurityScheme>> {
  return Object.fromEntries(
    Object.entries(tableOf(schemes)).map(([name, scheme]) => [name, readScheme(scheme, references)]),
  );
}

function readScheme(value: unknown, references: References): SecurityScheme {
  try {
    const { type, in: place, name, scheme } = references.follow(value, '', 'a security scheme').value;
    if (type === 'apiKey') return { kind: PLACES[textOf(place)] ?? 'unsupported', name: textOf(name) };
    if (type === 'http')
      return { kind: HTTP[textOf(scheme).toLowerCase()] ?? 'unsupported', name: 'authorization' };
    const isOAuth = type === 'oauth2' || type === 'openIdConnect';
    return { kind: isOAuth ? 'oauth' : 'unsupported', name: 'authorization' };
  } catch (error) {
    if (error instanceof UnusableOperation) return { kind: 'unsupported', name: '' };
    throw error;
  }
}

/** Returns the alternative combinations of schemes that authorize an operation. */
export const readSecurity = (security: unknown): readonly (readonly string[])[] =>
  (Array.isArray(security) ? security : []).filter(isObject).map((schemes) => Object.keys(schemes));
