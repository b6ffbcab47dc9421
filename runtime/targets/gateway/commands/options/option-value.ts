import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';

export interface ValueRule<Value> {
  /** Undefined if the text is no such value. */
  readonly parse: (text: string) => Value | undefined;
  /** What it has to be, as `a number`; of a text that breaks a particular rule, that one. */
  readonly rule: string | ((text: string) => string);
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
  throw new UsageError(`${invocation.source(name)}: ${JSON.stringify(text)} is not ${ruleFor(rule, text)}.`);
}

const ruleFor = (rule: ValueRule<unknown>['rule'], text: string): string =>
  typeof rule === 'string' ? rule : rule(text);

/** As `optionValue`, where a word says that there is to be none: null. */
export function clearableValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule, none = 'none' }: ValueRule<Value> & { readonly none?: string },
): Value | null | undefined {
  if (invocation.value(name)?.trim().toLowerCase() === none) return null;
  return optionValue(invocation, name, { parse, rule: (text) => `${ruleFor(rule, text)}; or ${none}` });
}
