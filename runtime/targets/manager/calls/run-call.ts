import type { Cancellation } from '#core/limits/cancellation.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { serverName } from '../config/server-name.ts';
import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import type { Approval, ServerCall, CallHeaders } from './call.ts';
import type { CallAuditLog } from './audit.ts';
import { requireUser, type SignInParts } from './require-user.ts';
import type { CallKind, CallObserver, CallOutcome } from './metrics.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { Redactor } from '#serve/redact.ts';
import type { Leave, Turn } from '#core/limits/turn-queue.ts';
import { jsonSize } from '../shared/json-size.ts';
import { requestTraced } from '#serve/telemetry/mcp-request.ts';
import type { TraceHeaders } from '#serve/telemetry/request-trace.ts';
import { waitFor, clientDisconnected } from '#platform/wait-for.ts';
import {
  type Connection,
  type Requester,
  type RequestHeaders,
  SessionExpired,
  ConnectionClosed,
  RpcFailure,
  TimeoutFailure,
  ResultTooLarge,
} from '../upstream/connection.ts';
import { type ShapeOfParams, Malformed } from '../shapes/shape.ts';
import type { ScanRule } from '../scanning/finding.ts';
import type { ScanGuard, ScannedRequest } from '../scanning/guard.ts';
import type { ServerSpec } from '../config/spec.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ListName } from '../shared/list-items.ts';

export interface CallRunnerParts extends SignInParts {
  readonly supervisor: Supervisor;
  readonly redact: Redactor;
  readonly clock: Clock;
  /** Maximum size of a result, in characters of JSON. */
  readonly maxResultCharacters: number;
  readonly observer?: CallObserver | undefined;
  readonly audit?: CallAuditLog | undefined;
  readonly tracer?: Tracer | undefined;
  /** Scans what servers return. */
  readonly guard: ScanGuard;
}

/** Facts about a call for the audit log and metrics, some of which only become known during the call. */
export interface AuditedFacts {
  readonly name: string;
  readonly args: unknown;
  /** The tool's name on its server, if the server has it and the caller can use it. */
  tool?: string;
  /** Decision of the approval rules. */
  approval?: Approval;
  /** The rules that found an injection in what the server returned. */
  findings?: readonly ScanRule[];
}

/** Describes a call for metrics, the audit log and error messages. */
export interface CallInfo {
  readonly kind: CallKind;
  /** Name and arguments for the audit log; undefined if the call is not audited. */
  readonly audited?: AuditedFacts;
  /** Whether the call counts toward the server's `concurrency`; true by default. */
  readonly takesTurn?: boolean;
  /** Returns the error texts for the normalized server name. */
  readonly texts: (server: string) => FailureTexts;
}

/**
 * Runs a call to one server: checks the caller's permissions, waits in the queue, and records the outcome.
 * Rejects with AppErrors only.
 */
export type RunCall = <Result>(
  call: ServerCall,
  info: CallInfo,
  work: (context: CallContext) => Promise<Result>,
) => Promise<Result>;

export function createCallRunner({
  supervisor,
  signInPage,
  secretPage,
  redact,
  observer,
  audit,
  ...options
}: CallRunnerParts): RunCall {
  const { clock } = options;
  const signInParts = { supervisor, signInPage, secretPage };
  return async (call, { kind, audited, takesTurn = true, texts }, work) => {
    // Before everything else, because the audit log could not record a rejection either.
    const ready = audited && audit?.ready();
    if (ready) await ready;
    const startedAt = clock.now();
    let server: ManagedServer | undefined;
    const record = (outcome: CallOutcome, result?: unknown): void => {
      const milliseconds = clock.now() - startedAt;
      if (server)
        observer?.onCall({
          server: server.name,
          kind,
          tool: audited?.tool,
          outcome,
          seconds: milliseconds / 1000,
        });
      if (audited) {
        audit?.record({ call, server: server?.name, kind, ...audited, outcome, milliseconds, result });
      }
    };
    try {
      server = findServer(supervisor, call);
      // Only for audited calls, because users wait for these calls. Lists are often requested in
      // the background.
      const asked = requireUser(server, call, signInParts, audited !== undefined);
      if (asked) await asked;
      // Chosen afterwards, because a sign-in replaces the user's connection.
      server = server.forUser(call.caller);
      const running = new RunningCall(server, call, options, audited);
      const turn = takesTurn ? running.turn() : undefined;
      const leave = turn instanceof Promise ? await turn : turn;
      let result;
      try {
        result = await work(running);
      } finally {
        leave?.();
      }
      record(isToolError(result) ? 'tool-error' : 'ok', result);
      return result;
    } catch (error) {
      const name = server?.name ?? call.server;
      const failure = explainFailure(error, {
        texts: texts(name),
        redact,
        server: server?.name,
        signal: call.signal,
      });
      record(failure.code);
      throw failure;
    }
  };
}

/** Returns the server of a call. Permissions are checked first, so that a caller cannot probe for servers. */
function findServer(supervisor: Supervisor, { caller, server: typed }: ServerCall): ManagedServer {
  if (!caller.canUse(serverName(typed))) {
    throw new AppError('ForbiddenError', `server not allowed: ${typed}`);
  }
  const server = supervisor.get(typed);
  if (!server) throw new AppError('NotFoundError', `server not found: ${typed}`);
  return server;
}

const isToolError = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;

type RunningCallParts = Pick<CallRunnerParts, 'clock' | 'maxResultCharacters' | 'tracer' | 'guard'>;

/** The server of a call, with the remaining time. */
export interface CallContext {
  readonly server: ManagedServer;
  readonly connection: () => Connection | Promise<Connection>;
  /** Returns the milliseconds until the call times out. */
  readonly timeLeft: () => number;
  readonly request: (method: string, params?: ShapeOfParams) => Promise<ShapeOfParams>;
  /** Runs work that is excluded from the call timeout, such as a question to a person. */
  readonly paused: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * The requester for HTTP API calls, to which servers cannot send requests. It counts as a candidate, because
 * a server's request might belong to such a call.
 */
const HTTP_REQUESTER: Requester = {
  identity: {},
  capabilities: {},
  request: () => Promise.reject(new Error('the client does not accept requests from servers')),
};

/** A call in progress. Its time in the queue counts toward the server's request timeout. */
class RunningCall implements CallContext {
  readonly server: ManagedServer;
  readonly #call: ServerCall;
  readonly #parts: RunningCallParts;
  readonly #audited: AuditedFacts | undefined;
  #deadline: number;

  constructor(
    server: ManagedServer,
    call: ServerCall,
    parts: RunningCallParts,
    audited: AuditedFacts | undefined,
  ) {
    this.server = server;
    this.#audited = audited;
    this.#call = call;
    this.#parts = parts;
    this.#deadline = parts.clock.now() + server.spec().timeouts.request;
  }

  readonly timeLeft = (): number => Math.max(0, Math.ceil(this.#deadline - this.#parts.clock.now()));

  connection(): Connection | Promise<Connection> {
    return this.server.connection({ timeoutMs: this.timeLeft(), signal: this.#call.signal });
  }

  /** Waits for a queue slot. Returns the function that releases it. */
  turn(): Leave | Promise<Leave> {
    const { turns, name } = this.server;
    const turn = turns.ask();
    if (turn.kind === 'granted') return turn.leave;
    if (turn.kind === 'waiting') return this.#granted(turn);
    throw new AppError(
      'OverloadedError',
      `server busy: ${name}: the limit of ${turns.running} running and ${turns.waiting} queued calls has been reached; retry in 1 s`,
      { retryAfterSeconds: 1 },
    );
  }

  request(method: string, params?: ShapeOfParams): Promise<ShapeOfParams> {
    const { meta } = this.#call;
    const { tracer } = this.#parts;
    if (!tracer) return this.#send({ method, params, meta });
    return requestTraced(
      tracer,
      { method, params: params ?? {}, server: this.server.name, meta, errorType },
      (sent, traceHeaders) => this.#send({ method, params, meta: sent, traceHeaders }),
    );
  }

  async paused<Result>(work: () => Promise<Result>): Promise<Result> {
    const { clock } = this.#parts;
    const startedAt = clock.now();
    try {
      return await work();
    } finally {
      this.#deadline += clock.now() - startedAt;
    }
  }

  async #granted({ granted, leave }: WaitingTurn): Promise<Leave> {
    const timeoutMs = this.timeLeft();
    const late = (): AppError =>
      new AppError(
        'TimeoutError',
        `server busy: ${this.server.name}: the call was queued for ${timeoutMs} ms; retry in 1 s`,
        { retryAfterSeconds: 1 },
      );
    try {
      await waitFor(granted, { clock: this.#parts.clock, timeoutMs, signal: this.#call.signal, late });
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #send(request: SentRequest): Promise<ShapeOfParams> {
    // Requested each time, because a reload can replace the connection.
    const opened = this.connection();
    const open = opened instanceof Promise ? await opened : opened;
    let result: ShapeOfParams;
    try {
      result = await this.#sendTo(open, request);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw error;
      await open.closed;
      result = await this.#sendTo(await this.connection(), request);
    }
    const { maxResultCharacters } = this.#parts;
    if (jsonSize(result, maxResultCharacters) <= maxResultCharacters) return result;
    throw new ResultTooLarge(maxResultCharacters);
  }

  #sendTo(connection: Connection, sent: SentRequest): Promise<ShapeOfParams> {
    const isScanned = this.#parts.guard.scansResults(this.server) && !LIST_METHODS.has(sent.method);
    return isScanned
      ? this.#sendScanned(connection, sent)
      : this.#sendUnscanned(connection, sent, this.#call);
  }

  /** Sends a request whose result, progress and requests to the client are scanned. Lists are scanned as a whole. */
  async #sendScanned(connection: Connection, sent: SentRequest): Promise<ShapeOfParams> {
    const { guard } = this.#parts;
    const audited = this.#audited;
    const request: ScannedRequest = {
      server: this.server,
      method: sent.method,
      name: audited?.tool ?? audited?.name ?? sent.method,
      onFindings(rules) {
        if (audited) audited.findings = [...new Set([...(audited.findings ?? []), ...rules])];
      },
    };
    const { onProgress, requester } = this.#call;
    const client = {
      onProgress:
        onProgress &&
        ((progress: ShapeOfParams) => guard.forward(request, progress, () => onProgress(progress))),
      requester: requester && guard.requester(request, requester),
    };
    let result: ShapeOfParams;
    try {
      result = await this.#sendUnscanned(connection, sent, client);
    } catch (error) {
      throw await guard.error(request, error);
    }
    return await guard.result(request, result);
  }

  #sendUnscanned(
    connection: Connection,
    { method, params, meta, traceHeaders }: SentRequest,
    { onProgress, requester = HTTP_REQUESTER }: Pick<ServerCall, 'onProgress' | 'requester'>,
  ): Promise<ShapeOfParams> {
    const { signal, headers, acceptsTask } = this.#call;
    const own = LIST_METHODS.has(method) ? undefined : this.server.callHeaders(this.#call.caller);
    const passed = own
      ? { ...passedHeaders(this.server.spec(), headers), ...own }
      : passedHeaders(this.server.spec(), headers);
    return connection.request(method, meta === undefined ? params : { ...params, _meta: meta }, {
      timeoutMs: this.timeLeft(),
      signal,
      onProgress,
      requester,
      acceptsTask: acceptsTask === true && method === 'tools/call',
      headers: traceHeaders ? { ...passed, ...traceHeaders } : passed,
    });
  }
}

/**
 * Lists are scanned with their policy for definitions. If all users share a connection, all other requests are sent
 * with the headers of the user, and lists, which are the same for all users, without them.
 */
const LIST_METHODS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

type WaitingTurn = Extract<Turn, { readonly kind: 'waiting' }>;

interface SentRequest {
  readonly method: string;
  readonly params: ShapeOfParams | undefined;
  readonly meta: ShapeOfParams | undefined;
  readonly traceHeaders?: TraceHeaders | undefined;
}

/** Returns the client headers that the configuration passes on to a server. */
function passedHeaders({ launch }: ServerSpec, headers: CallHeaders | undefined): RequestHeaders | undefined {
  const names = launch.kind === 'remote' ? launch.passHeaders : undefined;
  if (!names || !headers) return undefined;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** MCP's error code for an unknown resource up to revision 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32_002;

/** Error texts for one kind of request. */
interface FailureTexts {
  /** For example `MCP server error calling tool`. */
  readonly title: string;
  /** For example `tool call failed: time/get_current_time`; the cause is appended. */
  readonly detail: string;
}

interface FailureContext {
  readonly texts: FailureTexts;
  readonly redact: Redactor;
  /** The normalized server name, if known. */
  readonly server: string | undefined;
  readonly signal?: Cancellation | undefined;
}

/** Converts a failed call to an error for the caller, with secrets redacted. A server error remains its `cause`. */
function explainFailure(error: unknown, { texts, redact, server, signal }: FailureContext): AppError {
  const redactor: ServerRedactor = {
    text: (text) => redact.text(text, server),
    value: (value) => redact.value(value, server),
  };
  if (error instanceof AppError) return redactError(error, redactor);
  if (signal?.aborted) return clientDisconnected();
  const code = error instanceof TimeoutFailure ? 'TimeoutError' : 'UpstreamError';
  const details = [{ message: `${texts.detail}: ${causeOf(error)}` }];
  return redactError(new AppError(code, texts.title, { details, cause: error }), redactor);
}

export const isMethodNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RPC_CODE.methodNotFound;
export const isInvalidParams = (error: unknown): error is RpcFailure =>
  error instanceof RpcFailure && error.code === RPC_CODE.invalidParams;
export const isResourceNotFound = (error: unknown): boolean =>
  error instanceof RpcFailure && error.code === RESOURCE_NOT_FOUND;

export const notImplemented = (what: string, server: string): AppError =>
  new AppError('NotImplementedError', `${what} not implemented by server: ${server}`);

function causeOf(error: unknown): string {
  if (isInvalidParams(error)) return `invalid params: ${error.message}`;
  if (error instanceof ConnectionClosed || error instanceof TimeoutFailure) {
    return `transport error: ${error.message}`;
  }
  return error instanceof Malformed ? `malformed result: ${error.message}` : messageOf(error);
}

type ServerRedactor = Pick<Redactor, 'text' | 'value'>;

function redactError(error: AppError, redact: ServerRedactor): AppError {
  const { code, message, details, cause, retryAfterSeconds } = error;
  return new AppError(code, redact.text(message), {
    details: details?.map((detail) => ({ ...detail, message: redact.text(detail.message) })),
    // The message already contains the relevant part of any other cause.
    cause: cause instanceof RpcFailure ? redactRpcFailure(cause, redact) : undefined,
    retryAfterSeconds,
  });
}

const redactRpcFailure = ({ code, message, data }: RpcFailure, redact: ServerRedactor): RpcFailure =>
  new RpcFailure(code, redact.text(message), redact.value(data));

/**
 * Returns the `error.type` for the span of a failed server request: the server's error code, if it returned
 * one.
 *
 * @internal Exported for tests only.
 */
export function errorType(error: unknown): string {
  if (error instanceof RpcFailure) return String(error.code);
  if (error instanceof TimeoutFailure) return 'timeout';
  if (error instanceof ConnectionClosed) return 'connection_closed';
  return String(RpcError.from(error).code);
}

/** The nouns for list items: plural and singular. */
const NOUNS: Readonly<Record<ListName, readonly [many: string, one: string]>> = {
  tools: ['tools', 'tool'],
  prompts: ['prompts', 'prompt'],
  resources: ['resources', 'resource'],
  resourceTemplates: ['resource templates', 'resource template'],
};

export const pluralOf = (list: ListName): string => NOUNS[list][0];

const listing = ([many, one]: readonly [string, string]): CallInfo => ({
  kind: 'list',
  texts: (server) => ({
    title: `MCP server error listing ${many}`,
    detail: `${one} list failed: ${server}`,
  }),
});

/** Texts for list requests in errors and metrics. */
export const LIST_CALL_INFO: Readonly<Record<ListName, CallInfo>> = {
  tools: listing(NOUNS.tools),
  prompts: listing(NOUNS.prompts),
  resources: listing(NOUNS.resources),
  resourceTemplates: listing(NOUNS.resourceTemplates),
};
