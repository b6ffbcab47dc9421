import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { AppError } from '#contract/errors.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import { type Leave, TurnQueue } from '#core/limits/turn-queue.ts';
import type { Clock } from '#platform/clock.ts';
import { waitFor } from '#platform/wait-for.ts';
import type { CallAuditLog } from '../calls/audit.ts';
import type { Calls } from '../calls/call.ts';
import type { CallOutcome } from '../calls/metrics.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { ToolResult } from '../shapes/results.ts';
import { MAX_SCRIPT_CHARACTERS, MAX_WAITING, type ScriptSettings } from './limits.ts';
import { RunningScript, type ScriptCall, ScriptTimeout, type UsedItem } from './running-script.ts';
import { scriptMetrics, type ScriptOutcome } from './script-metrics.ts';
import { createScriptThreads } from './script-threads.ts';
import { scriptResult } from './tool-values.ts';

/** The name of the tool that runs scripts. */
export const RUN_SCRIPT = 'run_script';

/** Runs Lua scripts that call tools. */
export interface Scripts {
  /** Runs a script. An error of the script is a result with `isError`, like an error of a tool. */
  readonly run: (call: ScriptCall, source: string) => Promise<RanScript>;
  readonly close: () => Promise<void>;
}

interface RanScript {
  readonly result: ToolResult;
  /** The tools, prompts and resources whose results the script received. */
  readonly used: readonly UsedItem[];
}

export interface ScriptsParts {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly metrics: Registry;
  readonly audit: Pick<CallAuditLog, 'ready' | 'record'> | undefined;
  readonly settings: ScriptSettings;
}

export function createScripts({ metrics: registry, audit, ...parts }: ScriptsParts): Scripts {
  const { clock, settings } = parts;
  const places = new Places(settings, clock);
  const metrics = scriptMetrics(registry, () => places.running);
  const threads = createScriptThreads();
  return {
    async run(call, source) {
      const ready = audit?.ready();
      if (ready) await ready;
      const id = randomUUID();
      const startedAt = clock.now();
      const script = new RunningScript(call, id, { ...parts, threads, metrics });
      const record = (outcome: CallOutcome, result?: unknown): void =>
        audit?.record({
          call: { ...call, server: undefined },
          server: undefined,
          kind: 'script',
          name: RUN_SCRIPT,
          args: { script: source },
          outcome,
          milliseconds: clock.now() - startedAt,
          result,
          script: { id, calls: script.callCount },
        });
      try {
        const { result, outcome } = await places.use(call, () => finished(script, source));
        metrics.onScript(outcome);
        record(outcome === 'ok' ? 'ok' : 'tool-error', result);
        return { result, used: script.used };
      } catch (error) {
        const failure = AppError.from(error);
        metrics.onScript(failure.code === 'CancelledError' ? 'canceled' : 'rejected');
        record(failure.code);
        throw failure;
      }
    },
    close: threads.close,
  };
}

interface Finished {
  readonly result: ToolResult;
  readonly outcome: ScriptOutcome;
}

async function finished(script: RunningScript, source: string): Promise<Finished> {
  if (source.length > MAX_SCRIPT_CHARACTERS) {
    const message = `it has ${source.length} characters; the maximum is ${MAX_SCRIPT_CHARACTERS}`;
    return { result: failedResult(message, script, source), outcome: 'limit' };
  }
  try {
    const end = await script.run(source);
    if ('error' in end) {
      return { result: failedResult(end.error, script, source), outcome: end.isLimit ? 'limit' : 'error' };
    }
    const { json, hasPrinted } = end;
    const result = json === undefined ? noResult(hasPrinted) : scriptResult(json, script.binary);
    return { result, outcome: 'ok' };
  } catch (error) {
    if (!(error instanceof ScriptTimeout)) throw error;
    return { result: failedResult(error.message, script, source), outcome: 'limit' };
  }
}

const noResult = (hasPrinted: boolean): ToolResult => ({
  content: [
    {
      type: 'text',
      text: `The script returned no value.${hasPrinted ? ' The output of print is discarded; use return.' : ''}`,
    },
  ],
});

/** Maximum number of tools that an error lists. */
const MAX_LISTED = 20;

/** The result of a script that failed. It lists the calls that succeeded, because they are not undone. */
function failedResult(message: string, { succeeded }: RunningScript, source: string): ToolResult {
  const names = [...succeeded].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  const done =
    names.length === 0
      ? []
      : [`Calls that succeeded before: ${names.slice(0, MAX_LISTED).join(', ')}${more}.`];
  const text = [`The script failed: ${message}`, ...sourceLine(message, source), ...done].join('\n');
  return { content: [{ type: 'text', text }], isError: true };
}

const MAX_SOURCE_LINE = 200;

/** Returns the line of the script that a message names. */
function sourceLine(message: string, source: string): string[] {
  const number = /^line (\d+):/.exec(message)?.[1];
  const line = number === undefined ? undefined : source.split('\n')[Number(number) - 1];
  return line === undefined ? [] : [`  ${number} | ${line.trimEnd().slice(0, MAX_SOURCE_LINE)}`];
}

/** The concurrency limits: of all scripts, and of each key, so that a key cannot use all places. */
class Places {
  readonly #settings: ScriptSettings;
  readonly #clock: Clock;
  readonly #all: TurnQueue;
  readonly #keys = new OpenItems<string, TurnQueue>();

  constructor(settings: ScriptSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#all = new TurnQueue(settings.parallel, MAX_WAITING);
  }

  get running(): number {
    return this.#all.running;
  }

  async use<Result>(call: ScriptCall, work: () => Promise<Result>): Promise<Result> {
    const leaveKey = await this.#ofKey(call);
    try {
      const leave = await this.#turn(this.#all, call);
      try {
        return await work();
      } finally {
        leave();
      }
    } finally {
      leaveKey();
    }
  }

  async #ofKey(call: ScriptCall): Promise<Leave> {
    const { name, user, grants }: ToolCaller = call.caller;
    // Without keys, all clients are the same caller.
    if (user === undefined) return () => undefined;
    const key = JSON.stringify([name, user, grants]);
    const known = this.#keys.get(key);
    const queue = known ?? new TurnQueue(Math.ceil(this.#settings.parallel / 2), MAX_WAITING / 4);
    this.#keys.set(key, queue);
    const leave = await this.#turn(queue, call);
    return () => {
      leave();
      if (queue.running === 0 && queue.waiting === 0) this.#keys.delete(key);
    };
  }

  async #turn(queue: TurnQueue, { signal }: ScriptCall): Promise<Leave> {
    const turn = queue.ask();
    if (turn.kind === 'granted') return turn.leave;
    const busy = (): AppError =>
      new AppError('OverloadedError', 'too many scripts are running; retry in 1 s', { retryAfterSeconds: 1 });
    if (turn.kind === 'refused') throw busy();
    try {
      const { timeoutMs } = this.#settings;
      await waitFor(turn.granted, { clock: this.#clock, timeoutMs, signal, late: busy });
      return turn.leave;
    } catch (error) {
      turn.leave();
      throw error;
    }
  }
}
