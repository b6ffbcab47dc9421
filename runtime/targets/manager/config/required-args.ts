import type { RequiredValues } from './server-entry.ts';

/** The arguments a server demands and does not have, each as whoever has to give it knows it. */
export function missingArgs(
  args: readonly string[],
  { positional, valued, flags }: RequiredValues,
): string[] {
  const given = readArgs(args, new Set(valued));
  return [
    ...valued.filter((name) => !given.values.get(name)),
    ...flags.filter((name) => !given.flags.has(name)),
    ...positional.slice(given.positional.length),
  ];
}

interface ReadArgs {
  readonly values: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly positional: readonly string[];
}

/** A flag takes the argument after it only if it is known to have a value: nothing else tells. */
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
