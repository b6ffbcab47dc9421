import { abortSignalOf } from '#core/limits/cancellation.ts';
import { AppError, messageOf, configError } from '#contract/errors.ts';
import type { ServerSpec, Launch, ServerTimeouts } from '../config/spec.ts';
import { hasReferences } from '../config/user-references.ts';
import {
  type Connection,
  type ConnectionHooks,
  TimeoutFailure,
  RpcFailure,
  type RequestOptions,
  type PeerInfo,
  ResultTooLarge,
  type Transport,
  type TransportHooks,
} from './connection.ts';
import { Malformed, shownServerInfo, type ShapeOfParams } from '../shapes/shape.ts';
import { createStartExtension, startFailure } from './start-extension.ts';
import { createRpcPeer, type RpcPeer } from './rpc-peer.ts';
import { UnexpectedResponse } from './remote/unexpected-response.ts';
import { openProcess } from './process/process-transport.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import {
  CLIENT_CAPABILITIES,
  usableCapabilities,
  requestFromClient,
  capabilitiesFor,
} from './server-requests.ts';
import { announcedExtensions, DEFAULT_EXTENSIONS, TASKS_EXTENSION } from './extensions.ts';
import { META_KEY } from '#serve/mcp/rpc-message.ts';
import { FIRST_STATELESS_VERSION as VERSION } from '#serve/mcp/protocol-version.ts';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY } from '#serve/mcp/stateless-request.ts';
import { membersOf } from '#core/json/members-of.ts';
import { isObject } from '#core/json/is-object.ts';
import { listenForChanges, taskListener } from './subscriptions.ts';

/**
 * Starts a server, or connects to a remote one, and performs the handshake. Rejects with an AppError that
 * explains the failure, or with the signal's reason; in either case, no process is left running.
 */
export async function openConnection(
  spec: ServerSpec,
  hooks: ConnectionHooks,
  signal?: AbortSignal,
): Promise<Connection> {
  signal?.throwIfAborted();
  const { name, launch } = spec;
  requireFilled(name, launch);
  if (launch.kind !== 'remote' || !launch.api) return await openServer(spec, hooks, signal);
  // Imported on demand, like the other remote transports.
  const { openApi } = await import('./api/open-api.ts');
  return await openApi(spec, { ...launch, api: launch.api }, hooks, signal);
}

/** Opens a connection to an MCP server. */
async function openServer(
  { name, launch, timeouts, extensions = DEFAULT_EXTENSIONS }: ServerSpec,
  hooks: ConnectionHooks,
  signal?: AbortSignal,
): Promise<Connection> {
  const { onNotification, onLog, onWarning, trees, signIns: store, user, maxResultCharacters } = hooks;
  const rpc = createRpcPeer({
    send: (message, requestHeaders) => transport.send(message, requestHeaders),
    cancel: (id, reason) => transport.cancel(id, reason),
    onNotification,
  });
  const transport = await openTransport(launch, timeouts, {
    onMessage: rpc.receive,
    onLost: rpc.fail,
    onTooLarge: (id) => rpc.fail(id, new ResultTooLarge(maxResultCharacters ?? Infinity)),
    maxCharacters: maxResultCharacters,
    onLog,
    onWarning,
    trees,
    signIns: store && { store, server: name, user },
    currentUser: hooks.currentUser,
    identities: hooks.identities,
  });
  void transport.closed.then(({ message }) => rpc.end(message));

  const extension = createStartExtension(transport.pid, timeouts.init);
  const era = await performHandshake({
    rpc,
    useProtocol: transport.useProtocol,
    extensions,
    request: { timeoutMs: timeouts.init, extend: extension.extend, signal },
  }).catch(async (error: unknown) => {
    await transport.close();
    const { lines = [] } = await transport.closed;
    throw signal?.aborted
      ? error
      : explain(error, { ...timeouts, extendedMs: extension.extendedMs() }, lines);
  });
  void transport.closed.then(era.close);

  return {
    peer: era.peer,
    pid: transport.pid,
    closed: transport.closed,
    warnings: transport.warnings,
    request: era.request,
    ...(era.hasSubscriptions && { listenToTask: taskListener(era.request) }),
    notify: rpc.notify,
    async check(timeoutMs) {
      const from = process.hrtime.bigint();
      await era.check({ timeoutMs });
      return Number(process.hrtime.bigint() - from);
    },
    async close() {
      era.close();
      await transport.close();
    },
  };
}

/** Rejects a launch with references to users' values, which only a manager that knows the user fills in. */
function requireFilled(server: string, launch: Launch): void {
  if (launch.kind === 'unusable' || !launch.userValues) return;
  const texts =
    launch.kind === 'process'
      ? [...launch.args, ...Object.values(launch.env)]
      : Object.values(launch.headers);
  if (!texts.some((text) => hasReferences(text))) return;
  throw configError(
    `Server ${server} has values of users in its configuration, so it can only be started for a user of a manager. Omit it from this command.`,
  );
}

interface StartTimes {
  readonly init: number;
  readonly extendedMs: number;
}

function explain(error: unknown, { init, extendedMs }: StartTimes, lines: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TimeoutFailure) {
    const busy = extendedMs === 0 ? '' : ` plus ${extendedMs} ms of waiting for a CPU on a busy machine`;
    const sentence = `The server did not start within ${init} ms${busy}. Increase timeout_init, or check the server's log.`;
    return startFailure('TimeoutError', sentence, lines, error);
  }
  const message = messageOf(error);
  const sentence =
    error instanceof Malformed ? `The server returned a malformed handshake: ${message}.` : message;
  return startFailure('UpstreamError', sentence, lines, error);
}

/**
 * Performs the handshake. It sends `initialize` first, although the newer revision recommends
 * `server/discover`: nearly all servers support `initialize`, and some exit or hang after an unknown method.
 * A server that only supports the newer revision must return an error, but its code is not specified, so any
 * error leads to the second attempt.
 */
async function performHandshake(options: EraOptions): Promise<Era> {
  try {
    return await openInitializeEra(options);
  } catch (error) {
    if (!(error instanceof RpcFailure || error instanceof UnexpectedResponse)) throw error;
    try {
      return await openStatelessEra(options);
    } catch {
      throw error;
    }
  }
}

async function openTransport(
  launch: Launch,
  timeouts: ServerTimeouts,
  hooks: TransportHooks,
): Promise<Transport> {
  if (launch.kind === 'unusable') throw configError(launch.problem);
  if (launch.kind === 'process') {
    const { integrity, env, cwd } = launch;
    if (integrity) {
      const { verifyIntegrity } = await import('./process/package-integrity.ts');
      await verifyIntegrity(integrity, { env, cwd, timeoutMs: timeouts.init });
    }
    return openProcess(launch, timeouts.shutdown, hooks);
  }
  // Imported on demand, because most managers only run child processes.
  if (launch.transport === 'http') {
    const { openStreamableHttp } = await import('./remote/streamable-http.ts');
    return openStreamableHttp(launch, timeouts, hooks);
  }
  const { openServerSentEvents } = await import('./remote/server-sent-events.ts');
  return openServerSentEvents(launch, timeouts, hooks);
}

/** Supported revisions. The newest one is requested; a server can select an older one. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
async function openInitializeEra({ rpc, useProtocol, request, extensions }: EraOptions): Promise<Era> {
  const params = {
    protocolVersion: VERSIONS[0],
    capabilities: { ...CLIENT_CAPABILITIES, extensions: announcedExtensions(extensions) },
    clientInfo: clientInfo(),
  };
  const result = await rpc.request('initialize', params, request);
  const version = String(result['protocolVersion']);
  if (!VERSIONS.includes(version)) {
    const supported = VERSIONS.join(', ');
    throw new AppError(
      'UpstreamError',
      `The server uses the unsupported MCP version ${version}. Supported versions: ${supported}.`,
    );
  }
  useProtocol(version);
  rpc.notify('notifications/initialized');
  const peer = peerInfo(version, result);

  /**
   * The method used for checks. If a server supports neither ping nor tools, its "method not found" error
   * counts as a response.
   */
  let checkMethod = 'ping';
  return {
    peer,
    request: rpc.request,
    hasSubscriptions: false,
    async check(options) {
      try {
        await rpc.request(checkMethod, undefined, options);
      } catch (error) {
        if (!(error instanceof RpcFailure) || error.code !== RPC_CODE.methodNotFound) throw error;
        if (checkMethod !== 'ping' || !('tools' in peer.capabilities)) return;
        checkMethod = 'tools/list';
        await rpc.request(checkMethod, undefined, options);
      }
    },
    close: () => undefined,
  };
}

/** Maximum number of rounds in which a server can require input for one request. */
const MAX_ROUNDS = 10;
/** Maximum number of pages read when refreshing the tool list. */
const MAX_PAGES = 100;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
async function openStatelessEra(options: EraOptions): Promise<Era> {
  const { rpc, useProtocol, extensions } = options;
  const identity = {
    [META_KEY.version]: VERSION,
    [META_KEY.clientInfo]: clientInfo(),
  };
  /** The log level for all clients. This revision has no request that sets it; each request contains it. */
  let logLevel: unknown;
  const request = async (method: string, params: ShapeOfParams | undefined, options: RequestOptions) => {
    if (method === 'logging/setLevel') {
      logLevel = params?.['level'];
      return {};
    }
    const { requester, acceptsTask } = options;
    const passed = acceptsTask === true ? extensions : extensions.filter((name) => name !== TASKS_EXTENSION);
    const _meta = {
      ...membersOf(params?.['_meta']),
      ...identity,
      [META_KEY.capabilities]: requester ? usableCapabilities(requester, passed) : {},
      ...(logLevel === undefined ? {} : { [META_KEY.logLevel]: logLevel }),
    };
    const send = (input: ShapeOfParams): Promise<ShapeOfParams> =>
      rpc.request(method, { ...params, ...input, _meta }, options);
    let input: ShapeOfParams = {};
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { resultType, ...result } = await send(input).catch(async (error: unknown) => {
        if (method !== 'tools/call' || !isHeaderMismatch(error)) throw error;
        await refreshTools(_meta, options);
        return send(input);
      });
      if (resultType === 'task' && acceptsTask === true) return { ...result, resultType };
      // Any other type means that the result is complete. Callers do not need the type.
      if (resultType !== 'input_required') return result;
      input = await collectInput(result, options);
    }
    throw new AppError(
      'UpstreamError',
      `The server requested input ${MAX_ROUNDS} times without returning a result.`,
    );
  };

  /** Refreshes the tool list, from which the transport learns which arguments are required in headers. */
  const refreshTools = async (_meta: ShapeOfParams, { timeoutMs, signal }: RequestOptions): Promise<void> => {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = { ...(cursor === undefined ? {} : { cursor }), _meta };
      ({ nextCursor: cursor } = await rpc.request('tools/list', params, { timeoutMs, signal }));
      if (typeof cursor !== 'string') return;
    }
  };

  useProtocol(VERSION);
  const result = await request('server/discover', undefined, options.request);
  const supported = result['supportedVersions'];
  if (Array.isArray(supported) && !supported.includes(VERSION)) {
    throw new AppError(
      'UpstreamError',
      `The server uses the unsupported MCP versions ${supported.join(', ')}. Supported version: ${VERSION}.`,
    );
  }
  const serverInfo = result['serverInfo'] ?? serverIn(result['_meta']);
  const peer = peerInfo(VERSION, { ...result, serverInfo });
  const listening = listenForChanges({ capabilities: peer.capabilities, request });
  return {
    peer,
    request,
    hasSubscriptions: true,
    async check(options) {
      // This revision has no ping.
      await request('server/discover', undefined, options);
    },
    close: listening.stop,
  };
}

/** Whether a request failed because of its headers. Such a request had no effect, so it can be retried. */
const isHeaderMismatch = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === HEADER_MISMATCH;

const serverIn = (meta: unknown): unknown => membersOf(meta)[META_KEY.serverInfo];

/**
 * Gets the input that a server of the stateless era requires for a request from the client. Returns the
 * members to add when the request is resent:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
async function collectInput(
  { inputRequests, requestState }: ShapeOfParams,
  { requester, signal }: Pick<RequestOptions, 'requester' | 'signal'>,
): Promise<ShapeOfParams> {
  const requests = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, request]) => {
    const { method, params } = isObject(request) ? request : {};
    return { key, method: String(method), params: isObject(params) ? params : undefined };
  });
  const requiredCapabilities = capabilitiesFor(requests);
  if (!requester) {
    const methods = requests.map(({ method }) => method).join(', ');
    const message = `The server requires client input (${methods}), but no client can provide it for this request.`;
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
  const abortSignal = abortSignalOf(signal);
  try {
    const responses = await Promise.all(
      requests.map(
        async ({ key, ...request }) =>
          [key, await requestFromClient(requester, request, abortSignal)] as const,
      ),
    );
    return {
      ...(responses.length > 0 ? { inputResponses: Object.fromEntries(responses) } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
  } catch (error) {
    const { code, message, data } = RpcError.from(error);
    if (code !== RPC_CODE.methodNotFound) throw new RpcFailure(code, message, data);
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
}

/**
 * The protocol variant of a connection: `initialize`, with a handshake and a session, up to revision
 * 2025-11-25, or `stateless`, since 2026-07-28, where every request identifies its client.
 */
interface Era {
  readonly peer: PeerInfo;
  readonly request: Connection['request'];
  /** Whether the protocol has subscriptions. */
  readonly hasSubscriptions: boolean;
  /** Sends a cheap request; resolves when the server has responded. */
  readonly check: (options: RequestOptions) => Promise<void>;
  /** Closes open streams. */
  readonly close: () => void;
}

interface EraOptions {
  readonly rpc: RpcPeer;
  readonly useProtocol: (version: string) => void;
  /** The extensions that are passed on. */
  readonly extensions: readonly string[];
  readonly request: RequestOptions;
}

/** This client's identity, as sent to servers. The build tool sets the version. */
const clientInfo = (): ShapeOfParams => ({
  name: 'mcp-manager',
  version: process.env['ENCODERFILE_VERSION'] ?? '0.0.0',
});

/**
 * Normalizes capabilities to objects. Some servers use true for a supported capability, and null or false for
 * an unsupported one.
 */
const normalizeCapabilities = (capabilities: unknown): ShapeOfParams =>
  Object.fromEntries(
    Object.entries(isObject(capabilities) ? capabilities : {})
      .filter(([, capability]) => isObject(capability) || capability === true)
      .map(([name, capability]) => [name, isObject(capability) ? capability : {}]),
  );

/**
 * Reads a server's description from the handshake of either variant. Many servers omit some of its
 * fields.
 */
function peerInfo(protocolVersion: string, result: ShapeOfParams): PeerInfo {
  const serverInfo = membersOf(result['serverInfo']);
  const { name, version, title } = serverInfo;
  const { instructions, capabilities } = result;
  return {
    protocolVersion,
    name: typeof name === 'string' ? name : 'unknown',
    version: typeof version === 'string' ? version : 'unknown',
    title: typeof title === 'string' ? title : undefined,
    shown: shownServerInfo(serverInfo),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities: normalizeCapabilities(capabilities),
  };
}
