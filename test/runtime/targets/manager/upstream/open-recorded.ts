import { EventEmitter } from 'node:events';
import { onTestFinished } from 'vitest';
import type { ServerSpec } from '#manager/config/spec.ts';
import type { Connection, ConnectionHooks } from '#manager/upstream/connection.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { openConnection } from '#manager/upstream/open-connection.ts';
import { launchOf, specOf } from './spec.ts';

export interface Recorded {
  readonly connection: Connection;
  readonly logs: readonly string[];
  readonly notifications: readonly Notification[];
  /** Resolves with the first matching line, past or future. */
  readonly logged: (pattern: RegExp) => Promise<string>;
  readonly notified: (method: string) => Promise<Notification>;
  readonly call: (tool: string, args?: ShapeOfParams) => Promise<ShapeOfParams>;
  /** The text of a tool's result. */
  readonly text: (tool: string, args?: ShapeOfParams) => Promise<string>;
}

interface Notification {
  readonly method: string;
  readonly params: ShapeOfParams | undefined;
}

export const PATIENCE = { timeoutMs: 20_000 };

/** A connection that records its notifications and is closed when the test ends. */
export async function openRecorded(
  spec: ServerSpec,
  hooks: Partial<ConnectionHooks> = {},
): Promise<Recorded> {
  const logs = recordOf<string>();
  const notifications = recordOf<Notification>();
  const connection = await openConnection(spec, {
    ...hooks,
    onLog: logs.add,
    onNotification: (method, params) => notifications.add({ method, params }),
  });
  onTestFinished(() => connection.close());
  const call = (tool: string, args: ShapeOfParams = {}): Promise<ShapeOfParams> =>
    connection.request('tools/call', { name: tool, arguments: args }, PATIENCE);
  return {
    connection,
    logs: logs.all,
    notifications: notifications.all,
    logged: (pattern) => logs.first((line) => pattern.test(line)),
    notified: (wanted) => notifications.first(({ method }) => method === wanted),
    call,
    text: async (tool, args) => textOf(await call(tool, args)),
  };
}

export const openFixture = (file: string, env?: Readonly<Record<string, string>>): Promise<Recorded> =>
  openRecorded(specOf(launchOf(file, env)));

export function textOf(result: ShapeOfParams): string {
  const [block] = result['content'] as { readonly text: string }[];
  if (!block) throw new Error('The result has no content.');
  return block.text;
}

interface RecordOf<Item> {
  readonly all: readonly Item[];
  readonly add: (item: Item) => void;
  readonly first: (isWanted: (item: Item) => boolean) => Promise<Item>;
}

function recordOf<Item>(): RecordOf<Item> {
  const all: Item[] = [];
  const added = new EventEmitter();
  return {
    all,
    add(item) {
      all.push(item);
      added.emit('item', item);
    },
    first(isWanted) {
      const known = all.find(isWanted);
      if (known !== undefined) return Promise.resolve(known);
      const { promise, resolve } = Promise.withResolvers<Item>();
      const onItem = (item: Item): void => {
        if (isWanted(item)) resolve(item);
      };
      added.on('item', onItem);
      return promise.finally(() => added.off('item', onItem));
    },
  };
}
