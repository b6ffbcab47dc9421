import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { ProviderLimits } from '../../providers/adapters/provider.ts';
import type { TimeoutsEntry } from '../schemas/providers.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';

export interface LimitsEntry {
  readonly timeouts?: TimeoutsEntry | undefined;
  readonly max_connections?: number | undefined;
  readonly max_response_bytes?: number | undefined;
}

/** Returns the provider limits that are set. */
export function resolveLimits(
  context: ResolveContext,
  path: Path,
  { timeouts = {}, max_connections: maxConnections, max_response_bytes: maxResponseBytes }: LimitsEntry,
): Partial<ProviderLimits> {
  const time = (key: keyof TimeoutsEntry): number | undefined =>
    timeIn(context, [...path, 'timeouts', key], timeouts[key]);
  return omitUndefined({
    connectMs: time('connect'),
    firstByteMs: time('first_byte'),
    answerMs: time('answer'),
    idleMs: time('idle'),
    streamMs: time('stream'),
    drainMs: time('drain'),
    maxConnections,
    maxResponseBytes,
  });
}
