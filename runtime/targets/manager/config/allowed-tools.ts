import { matchesAny } from '#core/text/name-pattern.ts';
import type { NameFilter, ServerSpec } from './spec.ts';

/** Whether a filter allows a name. */
export const isAllowed = ({ allow, deny }: NameFilter, name: string): boolean =>
  matchesAny(allow, name) && !matchesAny(deny, name);

/**
 * Whether a server's configuration allows a tool, by its name on the server and, with `readOnly`, by its
 * annotations.
 */
export const isToolAllowed = (
  { tools, readOnly }: Pick<ServerSpec, 'tools' | 'readOnly'>,
  own: string,
  shown: Readonly<Record<string, unknown>>,
): boolean => isAllowed(tools, own) && (!readOnly || onlyReads(shown));

/** Whether the tool's annotations declare it read-only. */
export function onlyReads({ annotations }: Readonly<Record<string, unknown>>): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false;
}
