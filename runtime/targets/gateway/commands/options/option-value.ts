import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';

export interface ValueRule<Value> {
  /** Undefined if the text is no such value. */
  readonly parse: (text: string) => Value | undefined;
  /** What it has to be, as `a number`. */
  readonly rule: string;
}

/** The value of an option that may be left out. Throws a UsageError for what is none. */
export function optionValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule }: ValueRule<Value>,
): Value | undefined {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new UsageError(`${invocation.source(name)}: ${JSON.stringify(text)} is not ${rule}.`);
}

/** As `optionValue`, where a word says that there is to be none: null. */
export function clearableValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule, none = 'none' }: ValueRule<Value> & { readonly none?: string },
): Value | null | undefined {
  if (invocation.value(name)?.trim().toLowerCase() === none) return null;
  return optionValue(invocation, name, { parse, rule: `${rule}; or ${none}` });
}
