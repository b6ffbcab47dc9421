export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  readonly text: string;
  /** The variables whose values are in the text now. */
  readonly used: readonly { readonly name: string; readonly value: string }[];
  readonly problems: readonly string[];
}

const PLACEHOLDER = /\$(?:\$|\{([^}]*)\}|(\{)|([A-Za-z_]\w*))/g;
const ESCAPE = 'Write $$ for a literal dollar sign.';

export interface ExpandOptions {
  /** Whether `$NAME` stands for a variable too; it does, unless said otherwise. */
  readonly bareNames?: boolean;
}

/**
 * Puts variables into a text: `$NAME`, `${NAME}`, `${NAME:-what stands for it}`; `$$` is a dollar sign. What is put in is not
 * looked at again.
 */
export function expand(text: string, env: Environment, { bareNames = true }: ExpandOptions = {}): Expansion {
  const used: { name: string; value: string }[] = [];
  const problems: string[] = [];
  const take = (name: string, fallback: string | undefined): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined && (value === undefined || value === '')) return fallback;
    if (value === undefined) {
      problems.push(`the variable ${name} is not set. Set it, or write \${${name}:-default}. ${ESCAPE}`);
      return '';
    }
    used.push({ name, value });
    return value;
  };
  const expanded = text.replaceAll(
    PLACEHOLDER,
    (found: string, braced: string | undefined, open: string | undefined, bare: string | undefined) => {
      if (bare !== undefined) return bareNames ? take(bare, undefined) : found;
      if (open !== undefined) {
        problems.push(`\${ is not closed with }. ${ESCAPE}`);
        return '';
      }
      if (braced === undefined) return '$';
      const [, name, fallback] = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(braced) ?? [];
      if (name !== undefined) return take(name, fallback);
      problems.push(
        `${JSON.stringify(found)} is not a variable reference. Write \${NAME} or \${NAME:-default}. ${ESCAPE}`,
      );
      return '';
    },
  );
  return { text: expanded, used, problems };
}

/** A text that `expand` gives back as it is. */
export const escapeDollars = (text: string): string => text.replaceAll('$', '$$$$');
