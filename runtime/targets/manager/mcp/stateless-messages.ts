import { isObject } from '#core/json/is-object.ts';
import { META_KEY } from '#serve/mcp/meta-key.ts';
import type { StatelessCall } from '#serve/mcp/stateless-http.ts';
import type { QualifiedName } from '../calls/qualified-name.ts';
import type { McpClient } from './client.ts';
import type { Listener } from './listeners.ts';
import { isAtLeast, parseLogLevel } from './log-levels.ts';
import { createMessageView } from './message-view.ts';
import type { McpParts } from './parts.ts';

/**
 * Runs a request and forwards log messages of the server to its client meanwhile, if the request contains a log level. `work`
 * receives the target of the request if it is resolved for this. Clients share one connection to a server, so that messages
 * about requests of other clients can be included.
 */
export async function withMessages<Result>(
  parts: McpParts,
  { client, params, signal, notify }: StatelessCall<McpClient>,
  work: (target: QualifiedName | undefined) => Promise<Result>,
): Promise<Result> {
  const { _meta: meta } = params;
  const requested = isObject(meta) ? meta[META_KEY.logLevel] : undefined;
  if (requested === undefined) return work(undefined);
  const level = parseLogLevel(requested);
  const { caller, endpoint, requestId } = client;
  const target = endpoint.targets.of(caller, params);
  if (target === undefined) return work(undefined);
  const { server } = target;
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
  // A server that does not support levels can still send log messages.
  await parts.subscriptions
    .setLevel(listener, { caller, requestId, params: {}, signal }, level)
    .catch(() => undefined);
  const leave = parts.listeners.add(listener);
  try {
    return await work(target);
  } finally {
    leave();
    parts.subscriptions.drop(listener);
  }
}
