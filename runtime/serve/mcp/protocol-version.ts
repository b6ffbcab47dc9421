/**
 * The protocol versions with sessions, newest first. Versions are dates, which can be compared as
 * strings.
 */
export const SESSION_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** The only version that supports lists of messages, which JSON-RPC calls batches. */
export const BATCH_VERSION = '2025-03-26';

/** The first version whose clients accept events that only have an ID. */
export const FIRST_PRIMED_VERSION = '2025-11-25';

/** First protocol version without sessions. */
export const FIRST_STATELESS_VERSION = '2026-07-28';

export const PROTOCOL_VERSION_HEADER = 'MCP-Protocol-Version';

/** A version that a server can offer. */
export type SessionVersion = (typeof SESSION_VERSIONS)[number];

/**
 * Negotiates the protocol version: returns the version that the client requests if it is supported,
 * otherwise the version that the server offers.
 */
export const agreedVersion = (asked: string, offered: SessionVersion = SESSION_VERSIONS[0]): SessionVersion =>
  SESSION_VERSIONS.find((known) => known === asked) ?? offered;

/** Whether a request declares a version without sessions, even one that is not supported. */
export function declaresStatelessVersion({
  headers,
}: {
  headers: { get(name: string): string | null };
}): boolean {
  const version = headers.get(PROTOCOL_VERSION_HEADER);
  return version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_STATELESS_VERSION;
}
