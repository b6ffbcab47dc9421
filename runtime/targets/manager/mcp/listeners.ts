import type { ManagerContext } from '../context.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ServerEvent } from '../supervisor/managed-server.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { receivesFrom, type Subscriber, type SharedSubscriptions } from './shared-subscriptions.ts';
import type { ResourceIndex } from './resource-index.ts';

/** A client that receives server notifications. */
export interface Listener extends Subscriber {
  /** Called when one of the lists has changed. */
  readonly listChanged: (method: ListChanged) => void;
  readonly message: (server: string, params: ShapeOfParams) => void;
  readonly updated: (server: string, params: ShapeOfParams) => void;
  /** Called for a server's notification about a task; `user` is the connection's user. */
  readonly taskChanged?:
    | ((server: string, user: string | undefined, params: ShapeOfParams) => void)
    | undefined;
}

export interface Listeners {
  /** Adds a listener; returns a function that removes it. */
  add(listener: Listener): () => void;
  close(): void;
}

type Notification = Extract<ServerEvent, { readonly kind: 'notification' }>;

const LIST_CHANGED = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
] as const;

/** The notifications about tasks, up to revision 2025-11-25 and since 2026-07-28. */
const TASK_CHANGED: ReadonlySet<string> = new Set(['notifications/tasks/status', 'notifications/tasks']);

export type ListChanged = (typeof LIST_CHANGED)[number];

const LIST_CHANGED_OF: Readonly<Record<ListName, ListChanged>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
};

export interface ListenersParts {
  readonly subscriptions: SharedSubscriptions;
  readonly index: ResourceIndex;
}

/** Forwards server notifications and configuration changes to the clients that they concern. */
export function createListeners(
  { supervisor, groups }: ManagerContext,
  { subscriptions, index }: ListenersParts,
): Listeners {
  const listeners = new Set<Listener>();
  const concerned = (server: string, user: string | undefined): Listener[] =>
    [...listeners].filter((one) => receivesFrom(one, server, user, supervisor));
  const changed = (to: Iterable<Listener>, methods: readonly ListChanged[]): void => {
    index.forget();
    for (const listener of to) for (const method of methods) listener.listChanged(method);
  };
  const notified = ({ server, user, method, params = {} }: Notification): void => {
    const list = LIST_CHANGED.find((known) => known === method);
    if (list !== undefined) changed(concerned(server, user), [list]);
    if (method === 'notifications/message') {
      for (const one of concerned(server, user)) one.message(server, params);
    }
    if (method === 'notifications/resources/updated') {
      for (const one of concerned(server, user)) one.updated(server, params);
    }
    if (TASK_CHANGED.has(method)) {
      for (const one of concerned(server, user)) one.taskChanged?.(server, user, params);
    }
  };
  const onEvent = (event: ServerEvent): void => {
    switch (event.kind) {
      case 'servers-changed':
        return changed(listeners, LIST_CHANGED);
      case 'notification':
        return notified(event);
      case 'list-changed':
        return changed(concerned(event.server, event.user), [LIST_CHANGED_OF[event.list]]);
      case 'session-opened':
        subscriptions.restore(event.server, event.user);
        // Clients know the lists of a lazy server, which announces those that differ.
        if (supervisor.get(event.server)?.spec().lazy === true) return undefined;
        return changed(concerned(event.server, event.user), LIST_CHANGED);
      case 'idle':
        return undefined;
      case 'user-changed':
        return changed(
          concerned(event.server, undefined).filter((one) => one.caller().user === event.user),
          LIST_CHANGED,
        );
      case 'phase-changed':
        // A server keeps its lists while it is starting, stopping or idle.
        if (!['waiting', 'failed'].includes(event.phase)) return undefined;
        return changed(concerned(event.server, event.user), LIST_CHANGED);
    }
  };
  const leave = supervisor.subscribe(onEvent);
  groups.onChange(() => changed(listeners, LIST_CHANGED));
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      leave();
      listeners.clear();
    },
  };
}
