import { rfc3339 } from '#core/time/rfc3339.ts';
import { rfc3339OrNull } from '../http/values.ts';
import type { DrawnForecast, ForecastBudget } from '../../accounts/ledger/forecast/budget-forecasts.ts';
import { dollarsOf } from '../../shared/money.ts';

/** Amounts are rounded to a hundredth of a cent, because more digits would suggest a precision that they lack. */
const rounded = (dollars: number): number => Math.round(dollars * 10_000) / 10_000;

export const forecastView = (one: ForecastBudget) => ({
  owner: one.owner,
  label: one.label,
  models: one.models,
  max_budget: dollarsOf(one.maxBudget),
  spend: dollarsOf(one.spent),
  reserved: dollarsOf(one.reserved),
  budget_started_at: rfc3339OrNull(one.startedAt),
  next_budget_reset_at: rfc3339OrNull(one.endsAt),
  days: one.days,
  forecast: one.forecast
    ? {
        projected_spend: one.forecast.projected
          ? {
              expected: rounded(one.forecast.projected.expected),
              low: rounded(one.forecast.projected.low),
              high: rounded(one.forecast.projected.high),
            }
          : null,
        exhausted_at: rfc3339OrNull(one.forecast.exhaustedAt ?? null),
        exhausted_earliest: rfc3339OrNull(one.forecast.exhaustedEarliest ?? null),
        weekly: one.forecast.isWeekly,
      }
    : null,
});

/** A forecast with the course of its window's spending. */
export const drawnForecastView = ({ course, ...one }: DrawnForecast) => ({
  ...forecastView(one),
  course: {
    past: course.past.map(({ at, spent }) => ({ time: rfc3339(at), spend: rounded(spent) })),
    future: course.future.map(({ at, expected, low, high }) => ({
      time: rfc3339(at),
      expected: rounded(expected),
      low: rounded(low),
      high: rounded(high),
    })),
  },
});
