import { randomBytes } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';

/**
 * The form of a task: `capability` up to revision 2025-11-25, where the client requests a task, or `extension` since
 * 2026-07-28, where the server decides.
 */
export type TaskForm = 'capability' | 'extension';

/** A task on a server, which belongs to the client that created it. */
export interface KnownTask {
  /** The ID that the client knows. It cannot be guessed. */
  readonly id: string;
  /** The user, group and path of the client. */
  readonly owner: string;
  /** The session that created the task; undefined for clients without sessions. */
  readonly session: object | undefined;
  readonly server: string;
  /** The user of the server's connection; undefined if all users share it. */
  readonly connectionUser: string | undefined;
  /** The tool's name on its server. */
  readonly tool: string;
  readonly outputSchema: unknown;
  /** The ID on the server. */
  readonly upstreamId: string;
  readonly form: TaskForm;
}

/** The tasks of all clients, in memory. */
export interface TaskTable {
  /** Adds a task with its state on the server. */
  add(task: Omit<KnownTask, 'id'>, state: ShapeOfParams): KnownTask;
  /** Returns a task of an owner. Tasks of others are not distinguished from unknown ones. */
  find(owner: string, id: string): KnownTask | undefined;
  /** Returns the task with an ID on a server. */
  ofServer(server: string, connectionUser: string | undefined, upstreamId: string): KnownTask | undefined;
  /** Returns an owner's tasks, oldest first. */
  ofOwner(owner: string): readonly KnownTask[];
  /** Returns the last known state, with the ID that the client knows. */
  state(task: KnownTask): ShapeOfParams;
  /** Records a task's state on the server; returns it with the ID that the client knows. */
  update(task: KnownTask, state: ShapeOfParams): ShapeOfParams;
  remove(task: KnownTask): void;
  /** Whether an owner can create another task. */
  hasRoom(owner: string): boolean;
}

/** Maximum number of unfinished tasks per owner. */
const MAX_UNFINISHED = 100;
const MAX_PER_OWNER = 1000;
const MAX_TASKS = 10_000;

/** Time after which a task without a lifetime is forgotten if it is not used. */
const IDLE_MS = 24 * 60 * 60_000;
/** Additional time, so that the server reports that a task has expired. */
const GRACE_MS = 60_000;
const MAX_LIFETIME_MS = 30 * IDLE_MS;

const FINISHED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
export const isFinished = ({ status }: ShapeOfParams): boolean => FINISHED.has(status);

interface Entry {
  readonly task: KnownTask;
  state: ShapeOfParams;
  expiresAt: number;
}

export function createTaskTable(clock: Clock): TaskTable {
  const entries = new Map<string, Entry>();
  const byServer = new Map<string, string>();

  const remove = ({ id, server, connectionUser, upstreamId }: KnownTask): void => {
    entries.delete(id);
    const key = serverKey(server, connectionUser, upstreamId);
    if (byServer.get(key) === id) byServer.delete(key);
  };
  const current = (id: string): Entry | undefined => {
    const entry = entries.get(id);
    if (!entry || entry.expiresAt > clock.now()) return entry;
    remove(entry.task);
    return undefined;
  };
  const ofOwner = (owner: string): Entry[] =>
    [...entries.values()].filter(({ task }) => task.owner === owner && current(task.id) !== undefined);
  const makeRoom = (owner: string): void => {
    const own = ofOwner(owner);
    const dropped = own.find(({ state }) => isFinished(state)) ?? own[0];
    if (dropped && own.length >= MAX_PER_OWNER) remove(dropped.task);
    if (entries.size < MAX_TASKS) return;
    for (const { task } of entries.values()) current(task.id);
    const [oldest] = entries.values();
    if (oldest && entries.size >= MAX_TASKS) remove(oldest.task);
  };
  const write = (entry: Entry, state: ShapeOfParams): ShapeOfParams => {
    entry.state = { ...state, taskId: entry.task.id };
    entry.expiresAt = clock.now() + lifetimeOf(state);
    return entry.state;
  };

  return {
    add(task, state) {
      makeRoom(task.owner);
      const added = { ...task, id: randomBytes(18).toString('base64url') };
      const entry = { task: added, state, expiresAt: 0 };
      write(entry, state);
      entries.set(added.id, entry);
      byServer.set(serverKey(task.server, task.connectionUser, task.upstreamId), added.id);
      return added;
    },
    find(owner, id) {
      const entry = current(id);
      return entry?.task.owner === owner ? entry.task : undefined;
    },
    ofServer(server, connectionUser, upstreamId) {
      const id = byServer.get(serverKey(server, connectionUser, upstreamId));
      return id === undefined ? undefined : current(id)?.task;
    },
    ofOwner: (owner) => ofOwner(owner).map(({ task }) => task),
    state: ({ id }) => entries.get(id)?.state ?? {},
    update(task, state) {
      const entry = entries.get(task.id) ?? { task, state, expiresAt: 0 };
      return write(entry, state);
    },
    remove,
    hasRoom: (owner) => ofOwner(owner).filter(({ state }) => !isFinished(state)).length < MAX_UNFINISHED,
  };
}

const serverKey = (server: string, user: string | undefined, id: string): string =>
  JSON.stringify([server, user, id]);

function lifetimeOf({ ttl, ttlMs = ttl }: ShapeOfParams): number {
  const lifetime = typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs + GRACE_MS : IDLE_MS;
  return Math.min(lifetime, MAX_LIFETIME_MS);
}

export function requireRoom(table: TaskTable, owner: string): void {
  if (table.hasRoom(owner)) return;
  throw new AppError(
    'OverloadedError',
    `too many tasks: the limit is ${MAX_UNFINISHED} unfinished tasks; wait for one, or cancel it`,
    { retryAfterSeconds: 1 },
  );
}
