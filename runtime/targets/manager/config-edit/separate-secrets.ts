import { maskArgs, maskUrl } from '../config/mask-values.ts';
import type { Table } from '../config/table-reader.ts';

export interface Separated {
  readonly table: Table;
  /** The values for the secrets file. */
  readonly secrets: { readonly args?: readonly string[]; readonly url?: string };
}

/** Separates values that look like secrets from a server, because the servers file is meant to be shared. */
export function separateSecrets(table: Table): Separated {
  const { args, url } = table;
  const separatedArgs = isTexts(args) ? separateArgs(args) : undefined;
  const publicUrl = typeof url === 'string' && maskUrl(url) !== url ? withoutSecrets(url) : undefined;
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

/** Splits the arguments before the first secret: those of the secrets file are appended, so the order stays the same. */
function separateArgs(args: readonly string[]): readonly [string[], string[]] | undefined {
  const masked = maskArgs(args);
  const secret = args.findIndex((arg, index) => masked[index] !== arg);
  if (secret < 0) return undefined;
  const belongsToFlag = /^--?[^=]+$/.test(args[secret - 1] ?? '') && !args[secret]?.startsWith('-');
  const start = belongsToFlag ? secret - 1 : secret;
  return [args.slice(0, start), args.slice(start)];
}

const withoutSecrets = (url: string): string => url.replace(/\/\/[^/?#\s]*@/, '//').replace(/\?[^#]*/, '');

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
