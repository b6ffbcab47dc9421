import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { Canceler } from '#core/limits/cancellation.ts';
import type { Clock } from '#platform/clock.ts';
import { clientDisconnected } from '#platform/wait-for.ts';
import type { CallKind, ScriptEnd, ToolReply, ToolRequest } from '#transform/tool-script/tool-script.ts';
import { jsonSize } from '../shared/json-size.ts';
import type { CalledTool, Calls, ServerCall } from '../calls/call.ts';
import { toolName } from '../calls/tool-catalog.ts';
import { serverName } from '../config/server-name.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { Requester } from '../upstream/connection.ts';
import { type CalledItem, calledItem, type InspectCall, type InspectedCall } from './called-item.ts';
import { emptyLists } from './empty-lists.ts';
import { MAX_PARALLEL_CALLS, MAX_RESULT_CHARACTERS, scriptLimits, type ScriptSettings } from './limits.ts';
import type { ScriptMetrics } from './script-metrics.ts';
import type { RunningThread, ScriptThreads } from './script-threads.ts';
import { BinaryData, dataOf, itemValue } from './tool-values.ts';

/** The request of a client that runs a script. */
export type ScriptCall = Omit<ServerCall, 'server' | 'signal' | 'script'> & {
  readonly signal: AbortSignal;
  /** Sends each call through plugins; undefined if there are none. */
  readonly inspect?: InspectCall | undefined;
};

/** A tool, prompt or resource whose result a script received. */
export interface UsedItem {
  readonly server: string;
  readonly kind: CallKind;
  /** The name on its server, or the URI. */
  readonly name: string;
}

export interface RunningScriptParts {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly threads: ScriptThreads;
  readonly settings: ScriptSettings;
  readonly metrics: Pick<ScriptMetrics, 'onCall'>;
}

/** Maximum length of the message of a failed call. */
const MAX_MESSAGE = 2000;

/** One script: passes its calls on, and ends it if it takes too long or its client disconnects. */
export class RunningScript {
  readonly binary = new BinaryData(`\u0000${randomUUID()}:`);
  /** Number of successful calls, by `server/tool`, `server/prompt` or `server/uri`. */
  readonly succeeded = new Map<string, number>();
  readonly #call: ScriptCall;
  readonly #id: string;
  readonly #parts: RunningScriptParts;
  readonly #canceler = new Canceler();
  readonly #used = new Map<string, UsedItem>();
  readonly #waiting: ToolRequest[] = [];
  readonly #deadline: PausableDeadline;
  #thread: RunningThread | undefined;
  #running = 0;
  #finished = 0;

  constructor(call: ScriptCall, id: string, parts: RunningScriptParts) {
    this.#call = call;
    this.#id = id;
    this.#parts = parts;
    const { timeoutMs } = parts.settings;
    this.#deadline = new PausableDeadline(parts.clock, timeoutMs, () =>
      this.#thread?.kill(new ScriptTimeout(`it exceeded its time limit of ${timeoutMs / 1000} s`)),
    );
  }

  get used(): readonly UsedItem[] {
    return [...this.#used.values()];
  }

  get callCount(): number {
    return this.#finished;
  }

  /** Rejects with a ScriptTimeout, or a CancelledError if the client disconnects. */
  async run(source: string): Promise<ScriptEnd> {
    const { signal } = this.#call;
    const { threads, settings } = this.#parts;
    if (signal.aborted) throw clientDisconnected();
    // The calls belong to the client's request, and so do their spans.
    const inRequest = AsyncLocalStorage.snapshot();
    const job = { source, limits: scriptLimits(settings), handlePrefix: this.binary.prefix };
    const thread = threads.run(job, (request) => inRequest(() => this.#start(request)));
    this.#thread = thread;
    const onAbort = (): void => thread.kill(clientDisconnected());
    signal.addEventListener('abort', onAbort, { once: true });
    this.#deadline.resume();
    try {
      return await thread.ended;
    } finally {
      this.#deadline.pause();
      this.#thread = undefined;
      signal.removeEventListener('abort', onAbort);
      this.#canceler.abort(clientDisconnected());
    }
  }

  #start(request: ToolRequest): void {
    if (this.#running >= MAX_PARALLEL_CALLS) this.#waiting.push(request);
    else void this.#reply(request);
  }

  async #reply(request: ToolRequest): Promise<void> {
    const { metrics } = this.#parts;
    const { onProgress, inspect, caller } = this.#call;
    this.#running += 1;
    let reply: ToolReply;
    let name = `${request.server}/${request.tool}`;
    try {
      // Behind plugins, the check of the key counts the call.
      if (!inspect) caller.countCall?.();
      const item = calledItem(request, await this.#args(request));
      name = `${item.server}/${item.name}`;
      reply = { json: await this.#result(item, request.id, name) };
      metrics.onCall('ok');
      this.succeeded.set(name, (this.succeeded.get(name) ?? 0) + 1);
    } catch (error) {
      reply = { error: failureText(error).slice(0, MAX_MESSAGE) };
      metrics.onCall('error');
    }
    this.#running -= 1;
    this.#finished += 1;
    if (!this.#thread) return;
    onProgress?.({ progress: this.#finished, message: name });
    this.#thread.reply(request.id, reply);
    const next = this.#waiting.shift();
    if (next) void this.#reply(next);
  }

  /** Makes a call in the same way as a client's own call, and returns what the script receives, as JSON. */
  async #result(item: CalledItem, number: number, name: string): Promise<string> {
    const { inspect, caller, headers, meta } = this.#call;
    const result = inspect
      ? await inspect(item, number, (inspected) => this.#run(inspected))
      : await this.#run({ item, caller, headers, meta });
    const value = itemValue(item, result, this.binary);
    const size = jsonSize(value, MAX_RESULT_CHARACTERS);
    if (size <= MAX_RESULT_CHARACTERS) return JSON.stringify(value);
    throw new AppError(
      'UpstreamError',
      `${name}: the result has more than ${MAX_RESULT_CHARACTERS} characters of JSON`,
    );
  }

  async #run({ item: { kind, server, name, args }, ...own }: InspectedCall): Promise<ShapeOfParams> {
    const { calls } = this.#parts;
    const { onProgress: _own, inspect: _inspect, ...request } = this.#call;
    const call: ServerCall = {
      ...request,
      ...own,
      server,
      signal: this.#canceler,
      script: this.#id,
      requester: request.requester && this.#pausing(request.requester),
    };
    if (kind === 'tool') {
      const onTool = ({ own: tool }: CalledTool): void => this.#use(call, kind, tool);
      return await calls.callTool({ ...call, tool: name, args, onTool });
    }
    const result =
      kind === 'prompt'
        ? await calls.getPrompt({ ...call, prompt: name, args: textsIn(args) })
        : { contents: await calls.readResource({ ...call, uri: name }) };
    this.#use(call, kind, name);
    return result;
  }

  #use({ server: written }: ServerCall, kind: CallKind, name: string): void {
    const server = serverName(written);
    this.#used.set(`${kind} ${server}/${name}`, { server, kind, name });
  }

  async #args({ kind, server, tool, args: json }: ToolRequest): Promise<ShapeOfParams> {
    const parsed = this.binary.replace(parseLossless(json), dataOf);
    const hasEmpty = kind === 'tool' && json.indexOf('{}') > 0;
    const args = hasEmpty ? emptyLists(parsed, await this.#inputSchema(server, tool)) : parsed;
    if (isObject(args)) return args;
    throw new AppError('InternalError', 'the arguments must be an object');
  }

  async #inputSchema(server: string, tool: string): Promise<unknown> {
    const { calls } = this.#parts;
    const { caller, requestId } = this.#call;
    const list = { caller, requestId, server, list: 'tools', signal: this.#canceler } as const;
    const tools = calls.listed(list) ?? (await calls.listAll(list).catch(() => []));
    const isSame = (name: unknown): boolean => name === tool || toolName(String(name)) === tool;
    return tools.find(({ name }) => isSame(name))?.['inputSchema'];
  }

  /** While the client is asked something, for example for an approval, the time does not count. */
  #pausing(requester: Requester): Requester {
    return {
      ...requester,
      request: async (...request) => {
        this.#deadline.pause();
        try {
          return await requester.request(...request);
        } finally {
          if (this.#thread) this.#deadline.resume();
        }
      },
    };
  }
}

/** The time limit of a script. */
export class ScriptTimeout extends AppError {
  constructor(message: string) {
    super('TimeoutError', message);
  }
}

/** A deadline that does not come closer while it is paused. Starts paused; each pause needs its own `resume`. */
class PausableDeadline {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #left: number;
  #pauses = 1;
  #startedAt = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, milliseconds: number, onEnd: () => void) {
    this.#clock = clock;
    this.#left = milliseconds;
    this.#onEnd = onEnd;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    this.#startedAt = this.#clock.now();
    this.#cancel = this.#clock.after(this.#left, this.#onEnd);
  }

  pause(): void {
    this.#pauses += 1;
    if (!this.#cancel) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#startedAt));
  }
}

function textsIn(args: ShapeOfParams): Readonly<Record<string, string>> {
  const isTexts = (value: ShapeOfParams): value is Record<string, string> =>
    Object.values(value).every((item) => typeof item === 'string');
  if (isTexts(args)) return args;
  throw new AppError('InputError', 'the arguments of a prompt must be texts');
}

function failureText(error: unknown): string {
  const { message, details = [] } = AppError.from(error);
  return details.length > 0 ? details.map((detail) => detail.message).join(': ') : message;
}
