import { lookup } from '#core/values/lookup.ts';
import type { ErrorObject } from 'ajv';
import { NO_CONTROL_CHARACTERS } from '#contract/config-schema.ts';
import { describe, listing } from './describe.ts';
import { type SchemaIssue, stepsOf } from './issue.ts';
import { alternativesOf, type SchemaBranch } from '../json/relevant-errors.ts';
import { didYouMean } from '../text/suggest.ts';

/** Keyword in our schemas that describes the rule of a pattern or a union in words. */
export const RULE_KEYWORD = 'x-rule';

interface ValueContext {
  readonly source: (path: readonly string[]) => string;
  readonly hidden?: (path: readonly string[]) => string | undefined;
}

/** Explains one invalid value in a sentence. */
export function explainValue(error: ErrorObject, { source, hidden }: ValueContext): SchemaIssue {
  const path = stepsOf(error.instancePath);
  const instead = hidden?.(path);
  const written = source(path);
  const found = instead ?? describe(error.data, written);
  const isBare = ['number', 'boolean'].includes(typeof error.data);
  // A value that was not read from a YAML file has no source.
  const quoted = isBare && instead === undefined && written !== '' ? `; quote it: "${written}"` : '';
  return { path, at: 'value', message: sentence(error, found, quoted) };
}

function sentence(
  { keyword, data, schema, params, parentSchema }: ErrorObject,
  found: string,
  quoted: string,
): string {
  const rule: unknown = parentSchema?.[RULE_KEYWORD];
  if (typeof rule === 'string' && RULED.has(keyword)) return `expected ${rule}, found ${found}`;
  switch (keyword) {
    case 'type':
      return expected(TYPES[String(params['type'])] ?? String(params['type']), found, quoted);
    case 'anyOf':
      return expected(alternativesOf({ schema }).map(branchName).join(', or '), found, quoted);
    case 'enum': {
      const allowed = Array.isArray(schema) ? schema.map(String) : [];
      const hint = typeof data === 'string' ? didYouMean(data, allowed) : '';
      return `expected one of ${allowed.join(', ')}; found ${found}${hint}`;
    }
    case 'maxLength':
      return `expected at most ${String(schema)} characters, found ${Array.from(String(data)).length}`;
    case 'pattern':
      return schema === NO_CONTROL_CHARACTERS ? controlCharacter(String(data)) : 'must not be empty';
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return 'must not be empty';
    case 'minimum':
      return `expected at least ${String(schema)}, found ${found}`;
    case 'exclusiveMinimum':
      return `expected more than ${String(schema)}, found ${found}`;
    case 'maximum':
      return `expected at most ${String(schema)}, found ${found}`;
    default:
      return `${keyword}: found ${found}`;
  }
}

const RULED: ReadonlySet<string> = new Set(['type', 'pattern', 'anyOf', 'minimum', 'maximum']);

const TYPES = lookup<string>({
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
});
const branchName = ({ type = '', required }: SchemaBranch): string =>
  `${TYPES[type] ?? type}${required ? ` with ${listing(required)}` : ''}`;

/** YAML reads a bare `1.0` as a number. */
const expected = (what: string, found: string, quoted: string): string =>
  `expected ${what}, found ${found}${what.startsWith('a string') ? quoted : ''}`;

function controlCharacter(text: string): string {
  const point =
    Array.from(text)
      .find((character) => /\p{Cc}/u.test(character))
      ?.codePointAt(0) ?? 0;
  const kind = point === 10 || point === 13 ? 'a line break' : 'a control character';
  return `contains ${kind} (U+${point.toString(16).toUpperCase().padStart(4, '0')}); remove it`;
}
