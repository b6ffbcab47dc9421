/** Versions with sessions, the newest first. Versions are dates, so that they can be compared as texts. */
export const SESSION_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** The first version whose clients understand events that have an id and nothing else. */
export const FIRST_PRIMED_VERSION = '2025-11-25';

/** The first version of the protocol that knows no sessions. */
export const FIRST_STATELESS_VERSION = '2026-07-28';

export const PROTOCOL_VERSION_HEADER = 'MCP-Protocol-Version';

/** What a client that asks for a version is answered in: that version, or the newest, after which it may leave. */
export const agreedVersion = (asked: string): string =>
  SESSION_VERSIONS.find((known) => known === asked) ?? SESSION_VERSIONS[0];

/** Whether a request says that it is of a version without sessions, known to us or not. */
export function namesStatelessVersion({
  headers,
}: {
  headers: { get(name: string): string | null };
}): boolean {
  const version = headers.get(PROTOCOL_VERSION_HEADER);
  return version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_STATELESS_VERSION;
}
