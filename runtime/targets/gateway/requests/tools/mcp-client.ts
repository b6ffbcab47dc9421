import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import { createJsonClient, type StreamedResponse } from '#serve/client/json-client.ts';
import { createFrameSplitter, readEvent } from '#serve/event-stream/event-frames.ts';
import { PROTOCOL_VERSION_HEADER, SESSION_VERSIONS } from '#serve/mcp/protocol-version.ts';

/** A tool as a server lists it. */
export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A client of one MCP server for one user. */
export interface McpClient {
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  /** Resolves with the result, which can describe an error of the tool. */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

interface McpClientOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The current token, for a server that learns the user from it. */
  readonly token?: (() => Promise<string>) | undefined;
  readonly timeoutMs: number;
  readonly version: string;
}

/** Maximum size of a response, so that a server cannot exhaust the memory. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_PAGES = 100;
const MAX_TOOLS = 2000;
/** Maximum size of a list, as characters of JSON: it is kept, and each request to a model contains its tools. */
const MAX_LIST_CHARACTERS = 4 * 1024 * 1024;
const CONNECT_MS = 10_000;
const SESSION_HEADER = 'mcp-session-id';

interface RpcResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly header: StreamedResponse['header'];
}

interface Session {
  readonly id: string | undefined;
  readonly version: string;
}

/**
 * Connects to a server with the Streamable HTTP transport. Redirects are not followed, because the headers can
 * contain credentials.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export function createMcpClient({ url, headers, token, timeoutMs, version }: McpClientOptions): McpClient {
  const client = createJsonClient(url, {
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    connectMs: CONNECT_MS,
    // Each request has its own, shorter timeout, after which the call is canceled.
    answerMs: timeoutMs + CONNECT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
  const path = new URL(url).pathname === '/' ? '/' : '';
  let session: Promise<Session> | undefined;
  let ids = 0;

  const post = async (
    message: object,
    { id, version: agreed }: Partial<Session>,
    signal: AbortSignal,
  ): Promise<StreamedResponse> =>
    await client.open({
      method: 'POST',
      path,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      headers: {
        ...(id !== undefined && { [SESSION_HEADER]: id }),
        ...(agreed !== undefined && { [PROTOCOL_VERSION_HEADER]: agreed }),
        ...(token && { authorization: `Bearer ${await token()}` }),
      },
      signal,
    });

  const ask = async (
    method: string,
    params: object,
    given: Partial<Session>,
    signal: AbortSignal,
  ): Promise<RpcResult> => {
    const id = (ids += 1);
    const cancel = (): void => {
      // Closing the connection does not cancel a call in this protocol.
      const notice = { method: 'notifications/cancelled', params: { requestId: id } };
      void post(notice, given, AbortSignal.timeout(CONNECT_MS))
        .then(async ({ body }) => await body.dump())
        .catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await receive(id, await post({ id, method, params }, given, signal));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  const receive = async (id: number, response: StreamedResponse): Promise<RpcResult> => {
    if (response.status !== 200) {
      await response.body.dump();
      throw new StatusError(response.status);
    }
    const answer = await answerIn(response, id);
    if (answer === undefined) throw new Error('The response has no result.');
    const { error, result } = answer;
    if (isObject(error)) throw new RpcError(String(error['message']).slice(0, MAX_MESSAGE));
    return { result: membersOf(result), header: response.header };
  };

  const open = async (signal: AbortSignal): Promise<Session> => {
    const params = {
      protocolVersion: SESSION_VERSIONS[0],
      capabilities: {},
      clientInfo: { name: 'gateway', version },
    };
    const { result, header } = await ask('initialize', params, {}, signal);
    const opened = {
      id: header(SESSION_HEADER) || undefined,
      version:
        typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : SESSION_VERSIONS[0],
    };
    const { body } = await post({ method: 'notifications/initialized' }, opened, signal);
    await body.dump();
    return opened;
  };

  /** Runs a request in the session, which is opened again if the server has forgotten it. */
  const within = async (
    method: string,
    params: object,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    for (let isFirst = true; ; isFirst = false) {
      // Several requests share the opening, so one client that disconnects must not abort it.
      const opening = (session ??= open(AbortSignal.timeout(timeoutMs)));
      try {
        const current = await opening;
        return (await ask(method, params, current, limited)).result;
      } catch (error) {
        const isLost = error instanceof StatusError && (error.status === 404 || error.status === 400);
        // A call that is canceled or fails leaves the session usable.
        const isUsable = error instanceof RpcError || limited.aborted;
        if (session === opening && (isLost || !isUsable)) session = undefined;
        if (!isLost || !isFirst) throw error;
      }
    }
  };

  return {
    async listTools(signal) {
      const tools: McpTool[] = [];
      let left = MAX_LIST_CHARACTERS;
      let cursor: unknown;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const result = await within('tools/list', cursor === undefined ? {} : { cursor }, signal);
        const { tools: all } = result;
        for (const tool of Array.isArray(all) ? all : []) {
          const { name, description, inputSchema } = membersOf(tool);
          if (typeof name !== 'string' || !isObject(inputSchema) || tools.length >= MAX_TOOLS) continue;
          const listed = {
            name,
            description: typeof description === 'string' ? description : undefined,
            inputSchema,
          };
          left -= JSON.stringify(listed).length;
          if (left < 0) throw new ListTooLong();
          tools.push(listed);
        }
        cursor = result['nextCursor'];
        if (typeof cursor !== 'string') break;
      }
      return tools;
    },
    callTool: (name, args, signal) => within('tools/call', { name, arguments: args }, signal),
    close: () => client.close(),
  };
}

/** The response to the request with this ID: the JSON body, or the event that contains it. */
async function answerIn(
  { header, body }: StreamedResponse,
  id: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const isAnswer = (value: unknown): value is Readonly<Record<string, unknown>> =>
    isObject(value) && value['id'] === id && (value['result'] !== undefined || isObject(value['error']));
  if (!header('content-type').startsWith('text/event-stream')) {
    const value = parseLossless(await body.text());
    return isAnswer(value) ? value : undefined;
  }
  const splitter = createFrameSplitter(MAX_RESPONSE_BYTES);
  for await (const chunk of body) {
    for (const frame of splitter.push(Buffer.from(chunk as Uint8Array))) {
      const { data } = readEvent(frame);
      if (data === undefined || data === '') continue;
      const value = parseLossless(data);
      // Leaving the loop closes the stream.
      if (isAnswer(value)) return value;
    }
  }
  return undefined;
}

const MAX_MESSAGE = 2000;

/** An error that the server returned in response to a valid request. */
class RpcError extends Error {}

class StatusError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The server responded with status ${status}.`);
    this.status = status;
  }
}

/** The tools that the server lists are too large. */
class ListTooLong extends Error {}

/** Describes for users why a call failed. Never contains the server's URL or headers. */
export function failureText(label: string, error: unknown): string {
  if (error instanceof RpcError) return error.message;
  if (error instanceof StatusError && (error.status === 401 || error.status === 403))
    return `MCP server '${label}' rejected the gateway's credentials (status ${error.status}). Ask the administrator to correct its \`headers\` or \`user_token_audience\`.`;
  if (error instanceof StatusError) return `MCP server '${label}' responded with status ${error.status}.`;
  if (error instanceof ListTooLong)
    return `The tools of MCP server '${label}' have more than ${MAX_LIST_CHARACTERS} characters.`;
  if (error instanceof Error && error.name === 'TimeoutError')
    return `MCP server '${label}' did not respond in time.`;
  return `MCP server '${label}' is unavailable.`;
}

export const listFailure = (label: string, cause: unknown): AppError =>
  new AppError('UpstreamError', `Cannot list the tools: ${failureText(label, cause)}`, {
    reason: 'mcp_server_unavailable',
    cause,
  });
