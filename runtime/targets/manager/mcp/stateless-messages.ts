import { isObject } from '../../../core/json/is-object.ts';
import { META_KEY } from '../../../serve/mcp/meta-key.ts';
import type { StatelessCall } from '../../../serve/mcp/stateless-http.ts';
import type { McpClient } from './client.ts';
import type { Listener } from './listeners.ts';
import { isAtLeast, parseLogLevel } from './log-levels.ts';
import { createMessageView } from './message-view.ts';
import type { McpParts } from './parts.ts';

/**
 * Does the work of a request, and tells its client meanwhile what the server logs, if the request asks for that. All clients
 * share one connection to a server, so that messages about another client's request can be among them.
 */
export async function withMessages<Result>(
  parts: McpParts,
  { client, params, signal, notify }: StatelessCall<McpClient>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { _meta: meta } = params;
  const asked = isObject(meta) ? meta[META_KEY.logLevel] : undefined;
  if (asked === undefined) return work();
  const level = parseLogLevel(asked);
  const { caller, endpoint, requestId } = client;
  const server = endpoint.targets.of(caller, params)?.server;
  if (server === undefined) return work();
  const view = createMessageView(endpoint);
  const listener: Listener = {
    server,
    caller: () => caller,
    listChanged: () => undefined,
    updated: () => undefined,
    message(from, message) {
      if (isAtLeast(message['level'], level)) notify('notifications/message', view(from, message));
    },
  };
  // A server without levels may log all the same.
  await parts.interests
    .setLevel(listener, { caller, requestId, params: {}, signal }, level)
    .catch(() => undefined);
  const leave = parts.listeners.add(listener);
  try {
    return await work();
  } finally {
    leave();
    parts.interests.drop(listener);
  }
}
