import { hideArgs, hideUrl } from '../config/hide-values.ts';
import type { Table } from '../config/table-reader.ts';

export interface Separated {
  readonly table: Table;
  /** What the secrets file says instead. */
  readonly secrets: { readonly args?: readonly string[]; readonly url?: string };
}

/** Takes out of a server what sounds like a secret: the file of servers is there to be shared. */
export function separateSecrets(table: Table): Separated {
  const { args, url } = table;
  const separatedArgs = isTexts(args) ? separateArgs(args) : undefined;
  const publicUrl = typeof url === 'string' && hideUrl(url) !== url ? withoutSecrets(url) : undefined;
  return {
    table: {
      ...table,
      ...(separatedArgs ? { args: separatedArgs[0] } : {}),
      ...(publicUrl === undefined ? {} : { url: publicUrl }),
    },
    secrets: {
      ...(separatedArgs ? { args: separatedArgs[1] } : {}),
      ...(publicUrl === undefined ? {} : { url: String(url) }),
    },
  };
}

/** Arguments of the secrets file follow those of the server, so all from the first secret on go there. */
function separateArgs(args: readonly string[]): readonly [string[], string[]] | undefined {
  const shown = hideArgs(args);
  const secret = args.findIndex((arg, index) => shown[index] !== arg);
  if (secret < 0) return undefined;
  const belongsToFlag = /^--?[^=]+$/.test(args[secret - 1] ?? '') && !args[secret]?.startsWith('-');
  const start = belongsToFlag ? secret - 1 : secret;
  return [args.slice(0, start), args.slice(start)];
}

const withoutSecrets = (url: string): string => url.replace(/\/\/[^/?#\s]*@/, '//').replace(/\?[^#]*/, '');

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
