/** A server-sent event with one line of JSON. */
export function eventText(data: unknown, event?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}

export const DONE_TEXT = 'data: [DONE]\n\n';
export const KEEP_ALIVE_TEXT = ': keepalive\n\n';
