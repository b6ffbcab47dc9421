import type { Context } from 'hono';
import type { AppError } from '../../../../contract/errors.ts';

// A budget that refuses a request is 403, as in the reference implementation. Agents that use the APIs of Anthropic and of OpenAI's responses
// take a 403 for a failed sign-in, or repeat the request, so these paths have the errors that their own providers send for a spent credit
// (docs/decisions/0136).

interface BudgetError {
  readonly status: number;
  readonly type: string;
}

const BY_PATH: readonly (readonly [RegExp, BudgetError])[] = [
  [/^\/v1\/messages\/?$/, { status: 402, type: 'billing_error' }],
  [/^\/v1\/responses\/?$/, { status: 429, type: 'insufficient_quota' }],
];

const isBudget = ({ reason }: AppError): boolean =>
  reason === 'budget_exceeded' || reason === 'estimate_exceeds_budget';

/** The error of a path for a request that a budget refuses; undefined where it is 403, and for other errors. */
export const budgetErrorOf = (error: AppError, path: string): BudgetError | undefined =>
  isBudget(error) ? BY_PATH.find(([pattern]) => pattern.test(path))?.[1] : undefined;

/** The status of such an error. Clients that know the header do not repeat the request. */
export function budgetStatus(error: AppError, c: Context): number | undefined {
  if (isBudget(error)) c.header('X-Should-Retry', 'false');
  return budgetErrorOf(error, c.req.path)?.status;
}
