/** The first version of the protocol that knows no sessions. Versions are dates, so that they can be compared as texts. */
export const FIRST_STATELESS_VERSION = '2026-07-28';

export const PROTOCOL_VERSION_HEADER = 'MCP-Protocol-Version';

/** Whether a request says that it is of a version without sessions, known to us or not. */
export function namesStatelessVersion(request: Request): boolean {
  const version = request.headers.get(PROTOCOL_VERSION_HEADER);
  return version !== null && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= FIRST_STATELESS_VERSION;
}
