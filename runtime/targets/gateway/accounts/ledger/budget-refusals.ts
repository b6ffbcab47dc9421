import { AppError } from '#contract/errors.ts';
import { dollarText } from '../../shared/money.ts';
import type { Estimate } from './ledger.ts';
import type { LimitedAccount } from './refusals.ts';

/** Value of `Retry-After`. Requests in flight take seconds, so clients that wait this long succeed within a few retries. */
const RETRY_AFTER_SECONDS = 5;

/** Rejects a request that cannot pass this budget even later: no price, budget spent, or the request alone exceeds the rest. */
export function budgetRefusal(
  { account, limits: { maxBudget }, label }: LimitedAccount,
  { cost, free, unpriced }: Estimate,
): AppError | undefined {
  if (maxBudget === null) return undefined;
  if (unpriced !== undefined) return cannotLimit(unpriced, label());
  if (free) return undefined;
  const left = maxBudget - account.spent_nano;
  if (left <= 0n)
    return new AppError('ForbiddenError', `${label()} has exceeded budget limit`, {
      reason: 'budget_exceeded',
    });
  return cost > left ? tooLarge(label(), cost, left, maxBudget) : undefined;
}

/** Rejects a request that the budget can cover only after requests in flight have finished. */
export function reservedRefusal(
  { account, limits: { maxBudget }, label }: LimitedAccount,
  { cost, free }: Estimate,
): AppError | undefined {
  if (maxBudget === null || free) return undefined;
  const { spent_nano: spent, reserved_nano: reserved } = account;
  const left = maxBudget - spent - reserved;
  if (cost <= left) return undefined;
  return new AppError(
    'OverloadedError',
    `${label()} has ${dollars(left < 0n ? 0n : left)} of the budget left while ${dollars(reserved)} is reserved for requests in flight, and this request can cost ${dollars(cost)}. Retry when they have finished.`,
    { reason: 'budget_reserved', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function tooLarge(who: string, cost: bigint, left: bigint, maxBudget: bigint): AppError {
  const has = cost > maxBudget ? `a budget of ${dollars(maxBudget)}` : `${dollars(left)} of the budget left`;
  return new AppError(
    'ForbiddenError',
    `${who} has ${has}, and this request can cost ${dollars(cost)}. Lower its maximum output tokens, or raise the budget.`,
    { reason: 'estimate_exceeds_budget' },
  );
}

const cannotLimit = (model: string, who: string): AppError =>
  new AppError(
    'PaymentRequiredError',
    `Model '${model}' has no price, and ${who} has a budget. Set its price with POST /v1/pricing, or set \`allow_unpriced\` in the configuration.`,
    { reason: 'pricing_required' },
  );

const dollars = (amount: bigint): string => `$${dollarText(amount)}`;
