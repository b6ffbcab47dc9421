import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { MISSING_CLIENT_CAPABILITY } from '#serve/mcp/stateless-request.ts';
import type { ToolCaller } from '../../access/caller.ts';
import type { CalledTool, Calls, TaskCall } from '../../calls/call.ts';
import { type ToolResult, toolResultShape } from '../../shapes/results.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { taskShape } from '../../shapes/tasks.ts';
import type { Supervisor } from '../../supervisor/managed-server.ts';
import { RpcFailure, type Requester } from '../../upstream/connection.ts';
import { DEFAULT_EXTENSIONS, TASKS_EXTENSION } from '../../upstream/extensions.ts';
import { hasSafeUrl } from '../../upstream/url-elicitations.ts';
import { type McpCall, mcpServerCall, type Method, optionalObject, requiredParam } from '../mcp-call.ts';
import { connectionOf } from '../shared-subscriptions.ts';
import { createTaskSubscriptions, type TaskSubscription } from './task-subscriptions.ts';
import {
  createTaskTable,
  isFinished,
  type KnownTask,
  requireRoom,
  type TaskForm,
  type TaskTable,
} from './task-table.ts';

/** How a call can become a task. */
interface TaskOffer {
  readonly form: TaskForm;
  /** The client's request for a task, in the form of a capability. */
  readonly params?: ShapeOfParams | undefined;
}

/** Passes on tasks: a task belongs to the client that created it. */
export interface Tasks {
  /** Whether a tool call of a client can become a task; undefined if not. */
  offer(call: McpCall, target: TaskTarget): TaskOffer | undefined;
  /** Returns the result with which the client learns about a task that a server has created. */
  created(
    call: McpCall,
    target: TaskTarget & { readonly tool: CalledTool },
    result: ShapeOfParams,
    state: TaskState,
  ): ShapeOfParams;
  /** The methods of an endpoint. */
  methods(endpoint: string | undefined, show: ShowResult): readonly (readonly [string, Method])[];
  /** Returns a server's notification about a task for a client's session; undefined if it does not concern the session. */
  notification(event: TaskEvent, session: object): ShapeOfParams | undefined;
  /** Subscribes a client without a session to those of the tasks that it owns. Others are not distinguished from unknown ones. */
  subscribe(call: McpCall, ids: readonly string[], client: TaskListener): Promise<TaskSubscription>;
  /** Returns the task that a server's notification is about. */
  taskOf(event: TaskEvent): KnownTask | undefined;
}

type TaskState = ShapeOfParams & { readonly taskId: string };

interface TaskTarget {
  readonly server: string;
  /** The server in the client's path; undefined for all servers. */
  readonly endpoint: string | undefined;
}

/** Prepares a tool's result for the client of a call. */
type ShowResult = (call: McpCall, task: KnownTask, result: ToolResult) => ToolResult;

interface TaskListener {
  /** The server in the client's path; undefined for all servers. */
  readonly endpoint: string | undefined;
  /** The method `tasks/get` of the client's endpoint. */
  readonly get: Method;
  readonly send: (state: ShapeOfParams) => void;
}

interface TaskEvent {
  readonly server: string;
  readonly user: string | undefined;
  readonly params: ShapeOfParams;
}

export interface TasksParts {
  readonly calls: Calls;
  readonly supervisor: Pick<Supervisor, 'get'>;
  readonly clock: Clock;
}

/** How often the state of a task is requested while a client waits for its result, unless the server suggests an interval. */
const POLL_MS = 1000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 10_000;

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export function createTasks({ calls, supervisor, clock }: TasksParts): Tasks {
  const table = createTaskTable(clock);
  const subscriptions = createTaskSubscriptions(supervisor);
  const taskOf = ({ server, user, params }: TaskEvent): KnownTask | undefined =>
    table.ofServer(server, user, String(params['taskId']));
  const allows = (server: string): boolean =>
    (supervisor.get(server)?.spec().extensions ?? DEFAULT_EXTENSIONS).includes(TASKS_EXTENSION);
  return {
    offer(call, { server, endpoint }) {
      if (!allows(server)) return undefined;
      const owner = ownerOf(call.caller, endpoint);
      if (call.session === undefined) {
        return declaresTasks(call) && table.hasRoom(owner) ? { form: 'extension' } : undefined;
      }
      if (call.params['task'] === undefined) return undefined;
      const { ttl } = optionalObject(call.params, 'task');
      requireRoom(table, owner);
      return { form: 'capability', params: ttl === undefined ? {} : { ttl } };
    },
    created(call, { server, endpoint, tool }, result, state) {
      const isExtension = result['resultType'] === 'task';
      const task = table.add(
        {
          owner: ownerOf(call.caller, endpoint),
          session: call.session,
          server,
          connectionUser: connectionOf(supervisor, server, call.caller),
          tool: tool.own,
          outputSchema: tool.shown['outputSchema'],
          upstreamId: state.taskId,
          form: isExtension ? 'extension' : 'capability',
        },
        state,
      );
      const shown = table.state(task);
      return isExtension ? { ...result, ...shown } : { ...result, task: shown };
    },
    methods: (endpoint, show) => taskMethods({ table, calls, endpoint, show }),
    taskOf,
    async subscribe(call, ids, { endpoint, get, send }) {
      requireForm(call);
      const owner = ownerOf(call.caller, endpoint);
      const tasks = [...new Set(ids)].flatMap((id) => {
        const task = table.find(owner, id);
        return task && call.caller.canUse(task.server, task.tool) ? [{ task, known: table.state(task) }] : [];
      });
      const state = async ({ id }: KnownTask): Promise<ShapeOfParams> =>
        await get({ ...call, params: { taskId: id } });
      return await subscriptions.open(tasks, { state, send });
    },
    notification(event, session) {
      const task = taskOf(event);
      if (task?.session !== session) return undefined;
      try {
        return table.update(task, taskShape(event.params));
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * The owner of a task: a user at one path. Without keys, all clients are one user, so that only the ID protects a task,
 * and lists are limited to the session.
 */
const ownerOf = ({ user, group }: ToolCaller, endpoint: string | undefined): string =>
  JSON.stringify([user, group, endpoint]);

const declaresTasks = ({ capabilities }: McpCall): boolean =>
  isObject(membersOf(capabilities?.['extensions'])[TASKS_EXTENSION]);

interface MethodParts {
  readonly table: TaskTable;
  readonly calls: Calls;
  readonly endpoint: string | undefined;
  readonly show: ShowResult;
}

function taskMethods({ table, calls, endpoint, show }: MethodParts): readonly (readonly [string, Method])[] {
  const find = (call: McpCall): KnownTask => {
    const id = requiredParam(call.params, 'taskId');
    const task = table.find(ownerOf(call.caller, endpoint), id);
    if (task && call.caller.canUse(task.server, task.tool)) return task;
    throw new RpcError(RPC_CODE.invalidParams, `Task not found: ${JSON.stringify(id.slice(0, 100))}.`);
  };
  const send = async (
    call: McpCall,
    task: KnownTask,
    method: TaskCall['method'],
    params?: ShapeOfParams,
  ): Promise<ShapeOfParams> => {
    const { requester } = call;
    return await calls.task({
      ...mcpServerCall(call, task.server),
      ...(requester && { requester: withKnownIds(requester, task) }),
      method,
      taskId: task.upstreamId,
      tool: task.tool,
      params,
    });
  };
  const state = async (call: McpCall, task: KnownTask): Promise<ShapeOfParams> => {
    const { resultType: _, ...result } = await send(call, task, 'tasks/get');
    return table.update(task, taskShape(result));
  };
  const shownResult = (call: McpCall, task: KnownTask, result: unknown): ToolResult =>
    show(call, task, toolResultShape(result));

  return [
    [
      'tasks/get',
      async (call) => {
        requireForm(call);
        const task = find(call);
        const found = withSafeInputs(await state(call, task));
        if (found['result'] === undefined) return found;
        return { ...found, result: shownResult(call, task, found['result']) };
      },
    ],
    [
      'tasks/list',
      async (call) => {
        requireSession(call, 'tasks/list');
        const own = table
          .ofOwner(ownerOf(call.caller, endpoint))
          .filter(({ session }) => call.caller.user !== undefined || session === call.session)
          .filter(({ form, server, tool }) => form === 'capability' && call.caller.canUse(server, tool));
        const tasks = await Promise.all(own.map((task) => latest(table, call, task, state)));
        return { tasks: tasks.flatMap((one) => one ?? []) };
      },
    ],
    [
      'tasks/result',
      async (call) => {
        requireSession(call, 'tasks/result');
        const task = find(call);
        await untilReady(call, () => state(call, task));
        const result = await resultOf(call, task, { state, send });
        return withTaskId(shownResult(call, task, result), task);
      },
    ],
    [
      'tasks/cancel',
      async (call) => {
        requireForm(call);
        const task = find(call);
        const result = await send(call, task, 'tasks/cancel');
        return task.form === 'extension' ? {} : table.update(task, taskShape(result));
      },
    ],
    [
      'tasks/update',
      async (call) => {
        if (call.session !== undefined) throw unknownMethod('tasks/update');
        requireForm(call);
        const task = find(call);
        const inputResponses = optionalObject(call.params, 'inputResponses');
        await send(call, task, 'tasks/update', { inputResponses });
        return {};
      },
    ],
  ];
}

/** Returns a task's state without the server's requests to open unsafe URLs. */
function withSafeInputs({ inputRequests, ...found }: ShapeOfParams): ShapeOfParams {
  if (!isObject(inputRequests)) return found;
  const safe = Object.entries(inputRequests).filter(([, request]) => {
    const { method, params } = membersOf(request);
    return hasSafeUrl(method, membersOf(params));
  });
  return { ...found, inputRequests: Object.fromEntries(safe) };
}

const unknownMethod = (method: string): RpcError =>
  new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);

/** Rejects a method that clients without a session do not have. */
function requireSession({ session }: McpCall, method: string): void {
  if (session === undefined) throw unknownMethod(method);
}

/** Rejects requests of clients without a session that do not declare the extension. */
function requireForm(call: McpCall): void {
  if (call.session !== undefined || declaresTasks(call)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  const message = `The request requires the client capability ${TASKS_EXTENSION}.`;
  throw new RpcError(MISSING_CLIENT_CAPABILITY, message, { data: { requiredCapabilities } });
}

type StateOf = (call: McpCall, task: KnownTask) => Promise<ShapeOfParams>;

/** Returns the state of a task for a list; undefined if the server does not have the task any more. */
async function latest(
  table: TaskTable,
  call: McpCall,
  task: KnownTask,
  state: StateOf,
): Promise<ShapeOfParams | undefined> {
  const known = table.state(task);
  if (isFinished(known)) return known;
  try {
    return await state(call, task);
  } catch (error) {
    if (!isUnknownTask(error)) return known;
    table.remove(task);
    return undefined;
  }
}

const isUnknownTask = (error: unknown): boolean =>
  error instanceof AppError &&
  error.cause instanceof RpcFailure &&
  error.cause.code === RPC_CODE.invalidParams;

/** Waits until a task is finished or requires input. */
async function untilReady({ signal }: McpCall, state: () => Promise<ShapeOfParams>): Promise<void> {
  for (;;) {
    const found = await state();
    if (found['status'] !== 'working') return;
    const { pollInterval } = found;
    const suggested = typeof pollInterval === 'number' ? pollInterval : POLL_MS;
    await sleep(Math.min(Math.max(suggested, MIN_POLL_MS), MAX_POLL_MS), undefined, { signal });
  }
}

interface TaskRequests {
  readonly state: StateOf;
  readonly send: (call: McpCall, task: KnownTask, method: TaskCall['method']) => Promise<ShapeOfParams>;
}

/**
 * Requests the result of a task. While the task requires input, the server sends its requests to the client during this
 * request. A task can take longer than the timeout of a request, so the request is repeated.
 */
async function resultOf(
  call: McpCall,
  task: KnownTask,
  { state, send }: TaskRequests,
): Promise<ShapeOfParams> {
  for (;;) {
    try {
      return await send(call, task, 'tasks/result');
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'TimeoutError') throw error;
      await untilReady(call, () => state(call, task));
    }
  }
}

function withTaskId<Value extends ShapeOfParams>(value: Value, { id }: KnownTask): Value {
  const meta = membersOf(value['_meta']);
  return { ...value, _meta: { ...meta, [RELATED_TASK]: { taskId: id } } };
}

/** The client of a task, which knows the task by its own ID in requests of the server. */
const withKnownIds = (requester: Requester, task: KnownTask): Requester => ({
  ...requester,
  request: (method, params, signal) => {
    const related = membersOf(membersOf(params?.['_meta'])[RELATED_TASK]);
    const isRelated = params !== undefined && related['taskId'] === task.upstreamId;
    return requester.request(method, isRelated ? withTaskId(params, task) : params, signal);
  },
});
