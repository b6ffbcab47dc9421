import type { Interests } from './interests.ts';
import type { Listener } from './listeners.ts';
import { type Method, requiredText } from './mcp-call.ts';
import type { Subscribed } from './subscribed.ts';
import type { Targets } from './targets.ts';

export interface SessionMethodParts {
  readonly interests: Interests;
  readonly listener: Listener;
  readonly subscribed: Subscribed;
  readonly targets: Targets;
}

/** What only clients with a session ask: what they are told lasts as long as it. */
export function sessionMethods({
  interests,
  listener,
  subscribed,
  targets,
}: SessionMethodParts): readonly (readonly [string, Method])[] {
  return [
    [
      'resources/subscribe',
      async (call) => {
        const uri = requiredText(call.params, 'uri');
        const target = await targets.resource(call, uri);
        // A server may tell of an update before it answers.
        subscribed.add(target, uri);
        try {
          await interests.subscribe(listener, call, target);
        } catch (error) {
          subscribed.delete(target);
          throw error;
        }
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (call) => {
        const target = await targets.resource(call, requiredText(call.params, 'uri'));
        subscribed.delete(target);
        await interests.unsubscribe(listener, call, target);
        return {};
      },
    ],
  ];
}
