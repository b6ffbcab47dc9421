import { Agent } from 'node:http';
import { sendRequest } from '../measure/send-request.ts';
import type { RunningContestant } from './contestant.ts';
import { callMessage, INITIALIZE, INITIALIZED, textOf } from './messages.ts';

/** Calls over streamable HTTP, in one session, over connections that are kept open. */
export async function openMcpSession(port: number, path: string): Promise<Pick<RunningContestant, 'call'>> {
  const agent = new Agent({ keepAlive: true });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (body: string) => sendRequest({ agent, port, path, method: 'POST', headers }, body);
  const { headers: given } = await post(INITIALIZE(1));
  const session = given['mcp-session-id'];
  if (typeof session === 'string') headers['mcp-session-id'] = session;
  headers['mcp-protocol-version'] = '2025-11-25';
  await post(INITIALIZED);
  let id = 1;
  return { call: async (text) => textOf((await post(callMessage((id += 1), text))).body) };
}
