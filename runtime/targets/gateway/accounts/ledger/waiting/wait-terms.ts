import type { Spender } from '../../identity/identity.ts';
import type { WaitTerms } from './queue-settings.ts';

/**
 * How a spender's requests wait: by the settings of the key or, if it has none, of the user, the team or the
 * organization. Undefined if they do not wait.
 */
export function waitTermsOf({ key, user, groups }: Spender): WaitTerms | undefined {
  const seconds = key?.queue?.queueSec ?? user.queue?.queueSec ?? firstOf(groups, 'queueSec');
  if (!seconds) return undefined;
  const priority = key?.queue?.priority ?? user.queue?.priority ?? firstOf(groups, 'priority') ?? 'normal';
  const teamId = groups.find(({ kind }) => kind === 'team')?.id;
  return { maxMs: seconds * 1000, priority, userId: user.userId, teamId };
}

type Queue = NonNullable<Spender['groups'][number]['queue']>;

function firstOf<Name extends keyof Queue>(groups: Spender['groups'], name: Name): Queue[Name] | undefined {
  for (const { queue } of groups) if (queue && queue[name] !== null) return queue[name];
  return undefined;
}
