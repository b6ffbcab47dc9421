import { parseJsonText } from '#core/json/json-text.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { nameAndValue } from '#serve/cli/name-and-value.ts';
import { isObject } from '#core/json/is-object.ts';
import type { Metadata } from '../../accounts/identity/identity.ts';

export const METADATA_OPTION = {
  metadata: {
    value: 'name=value',
    help: 'Metadata as name=value pairs or as one JSON object; replaces existing metadata',
    repeatable: true,
  },
} satisfies Readonly<Record<string, Option>>;

/** Returns the metadata of the command line; undefined if there is none. */
export function metadataOf(invocation: Invocation): Metadata | undefined {
  const texts = invocation.values('metadata');
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  if (first.trimStart().startsWith('[')) return parseObject(first);
  if (!first.trimStart().startsWith('{')) {
    return Object.fromEntries(texts.map((text) => nameAndValue(text, '--metadata')));
  }
  if (others.length > 0) throw new UsageError('--metadata: use either one JSON object or name=value pairs.');
  return parseObject(first);
}

function parseObject(text: string): Metadata {
  try {
    const value: unknown = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Refused below, like other values that are not objects.
  }
  throw new UsageError(
    `--metadata: ${JSON.stringify(text)} is not a JSON object, e.g. '{"team": "search"}'.`,
  );
}
