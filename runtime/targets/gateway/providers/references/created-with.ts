import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isUniqueId, MAX_CREATED_IDS } from './created-ids.ts';

// What a provider creates while it answers, and what later requests can name, on every API: containers and files of code that the provider
// runs, and audio that a later message can repeat. A client that knows such an id could otherwise use it, because all users share the account.

/** Every answer that contains such an id has one of these names. */
const MARKS = ['"container', '"file_id"', '"audio"'] as const;

/** The ids in an answer, or in an event of a stream. Most contain none, and are not parsed for it. */
export function createdWith(text: string | Buffer): readonly string[] {
  if (!MARKS.some((mark) => text.includes(mark))) return [];
  return createdIn(parseJsonText(typeof text === 'string' ? text : text.toString('utf8')));
}

/** The ids in an answer that was parsed. */
export function createdIn(answer: unknown): readonly string[] {
  const ids = new Set<string>();
  const open: unknown[] = [answer];
  while (open.length > 0 && ids.size < MAX_CREATED_IDS) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item)) for (const id of idsOf(item as Readonly<Record<string, unknown>>)) ids.add(id);
    for (const child of Object.values(item)) if (typeof child === 'object') open.push(child);
  }
  return [...ids];
}

function idsOf({
  container,
  container_id: containerId,
  audio,
  file_id: fileId,
  type,
}: Readonly<Record<string, unknown>>): string[] {
  // Other files in an answer, for example of a search, can belong to all.
  const isWritten =
    typeof containerId === 'string' || (typeof type === 'string' && type.endsWith('code_execution_output'));
  return [membersOf(container)['id'], containerId, membersOf(audio)['id'], isWritten ? fileId : undefined]
    .filter((id) => typeof id === 'string')
    .filter(isUniqueId);
}
