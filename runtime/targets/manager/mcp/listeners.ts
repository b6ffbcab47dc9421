import type { ManagerContext } from '../context.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { ServerEvent } from '../supervisor/managed-server.ts';
import type { Params } from '../shapes/shape.ts';
import { concerns, type Interested, type Interests } from './interests.ts';
import type { ResourceIndex } from './resource-index.ts';

/** Somebody who is told what servers say of themselves. */
export interface Listener extends Interested {
  /** One of the lists is another than it was. */
  readonly listChanged: (method: ListChanged) => void;
  readonly message: (server: string, params: Params) => void;
  readonly updated: (server: string, params: Params) => void;
}

export interface Listeners {
  /** Returns how to leave again. */
  add(listener: Listener): () => void;
  close(): void;
}

const LIST_CHANGED = [
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
] as const;

export type ListChanged = (typeof LIST_CHANGED)[number];

const LIST_CHANGED_OF: Readonly<Record<ListName, ListChanged>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
};

export interface ListenersParts {
  readonly interests: Interests;
  readonly index: ResourceIndex;
}

/** Tells every client what concerns it: servers that come and go, and what they say. */
export function createListeners(
  { supervisor }: ManagerContext,
  { interests, index }: ListenersParts,
): Listeners {
  const listeners = new Set<Listener>();
  const concerned = (server: string): Listener[] => [...listeners].filter((one) => concerns(one, server));
  const changed = (to: Iterable<Listener>, methods: readonly ListChanged[]): void => {
    index.forget();
    for (const listener of to) for (const method of methods) listener.listChanged(method);
  };
  const notified = (server: string, method: string, params: Params): void => {
    const list = LIST_CHANGED.find((known) => known === method);
    if (list !== undefined) changed(concerned(server), [list]);
    if (method === 'notifications/message') for (const one of concerned(server)) one.message(server, params);
    if (method === 'notifications/resources/updated') {
      for (const one of concerned(server)) one.updated(server, params);
    }
  };
  const onEvent = (event: ServerEvent): void => {
    switch (event.kind) {
      case 'servers-changed':
        return changed(listeners, LIST_CHANGED);
      case 'notification':
        return notified(event.server, event.method, event.params ?? {});
      case 'list-changed':
        return changed(concerned(event.server), [LIST_CHANGED_OF[event.list]]);
      case 'session-opened':
        interests.restore(event.server);
        return changed(concerned(event.server), LIST_CHANGED);
      case 'phase-changed':
        // While it starts or stops, and when it rests, it has what it had.
        if (!['waiting', 'failed'].includes(event.phase)) return undefined;
        return changed(concerned(event.server), LIST_CHANGED);
    }
  };
  const leave = supervisor.subscribe(onEvent);
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
