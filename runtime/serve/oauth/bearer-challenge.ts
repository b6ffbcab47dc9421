/** The `Bearer` challenge in a `WWW-Authenticate` header. @see https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export interface BearerChallenge {
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  /** The scopes that the request requires, separated by spaces. */
  readonly scope?: string | undefined;
  /** URL of the protected-resource metadata. @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
  readonly resourceMetadata?: string | undefined;
}

const PARAMETERS = {
  error: 'error',
  error_description: 'errorDescription',
  scope: 'scope',
  resource_metadata: 'resourceMetadata',
} as const satisfies Record<string, keyof BearerChallenge>;

const SEPARATORS = /[\s,]*/y;
const PARAMETER = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
/** A scheme, or a credential without a name, such as that of `Negotiate`. */
const WORD = /[^\s,]+/y;

/** Reads the `Bearer` challenge among all challenges of a response; undefined if there is none. */
export function parseBearerChallenge(
  header: string | readonly string[] | undefined,
): BearerChallenge | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  let at = 0;
  let found: Record<string, string> | undefined;
  let isBearer = false;
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
      if (isBearer && found) found[name.toLowerCase()] ??= value;
      continue;
    }
    const word = match(WORD)?.[0] ?? '';
    // A second Bearer challenge would be ambiguous; the first one counts.
    isBearer = word.toLowerCase() === 'bearer' && found === undefined;
    if (isBearer) found = {};
  }
  if (!found) return undefined;
  const values = found;
  return Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([name, key]) =>
      values[name] === undefined ? [] : [[key, values[name]]],
    ),
  );
}

/** Writes a `Bearer` challenge. Characters that a quoted text cannot contain are replaced. */
export function formatBearerChallenge(challenge: BearerChallenge): string {
  const parameters = Object.entries(PARAMETERS).flatMap(([name, key]) => {
    const value = challenge[key];
    return value === undefined ? [] : [`${name}="${value.replaceAll(/[^\x20-\x7e]|["\\]/g, "'")}"`];
  });
  return ['Bearer', parameters.join(', ')].join(' ').trim();
}
