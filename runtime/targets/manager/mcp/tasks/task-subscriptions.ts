import { setTimeout as sleep } from 'node:timers/promises';
import { settlesWithin } from '#platform/wait-for.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { serverOf, type Supervisor } from '../../supervisor/managed-server.ts';
import { isFinished, type KnownTask } from './task-table.ts';

/** A client's subscription to some of its tasks. */
export interface TaskSubscription {
  /** The IDs of the tasks whose state is sent. */
  readonly ids: readonly string[];
  /** Starts sending states. The state is sent immediately if it has changed since the client received it. */
  readonly start: () => void;
  /** Called when a server reports a change of a task. */
  readonly changed: (task: KnownTask) => void;
  readonly stop: () => void;
}

export interface TaskSubscriptions {
  /** Subscribes to tasks on their servers. Tasks that a server does not accept are omitted. */
  readonly open: (tasks: readonly SubscribedTask[], client: SubscribedClient) => Promise<TaskSubscription>;
}

interface SubscribedTask {
  readonly task: KnownTask;
  /** The last state that the client received. */
  readonly known: ShapeOfParams;
}

interface SubscribedClient {
  /** Requests the state of a task in the same way as a request of the client; rejects if the client cannot use the task any more. */
  readonly state: (task: KnownTask) => Promise<ShapeOfParams>;
  readonly send: (state: ShapeOfParams) => void;
}

/** Maximum time for a server to acknowledge a subscription. */
const ACKNOWLEDGE_MS = 5000;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** Minimum interval of requests for the state of a task. */
const MIN_INTERVAL_MS = 100;

export function createTaskSubscriptions(supervisor: Pick<Supervisor, 'get'>): TaskSubscriptions {
  const watches = new Map<string, Watch>();

  /** Adds a listener to a task on its server. Returns a function that removes it; undefined if the server does not accept the subscription. */
  const watch = async (task: KnownTask, listener: () => void): Promise<(() => void) | undefined> => {
    const shared = watches.get(task.id) ?? new Watch(task, supervisor);
    watches.set(task.id, shared);
    shared.listeners.add(listener);
    const leave = (): void => {
      shared.listeners.delete(listener);
      if (shared.listeners.size > 0) return;
      shared.stop();
      if (watches.get(task.id) === shared) watches.delete(task.id);
    };
    if (await shared.isAccepted) return leave;
    leave();
    return undefined;
  };

  return {
    async open(tasks, client) {
      const subscribed = await Promise.all(
        tasks.map(async ({ task, known }) => {
          const reporter = new Reporter(task, known, client);
          // A finished task does not change any more.
          if (isFinished(known)) return [reporter];
          const leave = await watch(task, reporter.check);
          if (!leave) return [];
          reporter.onEnd = leave;
          return [reporter];
        }),
      );
      const reporters = new Map(subscribed.flat().map((reporter) => [reporter.task.id, reporter]));
      return {
        ids: [...reporters.keys()],
        start() {
          for (const reporter of reporters.values()) reporter.start();
        },
        changed: ({ id }) => reporters.get(id)?.check(),
        stop() {
          for (const reporter of reporters.values()) reporter.end();
        },
      };
    },
  };
}

/** The subscription to a task on its server, which all clients of the task share. */
class Watch {
  readonly listeners = new Set<() => void>();
  readonly #task: KnownTask;
  readonly #supervisor: Pick<Supervisor, 'get'>;
  readonly #stopped = new AbortController();
  readonly #acknowledged = Promise.withResolvers<boolean>();
  readonly isAccepted: Promise<boolean>;

  constructor(task: KnownTask, supervisor: Pick<Supervisor, 'get'>) {
    this.#task = task;
    this.#supervisor = supervisor;
    // A server that responds later is not asked again by this client.
    this.isAccepted = settlesWithin(ACKNOWLEDGE_MS, this.#acknowledged.promise).then(
      async (inTime) => inTime && (await this.#acknowledged.promise),
    );
    void this.#listen();
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Listens until the subscription is stopped. Listens again if the stream ends, for example when the server restarts. */
  async #listen(): Promise<void> {
    const { signal } = this.#stopped;
    const { server, connectionUser: user, upstreamId } = this.#task;
    let isAccepted = false;
    for (let wait = MIN_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const onResponse = (accepted: boolean): void => {
        if (!accepted) return this.#acknowledged.resolve(isAccepted);
        isAccepted = true;
        wait = MIN_WAIT_MS;
        this.#acknowledged.resolve(true);
        // The task could have changed while there was no stream.
        for (const listener of this.listeners) listener();
      };
      const connection = serverOf(this.#supervisor, { server, user })?.openConnection();
      const ended = connection?.listenToTask?.(upstreamId, { signal, onResponse });
      await ended?.catch(() => undefined);
      if (!isAccepted) return this.#acknowledged.resolve(false);
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Sends the states of one task to a client, one request at a time. */
class Reporter {
  readonly task: KnownTask;
  readonly #client: SubscribedClient;
  #status: unknown;
  #sent: string | undefined;
  #isStarted = false;
  #hasEnded = false;
  #isRunning = false;
  #isChanged = false;
  /** Called once when no further states are sent. */
  onEnd: () => void = () => undefined;

  constructor(task: KnownTask, known: ShapeOfParams, client: SubscribedClient) {
    this.task = task;
    this.#status = known['status'];
    this.#client = client;
  }

  start(): void {
    this.#isStarted = true;
    this.check();
  }

  readonly check = (): void => {
    this.#isChanged = true;
    if (!this.#isStarted || this.#isRunning || this.#hasEnded) return;
    this.#isRunning = true;
    void this.#run();
  };

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.onEnd();
  }

  async #run(): Promise<void> {
    while (this.#isChanged && !this.#hasEnded) {
      this.#isChanged = false;
      // Without a state, the client can still request it, and receives the reason.
      const state = await this.#client.state(this.task).catch(() => undefined);
      if (state && !this.#hasEnded) this.#report(state);
      await sleep(MIN_INTERVAL_MS);
    }
    this.#isRunning = false;
  }

  #report(state: ShapeOfParams): void {
    const { status } = state;
    const text = JSON.stringify(state);
    const isNew =
      this.#sent === undefined ? status !== this.#status || isFinished(state) : text !== this.#sent;
    this.#sent = text;
    this.#status = status;
    if (isNew) this.#client.send(state);
    if (isFinished(state)) this.end();
  }
}
