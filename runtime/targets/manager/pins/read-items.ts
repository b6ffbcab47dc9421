import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { createOrphanGuard } from '#platform/orphan-guard.ts';
import { requestList } from '../calls/request-list.ts';
import type { PinnedItems, PinnedServer } from '../config/pins-file.ts';
import type { ProcessLaunch, ServerSpec } from '../config/spec.ts';
import { definitionHash, itemDefinition } from '../config/item-definition.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { itemName, LIST_NAMES, type ListName } from '../shared/list-items.ts';
import { createCheckList } from '../shapes/check-list.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import { openConnection } from '../upstream/open-connection.ts';

export interface ReadItemsOptions {
  readonly clock: Clock;
  readonly signIns: SignInStore;
  readonly signal: AbortSignal;
  /** Installs a server's package before the server starts. */
  readonly installer: PackagePreparation;
}

/** The installer functions that are needed to start a server. */
export interface PackagePreparation {
  readonly install: (spec: ServerSpec, launch: ProcessLaunch) => Promise<void>;
  readonly distrust: (launch: ProcessLaunch) => void;
}

/** Starts a server, reads the definitions of all its items, and stops it. */
export async function readItems(
  spec: ServerSpec,
  { clock, signIns, signal, installer }: ReadItemsOptions,
): Promise<PinnedServer> {
  const { launch } = spec;
  if (launch.kind === 'unusable') throw new AppError('ConfigError', launch.problem);
  if (launch.kind === 'process') await installer.install(spec, launch);
  const guard = createOrphanGuard();
  try {
    const hooks = { onNotification: () => undefined, onLog: () => undefined, signIns };
    const connection = await openConnection(spec, hooks, signal).catch((error: unknown) => {
      if (launch.kind === 'process') installer.distrust(launch);
      throw error;
    });
    if (connection.pid !== undefined) void connection.closed.then(guard.watch(connection.pid));
    const stop = (): void => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const checkList = createCheckList();
      const lists: [ListName, PinnedItems][] = [];
      for (const list of LIST_NAMES) {
        const { items } = await requestList(connection, list, { clock, timeoutMs: spec.timeouts.request });
        // Checked in the same way as by the manager, so that repaired items have the same hash.
        const checked = await checkList(list, items);
        lists.push([list, pinnedItems(list, checked.items)]);
      }
      return { scope: 'complete', lists: Object.fromEntries(lists) };
    } finally {
      signal.removeEventListener('abort', stop);
      await connection.close();
    }
  } finally {
    await guard.close();
  }
}

/** If several items have the same name, clients get the first of them. */
const pinnedItems = (list: ListName, items: readonly ShapeOfParams[]): PinnedItems =>
  Object.fromEntries(
    items.toReversed().map((item) => {
      const [name, definition] = [itemName(list, item), itemDefinition(list, item)];
      return [name, { hash: definitionHash(list, name, definition), definition }];
    }),
  );
