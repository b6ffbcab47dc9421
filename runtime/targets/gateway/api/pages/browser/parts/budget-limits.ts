import type { Static } from 'typebox';
import type { budget } from '#gateway/api/budgets.ts';
import { duration, money } from '#serve/http/pages/browser/format.ts';

type Budget = Static<typeof budget>;
type Window = Pick<Budget, 'calendar' | 'time_zone' | 'budget_duration_sec'>;

/** A further limit, e.g. `$5.00, every 5 h, openai:*`. */
export const limitOf = (limit: NonNullable<Budget['limits']>[number]): string => {
  const reset = resetOf(limit);
  const parts = [
    money(limit.max_budget),
    reset.charAt(0).toLowerCase() + reset.slice(1),
    ...(limit.models ?? []),
  ];
  return parts.join(', ');
};

export function resetOf({ calendar, time_zone: zone, budget_duration_sec: seconds }: Window): string {
  if (calendar !== null) return `Each ${calendar} (${zone ?? 'UTC'})`;
  return seconds === null ? 'Never' : `Every ${duration(seconds * 1000)}`;
}
