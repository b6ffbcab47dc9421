import { stripVTControlCharacters } from 'node:util';
import { suggest } from '#core/text/suggest.ts';
import { isObject } from '#core/json/is-object.ts';
import { memberOf } from '#core/values/member-of.ts';

/**
 * Converts an oclif usage error to one line: the invalid word, the rule that it violates, and how
 * to get help.
 */
export function explainUsage(error: Error, command: string): string {
  const { flags, known } = flagsOf(error);
  const [unknown] = flags;
  const meant = unknown === undefined ? undefined : suggest(unknown, known);
  const what =
    unknown === undefined
      ? (missingArgument(error) ?? tidy(error.message))
      : `Unknown flag ${unknown}${meant === undefined ? '.' : `; did you mean --${meant}?`}`;
  return `${what} See \`encoderfile ${command} --help\`.`;
}

/**
 * Returns the flags that oclif's unknown-flag error contains. oclif does not export the error's
 * class, so the error is recognized by its members.
 */
function flagsOf(error: Error): { flags: readonly string[]; known: readonly string[] } {
  if (!('flags' in error) || !Array.isArray(error.flags)) return { flags: [], known: [] };
  const known = memberOf(memberOf(memberOf(error, 'parse'), 'input'), 'flags');
  return { flags: error.flags, known: isObject(known) ? Object.keys(known) : [] };
}

function missingArgument(error: Error): string | undefined {
  const [first]: unknown[] = 'args' in error && Array.isArray(error.args) ? error.args : [];
  if (typeof first !== 'object' || first === null || !('name' in first)) return undefined;
  return `Missing argument ${String(first.name).toUpperCase()}.`;
}

/** Joins oclif's multi-line messages into one line. */
function tidy(message: string): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '' && !/^(See more help with|The following errors? occurred)/.test(line));
  const text = lines.join(' ').replaceAll(/Missing required flag (?=[a-z])/g, 'Missing required flag --');
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
