import type { Admitted } from './request-state.ts';

/** Whether a budget applies and the model has no price: the budget does not count its cost. */
export function isUncounted({ reservation, prices }: Admitted, model: string): boolean {
  const { user, key } = reservation.spender;
  const hasBudget = user.limits.maxBudget !== null || (key !== undefined && key.limits.maxBudget !== null);
  return hasBudget && prices.get(model) === undefined;
}
