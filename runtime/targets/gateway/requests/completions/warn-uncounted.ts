import type { Logger } from '#serve/log.ts';
import { isUncounted } from './is-uncounted.ts';
import type { RequestState } from './request-state.ts';

/** Logs a warning if the cost of a model is not counted in a budget. Returns whether that is the case. */
export function warnUncounted(log: Logger, { request, admitted }: RequestState, model: string): boolean {
  if (!admitted || !isUncounted(admitted, model)) return false;
  const { requestId } = request;
  log.warn({ requestId, model }, 'model without a price: its cost is not counted in the budget');
  return true;
}
