import { type Invocation, UsageError } from '#serve/cli/command.ts';

export interface ValueRule<Value> {
  /** Returns undefined if the text is invalid. */
  readonly parse: (text: string) => Value | undefined;
  /** What the value must be, for example `a number`. A function can return the particular rule that a text breaks. */
  readonly rule: string | ((text: string) => string);
}

/** Returns the value of an option; undefined if it is not set. Throws a UsageError if it is invalid. */
export function optionValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule }: ValueRule<Value>,
): Value | undefined {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new UsageError(`${invocation.source(name)}: ${JSON.stringify(text)} is not ${ruleFor(rule, text)}.`);
}

const ruleFor = (rule: ValueRule<unknown>['rule'], text: string): string =>
  typeof rule === 'string' ? rule : rule(text);

/** Same as `optionValue`, for a setting that the word `none` clears. Returns null for that word. */
export function clearableValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule, none = 'none' }: ValueRule<Value> & { readonly none?: string },
): Value | null | undefined {
  if (invocation.value(name)?.trim().toLowerCase() === none) return null;
  return optionValue(invocation, name, { parse, rule: (text) => `${ruleFor(rule, text)}, or ${none}` });
}
