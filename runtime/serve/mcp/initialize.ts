import { isObject } from '#core/json/is-object.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import type { HttpAnswer } from '../http/exchange.ts';
import { agreedVersion, type SessionVersion } from './protocol-version.ts';
import type { PostedMessages } from './read-message.ts';
import type { ClientMessage, Params } from './rpc-message.ts';
import type { SessionServer } from './session-server.ts';

type Request = Extract<ClientMessage, { kind: 'request' }>;

/** Whether a message is the request that opens a session. */
export function isInitialize(message: ClientMessage | undefined): message is Request {
  return (
    message?.kind === 'request' &&
    message.method === 'initialize' &&
    typeof message.params['protocolVersion'] === 'string'
  );
}

/**
 * Reads the session settings that `initialize` negotiates. `offered` is the version for clients
 * that request an unknown version.
 */
export function readInitialize(
  { params }: Request,
  offered?: SessionVersion,
): {
  readonly version: SessionVersion;
  readonly capabilities: Params;
} {
  const { protocolVersion, capabilities } = params;
  return {
    version: agreedVersion(String(protocolVersion), offered),
    capabilities: isObject(capabilities) ? capabilities : {},
  };
}

/** Creates the JSON response to `initialize`. */
export function initializeResponse<Client>(
  id: string | number,
  protocolVersion: string,
  { info, capabilities, instructions }: SessionServer<Client>,
): string {
  const result = { protocolVersion, capabilities, serverInfo: info, instructions };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export const alreadyOpen = ({ messages }: PostedMessages): HttpAnswer =>
  HTTP_ERRORS.invalid(
    messages.length > 1
      ? 'Invalid request: `initialize` must be the only message.'
      : 'Invalid request: the session is already initialized.',
  );
