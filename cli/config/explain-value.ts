import type { ErrorObject } from 'ajv';
import { NO_CONTROL_CHARACTERS } from '../../runtime/contract/config-schema.ts';
import { describe, listing } from './describe.ts';
import type { Finding } from './issue.ts';
import { didYouMean } from '../../runtime/core/suggest.ts';

/** One sentence about one wrong value. */
export function explainValue(error: ErrorObject, source: (path: readonly string[]) => string): Finding {
  const path = error.instancePath.split('/').slice(1);
  return { path, at: 'value', message: sentence(error, source(path)) };
}

function sentence({ keyword, data, schema, params }: ErrorObject, source: string): string {
  switch (keyword) {
    case 'type':
      return expected(TYPES[String(params['type'])] ?? String(params['type']), data, source);
    case 'anyOf':
      return expected((schema as Branch[]).map((branch) => branchName(branch)).join(', or '), data, source);
    case 'enum': {
      const allowed = (schema as string[]).map(String);
      const hint = typeof data === 'string' ? didYouMean(data, allowed) : '';
      return `expected one of ${allowed.join(', ')}; found ${describe(data, source)}${hint}`;
    }
    case 'maxLength':
      return `expected at most ${String(schema)} characters, found ${Array.from(String(data)).length}`;
    case 'pattern':
      return schema === NO_CONTROL_CHARACTERS ? controlCharacter(String(data)) : 'must not be empty';
    case 'minLength':
      return 'must not be empty';
    case 'minimum':
      return `expected at least ${String(schema)}, found ${describe(data, source)}`;
    case 'maximum':
      return `expected at most ${String(schema)}, found ${describe(data, source)}`;
    default:
      return `${keyword}: found ${describe(data, source)}`;
  }
}

interface Branch {
  readonly type: string;
  readonly required?: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping',
};
const branchName = ({ type, required }: Branch): string =>
  `${TYPES[type] ?? type}${required ? ` with ${listing(required)}` : ''}`;

function expected(what: string, data: unknown, source: string): string {
  const unquoted = what.startsWith('text') && (typeof data === 'number' || typeof data === 'boolean');
  return `expected ${what}, found ${describe(data, source)}${unquoted ? `; quote it: "${source}"` : ''}`;
}

function controlCharacter(text: string): string {
  const point =
    Array.from(text)
      .find((character) => /\p{Cc}/u.test(character))
      ?.codePointAt(0) ?? 0;
  const kind = point === 10 || point === 13 ? 'a line break' : 'a control character';
  return `contains ${kind} (U+${point.toString(16).toUpperCase().padStart(4, '0')}); remove it`;
}
