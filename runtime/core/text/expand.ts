export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  readonly text: string;
  /** Variables whose values were substituted. */
  readonly used: readonly { readonly name: string; readonly value: string }[];
  readonly problems: readonly string[];
}

/**
 * Where `$$` means a literal dollar sign: everywhere, or only before a brace, so that other dollar
 * signs in paths are kept.
 */
const ESCAPES = {
  dollar: {
    placeholder: /\$(?:\$|\{([^}]{0,2000})\}|(\{)|([A-Za-z_]\w*))/g,
    hint: 'Write $$ for a literal dollar sign.',
  },
  brace: {
    placeholder: /\$(?:\$(?=\{)|\{([^}]{0,2000})\}|(\{)|([A-Za-z_]\w*))/g,
    hint: 'Write $${ for a literal ${.',
  },
} as const;

export interface ExpandOptions {
  /** Whether `$NAME` without braces is a variable. Default: true. */
  readonly bareNames?: boolean;
  /** Where `$$` means a literal dollar sign. Default: `dollar`. */
  readonly escape?: keyof typeof ESCAPES;
}

/**
 * Substitutes variables in the configuration files of all programs: `$NAME`, `${NAME}`,
 * `${NAME:-default}`; `$$` is a literal dollar sign. Substituted values are not expanded again.
 */
export function expand(
  text: string,
  env: Environment,
  { bareNames = true, escape = 'dollar' }: ExpandOptions = {},
): Expansion {
  const { placeholder, hint } = ESCAPES[escape];
  const used: { name: string; value: string }[] = [];
  const problems: string[] = [];
  const take = (name: string, fallback: string | undefined): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined && (value === undefined || value === '')) return fallback;
    if (value === undefined) {
      problems.push(`the variable ${name} is not set. Set it, or write \${${name}:-default}. ${hint}`);
      return '';
    }
    used.push({ name, value });
    return value;
  };
  const expanded = text.replaceAll(
    placeholder,
    (found: string, braced: string | undefined, open: string | undefined, bare: string | undefined) => {
      if (bare !== undefined) return bareNames ? take(bare, undefined) : found;
      if (open !== undefined) {
        problems.push(`\${ is not closed with }. ${hint}`);
        return '';
      }
      if (braced === undefined) return '$';
      const [, name, fallback] = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(braced) ?? [];
      if (name !== undefined) return take(name, fallback);
      problems.push(
        `${JSON.stringify(found)} is not a variable reference. Write \${NAME} or \${NAME:-default}. ${hint}`,
      );
      return '';
    },
  );
  return { text: expanded, used, problems };
}

/** Escapes a text so that expanding the result returns the original text. */
export const escapeDollars = (text: string): string => text.replaceAll('$', '$$$$');
