import { randomUUID } from 'node:crypto';
import type { Supervisor } from '../supervisor/managed-server.ts';
import { isPerUser } from '../config/spec.ts';
import { ANYONE } from '../access/caller.ts';
import type { Calls } from './call.ts';
import type { ItemMeanings } from './item-meanings.ts';
import { type FoundItem, MAX_LIST_AGE_MS, SEARCH_KINDS } from './search-kinds.ts';

interface LearnItemsParts {
  readonly items: Pick<ItemMeanings, 'learn'>;
  /** Resolves when the lists can be read. */
  readonly started: Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Lists the items of a server in the background after its start and after announced changes, so that they can be
 * found by meaning before the first search. Lists of one user's connection are only read when that user searches.
 */
export function learnItems(
  supervisor: Pick<Supervisor, 'get' | 'subscribe'>,
  calls: Pick<Calls, 'listAll'>,
  { items, started, signal }: LearnItemsParts,
): void {
  const learn = async (server: string): Promise<void> => {
    for (const { lists, texts } of Object.values(SEARCH_KINDS)) {
      for (const list of lists) {
        if (signal.aborted) return;
        const call = { caller: ANYONE, server, requestId: randomUUID(), list, maxAgeMs: MAX_LIST_AGE_MS };
        const found = await calls.listAll(call);
        items.learn(
          found.map((item): FoundItem => ({ server, list, item })),
          texts,
        );
      }
    }
  };
  /** One server after another, so that requests of clients are not delayed. */
  let last = started;
  supervisor.subscribe((event) => {
    const isChange =
      event.kind === 'session-opened' ||
      (event.kind === 'notification' && event.method.endsWith('/list_changed'));
    if (!isChange) return;
    const { server } = event;
    const found = supervisor.get(server);
    if (!found || isPerUser(found.spec())) return;
    // A server that fails is reported in its log, and its items are read by the next search.
    last = last.then(() => learn(server)).catch(() => undefined);
  });
}
