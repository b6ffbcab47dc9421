import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { nameAndValue } from '#serve/cli/values.ts';
import type { Metadata } from '../../accounts/fields/field.ts';

interface ValueRule<Value> {
  /** Returns undefined if the text is invalid. */
  readonly parse: (text: string) => Value | undefined;
  /**
   * Description of valid values, for example `a number`. A function can return the specific rule that a value
   * violates.
   */
  readonly rule: string | ((text: string) => string);
}

/** Returns an option's value; undefined if it is not set. Throws a UsageError if it is invalid. */
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

/** Same as `optionValue`, for a setting that can be cleared with `none`, for which it returns null. */
export function clearableValue<Value>(
  invocation: Invocation,
  name: string,
  { parse, rule, none = 'none' }: ValueRule<Value> & { readonly none?: string },
): Value | null | undefined {
  if (invocation.value(name)?.trim().toLowerCase() === none) return null;
  return optionValue(invocation, name, { parse, rule: (text) => `${ruleFor(rule, text)}, or ${none}` });
}

/** Throws a UsageError if an update sets no option. */
export function requireChanges(changes: object): void {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new UsageError('Nothing to change. Set at least one option.');
  }
}

/** Reads a pair of opposite switches: true for `on`, false for `off`, undefined if neither is set. */
export function readToggle(invocation: Invocation, on: string, off: string): boolean | undefined {
  const [isOn, isOff] = [invocation.flag(on), invocation.flag(off)];
  if (isOn && isOff) throw new UsageError(`--${on} conflicts with --${off}; use one of them.`);
  return isOn || isOff ? isOn : undefined;
}

/** Returns the metadata from the command line; undefined if there is none. */
export function metadataOf(invocation: Invocation): Metadata | undefined {
  const texts = invocation.values('metadata');
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  if (first.trimStart().startsWith('[')) return parseObject(first);
  if (!first.trimStart().startsWith('{')) {
    return Object.fromEntries(texts.map((text) => nameAndValue(text, '--metadata')));
  }
  if (others.length > 0)
    throw new UsageError('--metadata accepts one JSON object or name=value pairs, but not both.');
  return parseObject(first);
}

function parseObject(text: string): Metadata {
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Rejected below, like other values that are not objects.
  }
  throw new UsageError(
    `--metadata: ${JSON.stringify(text)} is not a JSON object, e.g. '{"team": "search"}'.`,
  );
}
