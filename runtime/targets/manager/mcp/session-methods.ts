import type { SharedSubscriptions } from './shared-subscriptions.ts';
import type { Listener } from './listeners.ts';
import { type Method, requiredText } from './mcp-call.ts';
import type { ClientSubscriptions } from './client-subscriptions.ts';
import type { Targets } from './targets.ts';

export interface SessionMethodParts {
  readonly subscriptions: SharedSubscriptions;
  readonly listener: Listener;
  readonly clientSubscriptions: ClientSubscriptions;
  readonly targets: Targets;
}

/** The methods that require a session: subscriptions end with it. */
export function sessionMethods({
  subscriptions,
  listener,
  clientSubscriptions,
  targets,
}: SessionMethodParts): readonly (readonly [string, Method])[] {
  return [
    [
      'resources/subscribe',
      async (call) => {
        const uri = requiredText(call.params, 'uri');
        const target = await targets.resource(call, uri);
        // Added first, because a server can send an update before its response.
        clientSubscriptions.add(target, uri);
        try {
          await subscriptions.subscribe(listener, call, target);
        } catch (error) {
          clientSubscriptions.delete(target);
          throw error;
        }
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (call) => {
        const target = await targets.resource(call, requiredText(call.params, 'uri'));
        clientSubscriptions.delete(target);
        await subscriptions.unsubscribe(listener, call, target);
        return {};
      },
    ],
  ];
}
