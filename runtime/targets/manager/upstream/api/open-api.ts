import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '#contract/errors.ts';
import { abortSignalOf } from '#core/limits/cancellation.ts';
import { systemClock } from '#platform/clock.ts';
import { sha256 } from '#platform/sha256.ts';
import { watchFiles } from '#platform/watch-files.ts';
import { RPC_CODE } from '#serve/mcp/rpc-error.ts';
import type { ApiSettings, RemoteLaunch, ServerSpec } from '../../config/spec.ts';
import type { ApiPlan, ApiTool } from '../../openapi/plan.ts';
import { planProblem } from '../../openapi/plan-problem.ts';
import { readPlanInThread } from '../../openapi/read-plan-in-thread.ts';
import { jsonSize } from '../../shared/json-size.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import {
  type CloseReason,
  type Connection,
  ConnectionClosed,
  type ConnectionHooks,
  type RequestOptions,
  RpcFailure,
  TimeoutFailure,
} from '../connection.ts';
import { openTokens } from '../remote/open-tokens.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { isOwnDocument, type LoadedDocument, loadDocument } from './fetch-document.ts';

/** Maximum number of tools on a page of the list, and of their characters. */
const PAGE = 250;
const PAGE_CHARACTERS = 4 * 1024 * 1024;
/** Maximum timer delay in Node. */
const MAX_DELAY_MS = 2 ** 31 - 1;
/** Maximum number of operations without a tool that are logged one by one. */
const MAX_LOGGED = 20;
const MAX_WARNINGS = 5;

/** What is known of the API: its tools, and the client for its server. */
interface OpenedApi {
  readonly plan: ApiPlan;
  readonly tools: ReadonlyMap<string, ApiTool>;
  readonly client: ApiClient;
}

/**
 * Opens an API that is described by an OpenAPI document: its operations are the tools. To the rest of the manager, it
 * is a server like any other.
 */
export async function openApi(
  { name, timeouts }: Pick<ServerSpec, 'name' | 'timeouts'>,
  launch: RemoteLaunch & { readonly api: ApiSettings },
  { onNotification, onWarning, onLog, signIns: store, user, maxResultCharacters }: ConnectionHooks,
  signal?: AbortSignal,
): Promise<Connection> {
  const { api, headers } = launch;
  const tokens = launch.oauth && openTokens(launch, timeouts, store && { store, server: name, user });
  const closing = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<CloseReason>();
  const warn = onWarning ?? onLog;

  const load = async (validators?: LoadedDocument['validators'], by?: AbortSignal) =>
    await loadDocument({
      document: api.document,
      headers: isOwnDocument(api) ? headers : {},
      timeoutMs: timeouts.init,
      signal: by,
      validators,
    });
  const open = async ({ text }: LoadedDocument): Promise<OpenedApi> => {
    const plan = await readPlanInThread({
      server: name,
      text,
      settings: api,
      ownHeaders: Object.keys(headers),
    });
    const { tools, baseUrl } = plan;
    if (baseUrl === undefined)
      throw new AppError('UpstreamError', planProblem(plan, api) ?? 'The API has no URL.');
    report(plan, warn);
    return {
      plan,
      tools: new Map(tools.map((tool) => [tool.definition.name, tool])),
      client: createApiClient({ server: name, launch, timeouts, plan, baseUrl, tokens, maxResultCharacters }),
    };
  };

  const first = await load(undefined, signal);
  if (!first) throw new AppError('UpstreamError', `${api.document} returned no document.`);
  let { validators } = first;
  let hash = hashOf(first);
  let current = await open(first);
  /** Why the latest version of the document is not used. */
  let problem: string | undefined;
  signal?.throwIfAborted();

  const refresh = async (): Promise<void> => {
    try {
      const loaded = await load(validators, closing.signal);
      if (loaded === undefined) return;
      const isSame = hashOf(loaded) === hash && current.plan.files.length <= 1;
      validators = loaded.validators;
      problem = undefined;
      if (isSame) return;
      const next = await open(loaded);
      if (closing.signal.aborted) return void next.client.close();
      hash = hashOf(loaded);
      const before = current;
      current = next;
      files.watch(next.plan.files);
      retire(before.client);
      onNotification('notifications/tools/list_changed', undefined);
    } catch (error) {
      if (closing.signal.aborted) return;
      problem = `The changed OpenAPI document is not used: ${messageOf(error)}`;
      warn(problem);
    }
  };
  let refreshing: Promise<void> | undefined;
  const refreshOnce = (): Promise<void> => (refreshing ??= refresh().finally(() => (refreshing = undefined)));
  const files = watchFiles({ clock: systemClock, onChange: () => void refreshOnce(), onTrouble: warn });
  if (current.plan.files.length > 0) files.watch(current.plan.files);
  else if (api.refreshMs > 0) void repeat(api.refreshMs, refreshOnce, closing.signal);

  const { plan } = current;
  return {
    peer: {
      protocolVersion: `OpenAPI ${plan.specification}`,
      name: plan.title,
      version: plan.version,
      capabilities: { tools: { listChanged: true } },
    },
    pid: undefined,
    closed,
    warnings: () => warningsOf(current.plan, problem),
    async request(method, params, options) {
      if (closing.signal.aborted) throw new ConnectionClosed('The connection was closed.');
      if (method === 'tools/list') return toolPage(current.plan, params, maxResultCharacters);
      if (method === 'tools/call') return await call(current, params, options, closing.signal);
      if (method === 'ping' || method === 'logging/setLevel') return {};
      throw new RpcFailure(RPC_CODE.methodNotFound, `An API has no method ${method}.`);
    },
    notify: () => undefined,
    // The API is not called, because any request could have an effect or cost money.
    check: () => Promise.resolve(0),
    async close() {
      closing.abort();
      files.close();
      await current.client.close();
      resolve({ message: 'The connection was closed.', expected: true });
    },
  };
}

const hashOf = ({ text }: LoadedDocument): string => sha256(Buffer.from(text));

/** Closes a client after the requests in flight. */
const retire = (client: ApiClient): void => void client.finish();

async function repeat(everyMs: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await sleep(Math.min(everyMs, MAX_DELAY_MS), undefined, { signal, ref: false });
      await work();
    }
  } catch {
    // The connection was closed.
  }
}

/** Returns a page of the tools that is smaller than the maximum of a result. */
function toolPage(
  { tools }: ApiPlan,
  params: ShapeOfParams | undefined,
  maxCharacters = Infinity,
): ShapeOfParams {
  const cursor = params?.['cursor'];
  const start = typeof cursor === 'string' && /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0;
  const page: unknown[] = [];
  let left = Math.min(PAGE_CHARACTERS, maxCharacters / 2);
  for (const { definition } of tools.slice(start, start + PAGE)) {
    left -= jsonSize(definition);
    if (left < 0 && page.length > 0) break;
    page.push(definition);
  }
  const end = start + page.length;
  return { tools: page, ...(end < tools.length ? { nextCursor: String(end) } : {}) };
}

async function call(
  { tools, client }: OpenedApi,
  params: ShapeOfParams | undefined,
  { timeoutMs, signal, headers }: RequestOptions,
  closing: AbortSignal,
): Promise<ShapeOfParams> {
  const { name, arguments: args } = params ?? {};
  const tool = typeof name === 'string' ? tools.get(name) : undefined;
  if (!tool) throw new RpcFailure(RPC_CODE.invalidParams, `Unknown tool: ${String(name)}`);
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, MAX_DELAY_MS));
  try {
    return await client.call(tool, args, {
      headers,
      signal: AbortSignal.any([timeout, closing, ...(signal ? [abortSignalOf(signal)] : [])]),
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (closing.aborted) throw new ConnectionClosed('The connection was closed.', { cause: error });
    if (!timeout.aborted) throw error;
    const { method, path } = tool.operation;
    throw new TimeoutFailure(`The API did not respond to ${method} ${path} within ${timeoutMs} ms.`);
  }
}

/** Logs operations that are not tools. */
function report({ dropped, problems }: ApiPlan, warn: (text: string) => void): void {
  for (const problem of problems) warn(problem);
  for (const { operation, reason } of dropped.slice(0, MAX_LOGGED))
    warn(`${operation} is not a tool: ${reason}`);
  if (dropped.length > MAX_LOGGED) warn(`${dropped.length - MAX_LOGGED} more operations are not tools`);
}

function warningsOf({ dropped, problems }: ApiPlan, problem: string | undefined): readonly string[] {
  const more = dropped.length - MAX_WARNINGS;
  return [
    ...(problem === undefined ? [] : [problem]),
    ...problems,
    ...dropped.slice(0, MAX_WARNINGS).map(({ operation, reason }) => `${operation} is not a tool: ${reason}`),
    ...(more > 0 ? [`${more} more operations are not tools`] : []),
  ];
}
