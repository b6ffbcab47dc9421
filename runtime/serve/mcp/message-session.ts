import { isInitialize, initializeResponse, readInitialize } from './initialize.ts';
import { createMcpSession, type McpSession, notification } from './mcp-session.ts';
import type { PostAnswer } from './post-answer.ts';
import { BATCH_VERSION, type SessionVersion } from './protocol-version.ts';
import { RPC_CODE, RpcError } from './rpc-error.ts';
import type { ClientMessage } from './rpc-message.ts';
import type { SessionLink, SessionServer } from './session-server.ts';

/**
 * A server that exists before a client connects, or a function that creates the server when the
 * client sends `initialize`.
 */
export type ServerSource<Client> =
  | SessionServer<Client>
  | ((link: SessionLink, opener: Client) => SessionServer<Client> | Promise<SessionServer<Client>>);

/**
 * A session in which `initialize` is an ordinary message, as over stdio and in the HTTP transport
 * of revision 2024-11-05.
 */
export interface MessageSession<Client> {
  /**
   * Handles the messages in a line or in the body of a POST. Returns false for a list if the
   * session's protocol version does not support lists.
   */
  take(messages: readonly ClientMessage[], isList: boolean, client: Client): boolean;
  /** Resolves when every request is completed or cancelled. */
  settled(): Promise<void>;
  close(): void;
}

export interface MessageSessionOptions {
  /** Sends a JSON message to the client. */
  readonly tell: (json: string) => void;
  /** Protocol version for clients that request an unknown one. Default: the newest. */
  readonly offeredVersion?: SessionVersion | undefined;
}

type Initialize = Extract<ClientMessage, { kind: 'request' }>;

export function createMessageSession<Client>(
  source: ServerSource<Client>,
  { tell, offeredVersion }: MessageSessionOptions,
): MessageSession<Client> {
  let session: McpSession<Client> | undefined =
    typeof source === 'function' ? undefined : createMcpSession(source);
  let version: SessionVersion | undefined;
  /** While the server is being created, messages wait. */
  let opening: Promise<void> | undefined;
  let closed = false;

  const fail = (id: string | number, reason: unknown): void => {
    const { code, message, data } = RpcError.from(reason);
    tell(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
  };
  const plain: PostAnswer = {
    tell,
    settle(_id, json) {
      if (json !== undefined) tell(json);
    },
    isLost: () => false,
  };

  const open = async (message: Initialize, client: Client): Promise<void> => {
    if (typeof source !== 'function') return;
    const { version: agreed, capabilities } = readInitialize(message, offeredVersion);
    const link: SessionLink = {
      capabilities,
      notify: (method, params) => tell(notification(method, params)),
    };
    try {
      const server = await source(link, client);
      session = createMcpSession(server);
      if (closed) return session.close();
      version = agreed;
      tell(initializeResponse(message.id, agreed, server));
    } catch (error) {
      fail(message.id, error);
    }
  };
  const initialize = (message: Initialize, client: Client): void => {
    if (typeof source !== 'function') {
      version = readInitialize(message, offeredVersion).version;
      tell(initializeResponse(message.id, version, source));
    } else if (session) {
      const problem = 'Invalid request: the session is already initialized.';
      fail(message.id, new RpcError(RPC_CODE.invalidRequest, problem));
    } else {
      opening = open(message, client).finally(() => (opening = undefined));
    }
  };
  const takeOne = (message: ClientMessage, client: Client, answer: PostAnswer): void => {
    const first = isInitialize(message) ? message : undefined;
    if (opening) void opening.then(() => takeOne(message, client, answer));
    else if (first) initialize(first, client);
    else if (session) session.take(message, client, answer);
    else if (message.kind === 'request') fail(message.id, beforeInitialize(message.method));
  };

  return {
    take(messages, isList, client) {
      if (isList && (version !== BATCH_VERSION || messages.some(isInitialize))) return false;
      const answer = isList ? listAnswer(messages, tell) : plain;
      for (const message of messages) takeOne(message, client, answer);
      return true;
    },
    async settled() {
      await opening;
      await session?.settled();
    },
    close() {
      closed = true;
      session?.close();
    },
  };
}

/**
 * The error for requests before `initialize`. Clients that first try newer revisions expect their
 * method to be unknown.
 */
function beforeInitialize(method: string): RpcError {
  if (method === 'server/discover')
    return new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
  if (method === 'initialize')
    return new RpcError(RPC_CODE.invalidParams, '`protocolVersion` must be a string.');
  return new RpcError(RPC_CODE.invalidRequest, `Invalid request: send \`initialize\` before \`${method}\`.`);
}

/** Responds to a list of requests with a list, once all of them are completed or cancelled. */
function listAnswer(messages: readonly ClientMessage[], tell: (json: string) => void): PostAnswer {
  let left = messages.filter(({ kind }) => kind === 'request').length;
  const answers: string[] = [];
  return {
    tell,
    settle(_id, json) {
      if (json !== undefined) answers.push(json);
      left -= 1;
      if (left === 0 && answers.length > 0) tell(`[${answers.join(',')}]`);
    },
    isLost: () => false,
  };
}
