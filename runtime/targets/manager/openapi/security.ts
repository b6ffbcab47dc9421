import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import {
  type ApiOperation,
  type SecurityAlternative,
  type SecurityScheme,
  UnusableOperation,
} from './plan.ts';
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
export const readSecurity = (security: unknown): readonly SecurityAlternative[] =>
  (Array.isArray(security) ? security : [])
    .filter(isObject)
    .map((schemes) =>
      Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, readScopes(scopes)])),
    );

/** A scope as OAuth defines it. @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const readScopes = (scopes: unknown): readonly string[] =>
  (Array.isArray(scopes) ? scopes : []).map(textOf).filter((scope) => SCOPE.test(scope));

/** The names of all schemes that can authorize an operation. */
export const schemesOf = ({ security }: Pick<ApiOperation, 'security'>): ReadonlySet<string> =>
  new Set(security.flatMap((alternative) => Object.keys(alternative)));

/** Credentials for the security schemes of an API. */
export interface ApiCredentials {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Configured values by the scheme's name. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether requests get an access token, so that OAuth schemes need no value. */
  readonly hasToken: boolean;
}

/** A scheme with its configured value; undefined if requests get an access token for it. */
interface UsedScheme {
  readonly scheme: SecurityScheme;
  readonly value: string | undefined;
  readonly scopes: readonly string[];
}

/** Returns the first combination of schemes for which there are all credentials; empty if there is none. */
export function usedSchemes(
  { security }: Pick<ApiOperation, 'security'>,
  { schemes, values, hasToken }: ApiCredentials,
): readonly UsedScheme[] {
  for (const alternative of security) {
    const names = Object.entries(alternative);
    const used = names.flatMap(([name, scopes]) => {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const isToken = hasToken && (scheme?.kind === 'oauth' || scheme?.kind === 'bearer');
      return scheme && (value !== undefined || isToken) ? [{ scheme, value, scopes }] : [];
    });
    if (used.length === names.length) return used;
  }
  return [];
}

/** Returns the scopes that an access token needs for an operation. */
export const scopesOf = (
  operation: Pick<ApiOperation, 'security'>,
  credentials: Omit<ApiCredentials, 'hasToken'>,
): readonly string[] =>
  usedSchemes(operation, { ...credentials, hasToken: true }).flatMap(({ scheme, value, scopes }) =>
    scheme.kind === 'oauth' && value === undefined ? scopes : [],
  );
