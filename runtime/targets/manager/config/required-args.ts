import type { RequiredValues } from './server-entry.ts';

/** Returns the names of required arguments that are missing. */
export function missingArgs(
  args: readonly string[],
  { positional, valued, flags }: RequiredValues,
): string[] {
  const found = readArgs(args, new Set(valued));
  return [
    ...valued.filter((name) => !found.values.get(name)),
    ...flags.filter((name) => !found.flags.has(name)),
    ...positional.slice(found.positional.length),
  ];
}

interface ReadArgs {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly positional: readonly string[];
}

/**
 * Groups arguments by kind. A flag only takes the next argument as its value if it is in `valued`; no other
 * rule is safe.
 */
export function readArgs(args: readonly string[], valued: ReadonlySet<string>): ReadArgs {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  const positional: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [, name = arg, inline] = /^(--?[^=]+)=([^]*)$/.exec(arg) ?? [];
    if (!arg.startsWith('-')) positional.push(arg);
    else if (inline !== undefined) values.set(name, inline);
    else if (valued.has(name) && at + 1 < args.length) {
      at += 1;
      values.set(name, args[at] ?? '');
    } else flags.add(name);
  }
  return { values, flags, positional };
}
