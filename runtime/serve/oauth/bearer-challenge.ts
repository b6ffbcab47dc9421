/** The `Bearer` or `DPoP` challenge in a `WWW-Authenticate` header. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export interface BearerChallenge {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  /** The scopes that the request requires, separated by spaces. */
  readonly scope?: string | undefined;
  /** URL of the protected-resource metadata. @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
  readonly resourceMetadata?: string | undefined;
  /** Whether tokens must be bound to a key. @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1 */
  readonly isDpop?: boolean | undefined;
}

const PARAMETERS = {
  error: 'error',
  error_description: 'errorDescription',
  scope: 'scope',
  resource_metadata: 'resourceMetadata',
} as const satisfies Record<string, Exclude<keyof BearerChallenge, 'isDpop'>>;

const SEPARATORS = /[\s,]*/y;
const PARAMETER = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
/** Matches a scheme, or an unnamed credential like the one after `Negotiate`. */
const WORD = /[^\s,]+/y;

/**
 * Returns the first `Bearer` or `DPoP` challenge among all challenges in a response; undefined if
 * there is none.
 */
export function parseBearerChallenge(
  header: string | readonly string[] | undefined,
): BearerChallenge | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  let at = 0;
  let found: Record<string, string> | undefined;
  let isOurs = false;
  let isDpop = false;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const result = pattern.exec(text);
    if (result) at = pattern.lastIndex;
    return result;
  };
  for (match(SEPARATORS); at < text.length; match(SEPARATORS)) {
    const parameter = match(PARAMETER);
    if (parameter) {
      const [, name = '', quoted, token] = parameter;
      const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? token ?? '';
      if (isOurs && found) found[name.toLowerCase()] ??= value;
      continue;
    }
    const scheme = match(WORD)?.[0].toLowerCase();
    // A second challenge would be ambiguous, so only the first challenge is used.
    isOurs = (scheme === 'bearer' || scheme === 'dpop') && found === undefined;
    if (!isOurs) continue;
    found = {};
    isDpop = scheme === 'dpop';
  }
  if (!found) return undefined;
  const values = found;
  const parameters = Object.entries(PARAMETERS).flatMap(([name, key]) =>
    values[name] === undefined ? [] : [[key, values[name]] as const],
  );
  return { ...Object.fromEntries(parameters), ...(isDpop && { isDpop }) };
}

/** Formats a `Bearer` challenge. Characters that a quoted string cannot contain are replaced. */
export function formatBearerChallenge(challenge: BearerChallenge): string {
  const parameters = Object.entries(PARAMETERS).flatMap(([name, key]) => {
    const value = challenge[key];
    return value === undefined ? [] : [`${name}="${value.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")}"`];
  });
  return ['Bearer', parameters.join(', ')].join(' ').trim();
}
