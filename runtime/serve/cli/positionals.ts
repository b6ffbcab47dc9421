import { type Invocation, UsageError } from './command.ts';

/**
 * Returns the arguments of a command that requires exactly the arguments in `names`. Messages use
 * these names.
 */
export function exactly<const Names extends readonly string[]>(
  { positionals }: Invocation,
  ...names: Names
): { readonly [Index in keyof Names]: string } {
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`Missing argument: ${missing}.`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
  const empty = names[positionals.indexOf('')];
  if (empty !== undefined) throw new UsageError(`${empty} must not be empty.`);
  return positionals as unknown as { readonly [Index in keyof Names]: string };
}

/**
 * Returns the arguments of a command that requires the arguments in `names` and accepts any number
 * of additional arguments.
 */
export function atLeast<const Names extends readonly string[]>(
  invocation: Invocation,
  ...names: Names
): { readonly first: { readonly [Index in keyof Names]: string }; readonly rest: readonly string[] } {
  const { positionals } = invocation;
  const own = { ...invocation, positionals: positionals.slice(0, names.length) };
  return { first: exactly<Names>(own, ...names), rest: positionals.slice(names.length) };
}

/**
 * Returns the invocation without `--` and the arguments after it, because those arguments belong to
 * another program.
 */
export const beforeDashes = (invocation: Invocation): Invocation => ({
  ...invocation,
  positionals: invocation.positionals.slice(
    0,
    invocation.positionals.length - (invocation.afterDashes?.length ?? 0),
  ),
});
