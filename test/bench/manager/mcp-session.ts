import type { RunningContestant } from './contestant.ts';
import { openHttpClient } from './http-client.ts';
import { callMessage, INITIALIZE, INITIALIZED, textOf } from './messages.ts';

/** Calls over streamable HTTP, in one session. */
export async function openMcpSession(port: number, path: string): Promise<Pick<RunningContestant, 'call'>> {
  const client = openHttpClient(port);
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
  const { head } = await client.post(path, INITIALIZE(1), headers);
  const session = /^mcp-session-id: *(.+)\r$/im.exec(head)?.[1];
  if (session !== undefined) headers['mcp-session-id'] = session;
  headers['mcp-protocol-version'] = '2025-11-25';
  await client.post(path, INITIALIZED, headers);
  let id = 1;
  return {
    call: async (text) => textOf((await client.post(path, callMessage((id += 1), text), headers)).body),
  };
}
