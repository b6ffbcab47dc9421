import type { Logger } from '../../../../serve/log.ts';
import { isUncounted } from './is-uncounted.ts';
import type { RequestState } from './request-state.ts';

/** Logs that the cost of a model is not counted in a budget; returns whether that is so. */
export function warnUncounted(log: Logger, { request, admitted }: RequestState, model: string): boolean {
  if (!admitted || !isUncounted(admitted, model)) return false;
  const { requestId } = request;
  log.warn({ requestId, model }, 'the model has no price: its cost is not counted in the budget');
  return true;
}
