import type { AppError } from '#contract/errors.ts';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';

// Requests rejected by a budget get status 403, as in the reference implementation. However, agents that
// use Anthropic's API or OpenAI's Responses API treat a 403 as a failed sign-in or retry the request, so on
// the paths of these APIs, the gateway returns the errors that Anthropic and OpenAI send when credit runs
// out (docs/decisions/0136).

interface BudgetError {
  readonly status: number;
  readonly type: string;
}

const BY_PATH: readonly (readonly [RegExp, BudgetError])[] = [
  [/^\/v1\/messages\/?$/, { status: 402, type: 'billing_error' }],
  // Also below the Azure paths.
  [/^\/(?:v1|openai|openai\/v1)\/responses\/?$/, { status: 429, type: 'insufficient_quota' }],
];

/** Whether a budget rejects the request. */
export const isBudgetError = ({ reason }: AppError): boolean =>
  reason === 'budget_exceeded' || reason === 'estimate_exceeds_budget';

/**
 * The error on a path for a request that a budget rejects; undefined if the status is 403, and for all
 * other errors.
 */
export const budgetErrorOf = (error: AppError, path: string): BudgetError | undefined =>
  isBudgetError(error) ? BY_PATH.find(([pattern]) => pattern.test(path))?.[1] : undefined;

/** The status of an error for a path or an endpoint. */
export const statusOfError = (error: AppError, path: string): number =>
  budgetErrorOf(error, path)?.status ?? HTTP_STATUS[error.code];
