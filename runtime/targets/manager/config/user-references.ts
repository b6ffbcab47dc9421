/** A value of the user for whom a server is started, in `env`, `args` or `headers`. */
export type UserReference =
  | { readonly kind: 'id' }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'claim'; readonly name: string };

/** The settings that can contain references. */
const SETTINGS: ReadonlySet<string | number> = new Set(['env', 'args', 'headers']);

/**
 * Resolved values mark a reference with this character on both sides. No value contains it otherwise, because the
 * files are checked for it and environment variables cannot contain it.
 */
const MARK = '\0';

const SECRET_NAME = /^[A-Za-z_][\w-]{0,63}$/;
/** Claims can be URLs. */
const CLAIM_NAME = /^[\w:./@-]{1,200}$/;

/** Whether a user can have a secret with this name. */
export const isSecretReference = (name: string): boolean => SECRET_NAME.test(name);

export const SECRET_NAME_RULE =
  'letters, digits, "_" and "-", at most 64, and start with a letter or "_", e.g. GITHUB_TOKEN';

interface MarkedText {
  readonly text: string;
  readonly problems: readonly string[];
}

/**
 * Marks the references in a written value, before its variables are expanded, so that the value of a variable never
 * becomes a reference. `$$` is left to the expansion.
 */
export function markReferences(written: string, setting: string | number | undefined): MarkedText {
  if (!written.includes('${user.')) return { text: written, problems: [] };
  const problems: string[] = [];
  const text = written.replaceAll(/\$\$|\$\{user\.([^}]{0,300})\}/g, (found, name?: string) => {
    if (name === undefined) return found;
    if (setting === undefined || !SETTINGS.has(setting)) {
      problems.push(
        `${found} can only be used in env, args and headers. Write $$ for a literal dollar sign.`,
      );
      return '';
    }
    if (parseReference(name)) return `${MARK}${name}${MARK}`;
    problems.push(
      `unknown value ${found}. Use \${user.id}, \${user.secret.NAME} or \${user.claim.NAME}; the NAME of a secret must consist of ${SECRET_NAME_RULE}.`,
    );
    return '';
  });
  return { text, problems };
}

function parseReference(text: string): UserReference | undefined {
  if (text === 'id') return { kind: 'id' };
  const [, kind, name = ''] = /^(secret|claim)\.([^]*)$/.exec(text) ?? [];
  if (kind === 'secret' && SECRET_NAME.test(name)) return { kind, name };
  if (kind === 'claim' && CLAIM_NAME.test(name)) return { kind, name };
  return undefined;
}

/** Whether a resolved value contains references. */
export const hasReferences = (text: string): boolean => text.includes(MARK);

/** Returns the different references in resolved values. */
export function referencesIn(texts: readonly string[]): readonly UserReference[] {
  const found = new Map<string, UserReference>();
  for (const text of texts) {
    if (hasReferences(text)) replaceReferences(text, (one) => (found.set(keyOf(one), one), ''));
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}

/** Replaces the references in a resolved value. */
export function replaceReferences(text: string, valueOf: (reference: UserReference) => string): string {
  return text
    .split(MARK)
    .map((part, index) => {
      const reference = index % 2 === 1 ? parseReference(part) : undefined;
      return reference ? valueOf(reference) : part;
    })
    .join('');
}

/** Replaces the references as they are written in the configuration. */
export const showReferences = (text: string): string => replaceReferences(text, writtenReference);

export const writtenReference = (reference: UserReference): string => `\${user.${keyOf(reference)}}`;

const keyOf = (reference: UserReference): string =>
  reference.kind === 'id' ? 'id' : `${reference.kind}.${reference.name}`;
