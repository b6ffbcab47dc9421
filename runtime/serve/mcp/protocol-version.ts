/** Protocol versions with sessions, newest first. Versions are dates and can be compared as strings. */
export const SESSION_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** The only version with lists of messages, which JSON-RPC calls batches. */
export const BATCH_VERSION = '2025-03-26';

/** First version whose clients accept events with only an id. */
export const FIRST_PRIMED_VERSION = '2025-11-25';

/** First protocol version without sessions. */
export const FIRST_STATELESS_VERSION = '2026-07-28';

export const PROTOCOL_VERSION_HEADER = 'MCP-Protocol-Version';

/** A version that a server can offer. */
export type SessionVersion = (typeof SESSION_VERSIONS)[number];

/**
 * Returns the version for a client's requested version: the same if supported, otherwise the one
 * that the server offers.
 */
export const agreedVersion = (asked: string, offered: SessionVersion = SESSION_VERSIONS[0]): SessionVersion =>
  SESSION_VERSIONS.find((known) => known === asked) ?? offered;

/** Whether a request declares a version without sessions, supported or not. */
export function declaresStatelessVersion({
  headers,
}: {
  headers: { get(name: string): string | null };
}): boolean {
  const version = headers.get(PROTOCOL_VERSION_HEADER);
  return version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_STATELESS_VERSION;
}
