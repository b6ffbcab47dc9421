import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Notification } from '@modelcontextprotocol/sdk/types.js';

export interface Heard {
  readonly all: readonly Notification[];
  /** Resolves with the first matching notification, including earlier ones. */
  readonly next: (
    method: string,
    fits?: (params: Record<string, unknown>) => boolean,
  ) => Promise<Notification>;
  readonly forget: () => void;
}

/** Records all notifications of a client. */
export function hearAll(client: Client): Heard {
  const all: Notification[] = [];
  let waiting: (() => void)[] = [];
  client.fallbackNotificationHandler = (notification) => {
    all.push(notification);
    for (const look of waiting) look();
    return Promise.resolve();
  };
  return {
    all,
    next: (method, fits = () => true) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = all.find((one) => one.method === method && fits(one.params ?? {}));
          if (!found) return;
          waiting = waiting.filter((other) => other !== look);
          resolve(found);
        };
        waiting.push(look);
        look();
      }),
    forget: () => void all.splice(0),
  };
}
