import type { Clock } from '#platform/clock.ts';
import type { AlertRow } from '../../../store/record-schema.ts';
import type { Store } from '../../../store/store.ts';
import {
  type AlertPolicy,
  exhaustionAlert,
  FORECAST_OWNERS,
  type ForecastPolicy,
  hasAlerts,
} from '../budget-alerts.ts';
import type { BudgetForecasts, WindowForecast } from './budget-forecasts.ts';
import { leastSpending } from './forecast.ts';

interface AlertParts {
  readonly forecasts: Pick<BudgetForecasts, 'windows'>;
  readonly store: Pick<Store, 'db'>;
  readonly clock: Clock;
  /** The current configuration; a reload replaces it. */
  readonly policy: () => AlertPolicy | undefined;
}

/** Owners whose forecasts are computed together. */
const PAGE = 100;

/**
 * Returns a function that raises an alert for each budget that will be exhausted before its window ends. An
 * alert has the same ID in every gateway for as long as the window lasts, so it is raised once, even if the
 * forecast changes its mind.
 */
export function createExhaustionAlerts(parts: AlertParts): () => Promise<void> {
  const { forecasts, store, clock, policy } = parts;
  return async () => {
    const current = policy();
    if (!current?.forecast) return;
    for (const kind of FORECAST_OWNERS.filter((owner) => current.forecast?.owners.includes(owner)))
      for (let skip = 0; ; skip += PAGE) {
        const { found, hasMore } = await forecasts.windows(kind, { skip, limit: PAGE });
        const now = Math.floor(clock.now());
        const alerts = found.flatMap((one) => alertOf(one, current, current.forecast, now) ?? []);
        if (alerts.length > 0)
          await store.db
            .insertInto('gateway_alerts')
            .values(alerts)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .execute();
        if (!hasMore) break;
      }
  };
}

function alertOf(
  { shown, input, window, row }: WindowForecast,
  policy: AlertPolicy,
  forecast: ForecastPolicy | undefined,
  now: number,
): AlertRow | undefined {
  // A window that no request has started yet has no stored start, so its alerts would differ from each other.
  const isOpen = row !== undefined && row.window_ends_at !== null && row.window_ends_at > now;
  if (!forecast || !isOpen || shown.endsAt === null || !hasAlerts(window.limits, policy)) return undefined;
  // An exhausted budget has other alerts.
  if (input.spent >= input.limit) return undefined;
  const least = leastSpending(input, forecast.certainty);
  if (least === undefined || least < input.limit) return undefined;
  const details = {
    certainty: forecast.certainty,
    exhausted_at: shown.forecast?.exhaustedAt ?? shown.endsAt,
  };
  return exhaustionAlert(row, { limits: window.limits, label: () => window.label }, details, now);
}
