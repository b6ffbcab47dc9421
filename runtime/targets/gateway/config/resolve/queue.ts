import { QUEUE_DEFAULTS, type QueueSettings } from '../../accounts/ledger/waiting/queue-settings.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ResolveContext } from './context.ts';

export function resolveQueue(
  { report }: ResolveContext,
  { queue: { max_waiting: all, max_waiting_per_user: own } = {} }: Pick<GatewayFile, 'queue'>,
): QueueSettings {
  const maxWaiting = all ?? QUEUE_DEFAULTS.maxWaiting;
  if (own !== undefined && own > maxWaiting)
    report(['queue', 'max_waiting_per_user'], `must not exceed \`max_waiting\`, which is ${maxWaiting}`);
  return { maxWaiting, maxPerUser: own ?? Math.min(QUEUE_DEFAULTS.maxPerUser, maxWaiting) };
}
