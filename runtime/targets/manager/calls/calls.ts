import type { Registry } from 'prom-client';
import { type Clock, systemClock } from '#platform/clock.ts';
import { type Supervisor, type ManagedServer, serverOf } from '../supervisor/managed-server.ts';
import type { Calls, ServerCall } from './call.ts';
import {
  createCallRunner,
  type RunCall,
  type CallInfo,
  isInvalidParams,
  isMethodNotFound,
  notImplemented,
  type CallContext,
  LIST_CALL_INFO,
} from './run-call.ts';
import type { SecretPage, SignInPage } from './require-user.ts';
import type { CallAuditLog } from './audit.ts';
import { type CallObserver, observeCalls, createCallStatistics } from './metrics.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { Redactor } from '#serve/redact.ts';
import { resourceCalls, requireResource } from './resources.ts';
import { createCheckList } from '../shapes/check-list.ts';
import {
  createToolCatalog,
  type ToolCatalog,
  canCall,
  canList,
  canRead,
  type CatalogTool,
} from './tool-catalog.ts';
import { taskCalls } from './task-calls.ts';
import { toolCalls } from './tool-calls.ts';
import { LISTS } from './request-list.ts';
import { LIST_NAMES } from '../shared/list-items.ts';
import type { ListWaitLimits } from './cached-list.ts';
import { createServerLists, type ServerLists } from './server-lists.ts';
import { isPerUser } from '../config/spec.ts';
import { serverName } from '../config/server-name.ts';
import type { SavedLists } from '../saved-lists/saved-lists.ts';
import { createGuard } from '../scanning/create-guard.ts';
import type { ScanGuard } from '../scanning/guard.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { AppError, inputError } from '#contract/errors.ts';
import { RpcFailure } from '../upstream/connection.ts';
import { requireCapability, listPage, type ListPageParts, readerOf } from './list-page.ts';
import { listAllPages } from './list-pages.ts';
import { promptResult, completionResult } from '../shapes/results.ts';
import { membersOf } from '#core/json/members-of.ts';

/** @internal Exported for tests only. */
export interface CallLimits {
  /** Maximum size of a result, in characters of JSON. */
  readonly maxResultCharacters: number;
}

const DEFAULT_LIMITS: CallLimits = { maxResultCharacters: 32 * 1_048_576 };

export interface CallsOptions {
  readonly supervisor: Supervisor;
  readonly redact: Redactor;
  readonly audit?: CallAuditLog | undefined;
  readonly limits?: CallLimits | undefined;
  readonly metrics?: Registry | undefined;
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
  readonly signInPage?: SignInPage | undefined;
  readonly secretPage?: SecretPage | undefined;
  readonly savedLists?: SavedLists | undefined;
  /** Scans the texts of servers. Default: a guard that keeps nothing in files. */
  readonly guard?: ScanGuard | undefined;
}

export interface OpenedCalls extends Calls {
  /** Resolves when the lists of lazy servers are saved. */
  readonly close: () => Promise<void>;
  readonly guard: ScanGuard;
}

export function createCalls({
  supervisor,
  redact,
  audit,
  limits = DEFAULT_LIMITS,
  metrics,
  clock = systemClock,
  tracer,
  signInPage,
  secretPage,
  savedLists,
  guard = createGuard({ supervisor: () => supervisor, redact, clock, metrics }),
}: CallsOptions): OpenedCalls {
  const statistics = createCallStatistics(supervisor, clock.now);
  const observers = [statistics, ...(metrics ? [observeCalls(metrics, supervisor)] : [])];
  const observer: CallObserver = {
    onCall: (call) => {
      for (const { onCall } of observers) onCall(call);
    },
  };
  const checkList = createCheckList();
  supervisor.subscribe((event) => {
    if (event.kind === 'session-opened') serverOf(supervisor, event)?.listFaults.clear();
  });
  supervisor.subscribe((event) => {
    if (event.kind === 'servers-changed') guard.keep(supervisor.names());
  });
  const options = { supervisor, signInPage, secretPage, redact, clock, audit, observer, tracer, guard };
  const runCall = createCallRunner({ ...options, ...limits });
  const lists = createServerLists(supervisor, { clock, checkList, saved: savedLists, guard });
  const catalog = createToolCatalog(lists, clock);
  watchPins(supervisor, catalog, lists);
  return {
    statistics: statistics.of,
    servers: (caller) => supervisor.names().filter((name) => caller.canUse(name)),
    ...toolCalls(runCall, catalog, guard),
    ...listAllCalls(runCall, lists, catalog, supervisor),
    ...promptCalls(runCall, { checkList, lists }),
    ...resourceCalls(runCall, { checkList, lists }),
    ...mcpCalls(runCall),
    task: taskCalls(runCall),
    async peer({ caller, server: name, timeoutMs, signal }) {
      const server = caller.canUse(serverName(name)) ? supervisor.get(name) : undefined;
      if (!server) return undefined;
      const peer = await lists.peer(server.forUser(caller), { timeLeft: () => timeoutMs, signal });
      return await guard.peer(server, peer);
    },
    close: lists.close,
    guard,
  };
}

/**
 * Lists the items of a pinned server after its start, an announced change or a reload, so that a change is
 * reported even if no client lists them.
 */
function watchPins(supervisor: Supervisor, catalog: ToolCatalog, lists: ServerLists): void {
  const check = (server: ManagedServer | undefined): void => {
    const { pins } = server?.spec() ?? {};
    if (!server || !pins || server.status().phase !== 'running') return;
    const timeLeft = (): number => server.spec().timeouts.request;
    // A failure is reported in the server's log and to the next client that requests the list.
    const ignore = (): undefined => undefined;
    catalog.tools({ server, timeLeft }, {}).catch(ignore);
    if (pins.scope === 'basic') return;
    for (const list of LIST_NAMES) {
      if (list !== 'tools') lists.read(server, list, { timeLeft }).catch(ignore);
    }
  };
  supervisor.subscribe((event) => {
    if (event.kind === 'servers-changed') {
      for (const server of supervisor.names()) check(supervisor.get(server));
      return;
    }
    const isChange =
      event.kind === 'session-opened' || (event.kind === 'notification' && LIST_CHANGES.has(event.method));
    // Runs after the other listeners, which expire the cached list.
    if (isChange) setImmediate(() => check(serverOf(supervisor, event)));
  });
}

/** The notifications that announce changed lists. */
const LIST_CHANGES: ReadonlySet<string> = new Set(
  LIST_NAMES.map((list) => `notifications/${LISTS[list].capability}/list_changed`),
);

/**
 * Default time limits for combined lists of all servers. Slower servers are omitted, so that they do not
 * delay the list.
 */
const DEFAULT_WAIT_LIMITS: ListWaitLimits = { startMs: 10_000, listMs: 5000 };

/** Creates the calls for combined lists of all servers. */
function listAllCalls(
  runCall: RunCall,
  lists: ServerLists,
  catalog: ToolCatalog,
  supervisor: Pick<Supervisor, 'get'>,
): Pick<Calls, 'listAll' | 'listed'> {
  return {
    listed({ caller, server: name, list, maxAgeMs }) {
      const server = caller.canUse(serverName(name)) ? supervisor.get(name) : undefined;
      // Only a request can determine whether a user is signed in.
      if (!server || isPerUser(server.spec())) return undefined;
      if (list === 'tools')
        return catalog
          .current(server)
          ?.filter((tool) => canCall(caller, server.name, tool))
          .map(shownTool);
      const items = (lists.current(server, list, maxAgeMs) ?? lists.asleep(server, list))?.items;
      return items?.filter((item) => canList(caller, server.spec(), list, item));
    },
    listAll({ list, maxWaitMs, maxAgeMs, ...call }) {
      const { signal, caller } = call;
      const waitLimits = limited(DEFAULT_WAIT_LIMITS, maxWaitMs);
      // Readers share one request, so it does not need a slot in the queue, and queued calls must not delay
      // lists.
      return runCall(call, { ...LIST_CALL_INFO[list], takesTurn: false }, async (context) => {
        const { server, timeLeft } = context;
        if (list === 'tools') {
          const tools = await catalog.tools(context, { signal, waitLimits });
          return tools.filter((tool) => canCall(caller, server.name, tool)).map(shownTool);
        }
        const { items } = await lists.read(server, list, { timeLeft, signal, waitLimits, maxAgeMs });
        return items.filter((item) => canList(caller, server.spec(), list, item));
      });
    },
  };
}

const shownTool = ({ shown }: CatalogTool): ShapeOfParams => shown;

const limited = ({ startMs, listMs }: ListWaitLimits, maxWaitMs = Infinity): ListWaitLimits => ({
  startMs: Math.min(startMs, maxWaitMs),
  listMs: Math.min(listMs, maxWaitMs),
});

function promptCalls(runCall: RunCall, parts: ListPageParts): Pick<Calls, 'listPrompts' | 'getPrompt'> {
  return {
    listPrompts: (call) =>
      runCall(call, LIST_CALL_INFO.prompts, (context) => listPage(context, 'prompts', call, parts)),
    getPrompt(call) {
      const { prompt, args } = call;
      const info: CallInfo = {
        kind: 'prompt',
        audited: { name: prompt, args },
        texts: (server) => ({
          title: 'MCP server error getting prompt',
          detail: `prompt generation from template failed: ${server}: ${prompt}`,
        }),
      };
      return runCall(call, info, async (context) => {
        if (!canRead(call.caller, context.server.spec(), 'prompt', prompt)) {
          throw new AppError('ForbiddenError', `prompt not allowed: ${context.server.name}/${prompt}`);
        }
        parts.lists.guard.requireVisible(context.server, 'prompts', prompt);
        await requireCapability(context, 'prompts');
        await parts.lists.requirePinned(context.server, 'prompts', prompt, readerOf(context, call));
        try {
          return promptResult(await context.request('prompts/get', { name: prompt, arguments: args }));
        } catch (error) {
          throw await explainRpcFailure(error, context, prompt);
        }
      });
    },
  };
}

/**
 * Distinguishes unknown prompts from invalid arguments by looking at the prompt list, because servers use the
 * same codes for both.
 */
async function explainRpcFailure(error: unknown, context: CallContext, prompt: string): Promise<unknown> {
  if (!(error instanceof RpcFailure)) return error;
  const { name } = context.server;
  if (isMethodNotFound(error)) return notImplemented('prompts', name);
  if (await isUnlisted(context, prompt)) {
    return new AppError('NotFoundError', `prompt not found: ${name}/${prompt}`, { cause: error });
  }
  if (!isInvalidParams(error)) return error;
  return inputError(`invalid prompt arguments: ${name}/${prompt}: ${error.message}`, error);
}

async function isUnlisted(context: CallContext, prompt: string): Promise<boolean> {
  const fetchPage = (cursor: string | undefined): Promise<ShapeOfParams> =>
    context.request('prompts/list', cursor === undefined ? undefined : { cursor });
  const prompts = await listAllPages('prompts', fetchPage).catch(() => undefined);
  return prompts !== undefined && !prompts.some(({ name }) => name === prompt);
}

const info = (action: string): CallInfo => ({
  kind: 'other',
  texts: (server) => ({ title: `MCP server error ${action}`, detail: `${action} failed: ${server}` }),
});
const COMPLETING = info('completing an argument');
const SUBSCRIBING = info('subscribing to a resource');
const SETTING_LEVEL = info('setting the log level');

/** The calls that only MCP offers: completions, subscriptions and log levels. */
function mcpCalls(runCall: RunCall): Pick<Calls, 'complete' | 'subscribe' | 'unsubscribe' | 'setLogLevel'> {
  const aboutResource = async (
    method: string,
    call: ServerCall & { readonly uri: string },
  ): Promise<void> => {
    await runCall(call, SUBSCRIBING, async (context) => {
      await requireResource(context, call);
      return requestIfKnown(context, 'subscriptions', method, { uri: call.uri });
    });
  };
  return {
    complete: (call) =>
      runCall(call, COMPLETING, async (context) => {
        requireReference(context, call);
        await requireCapability(context, 'completions');
        return completionResult(
          await requestIfKnown(context, 'completions', 'completion/complete', call.params),
        );
      }),
    subscribe: (call) => aboutResource('resources/subscribe', call),
    unsubscribe: (call) => aboutResource('resources/unsubscribe', call),
    async setLogLevel(call) {
      await runCall(call, SETTING_LEVEL, async (context) => {
        await requireCapability(context, 'logging');
        return requestIfKnown(context, 'logging', 'logging/setLevel', { level: call.level });
      });
    },
  };
}

async function requestIfKnown(
  context: CallContext,
  capability: string,
  method: string,
  params: ShapeOfParams,
): Promise<ShapeOfParams> {
  try {
    return await context.request(method, params);
  } catch (error) {
    throw isMethodNotFound(error) ? notImplemented(capability, context.server.name) : error;
  }
}

function requireReference(
  { server }: CallContext,
  { caller, params }: ServerCall & { readonly params: ShapeOfParams },
): void {
  const { type, name, uri } = membersOf(params['ref']);
  const spec = server.spec();
  if (type === 'ref/prompt' && typeof name === 'string') {
    if (canRead(caller, spec, 'prompt', name)) return;
    throw new AppError('ForbiddenError', `prompt not allowed: ${server.name}/${name}`);
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    if (canRead(caller, spec, 'resource', uri)) return;
    throw new AppError('ForbiddenError', `resource not allowed: ${server.name}: ${uri}`);
  }
  throw inputError('`ref` must be a prompt (ref/prompt with name) or a resource (ref/resource with uri).');
}
