import { parseJsonText } from '../../../../core/json/json-text.ts';
import { type Invocation, type Option, UsageError } from '../../../../serve/cli/command.ts';
import { nameAndValue } from '../../../../serve/cli/name-and-value.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import type { Metadata } from '../../accounts/identity/identity.ts';

export const METADATA_OPTION = {
  metadata: {
    value: 'name=value',
    help: 'Anything to remember with it, or one JSON object; replaces what was there',
    repeatable: true,
  },
} satisfies Readonly<Record<string, Option>>;

/** Undefined if none is given. */
export function metadataOf(invocation: Invocation): Metadata | undefined {
  const texts = invocation.values('metadata');
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  if (first.trimStart().startsWith('[')) return parseObject(first);
  if (!first.trimStart().startsWith('{')) {
    return Object.fromEntries(texts.map((text) => nameAndValue(text, '--metadata')));
  }
  if (others.length > 0) throw new UsageError('--metadata: give one JSON object, or name=value pairs.');
  return parseObject(first);
}

function parseObject(text: string): Metadata {
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new UsageError(`--metadata: ${JSON.stringify(text)} is no JSON object, as '{"team": "search"}'.`);
}
