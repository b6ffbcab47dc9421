import type { AbandonedRead } from '../providers/provider.ts';
import type { AbandonedEvent } from './telemetry.ts';
import { isUncounted } from './is-uncounted.ts';
import type { Admitted } from './request-state.ts';
import { isEstimated, priceOf, tokensOf } from './usage-entries.ts';

/** What metrics report of an abandoned answer. `isOwn`: its usage is in the event of the request itself. */
export function abandonedEvent(
  admitted: Admitted,
  model: string,
  read: AbandonedRead,
  isOwn: boolean,
): AbandonedEvent {
  if (read.kind === 'failed') return { ...NOTHING_USED, model, outcome: 'failed' };
  const outcome = isEstimated(read.summary) ? 'estimated' : 'read';
  if (isOwn) return { ...NOTHING_USED, model, outcome };
  const usage = tokensOf(read.summary, admitted.tokens);
  const cost = priceOf(usage, admitted.prices.get(model)) ?? undefined;
  return { model, outcome, usage, cost, unpriced: isUncounted(admitted, model) };
}

const NOTHING_USED = { usage: undefined, cost: undefined, unpriced: false } as const;
