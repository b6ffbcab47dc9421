import type { Static } from 'typebox';
import type { forecasts } from '#gateway/api/budgets.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { lineChart } from '#serve/http/pages/browser/components/chart.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { minuteText, money } from '#serve/http/pages/browser/format.ts';

type Forecast = Static<typeof forecasts>[number];

/** Charts of the windows of an owner's budget: the spending so far, and what is expected. */
export async function forecastCharts(
  session: Session,
  { type, id }: Forecast['owner'],
  signal: AbortSignal,
): Promise<readonly Node[]> {
  const { data } = await session.call<readonly Forecast[]>('v1/budgets/forecasts', {
    query: { owner: type, id },
    signal,
  });
  return data.map(chartOf);
}

function chartOf(one: Forecast): Node {
  const { past, future } = one.course ?? { past: [], future: [] };
  const timeOf = ({ time }: { readonly time: string }) => Date.parse(time);
  const ends = [...past, ...future].map(timeOf);
  const exhausted = one.forecast?.exhausted_at ?? null;
  const limit = one.max_budget;
  return element(
    'div',
    {},
    lineChart({
      title: `Forecast of ${one.label}`,
      unit: 'USD',
      time: true,
      series: [
        { name: 'Spent', points: past.map((point) => [timeOf(point), point.spend]) },
        ...(future.length === 0
          ? []
          : [{ name: 'Expected', points: future.map((point) => [timeOf(point), point.expected] as const) }]),
      ],
      ...(future.length > 0 && {
        band: { series: 1, points: future.map((point) => [timeOf(point), point.low, point.high] as const) },
      }),
      // The limit, and the time at which it is reached.
      reference: [
        [Math.min(...ends), limit],
        [Math.max(...ends), limit],
        ...(exhausted === null
          ? []
          : ([
              [Date.parse(exhausted), null],
              [Date.parse(exhausted), 0],
              [Date.parse(exhausted), limit],
            ] as const)),
      ],
      summary: summaryOf(one),
    }),
  );
}

function summaryOf({ forecast, spend, max_budget: limit, next_budget_reset_at: reset }: Forecast): string {
  const spent = `${money(spend)} of ${money(limit)} spent.`;
  if (!forecast) return `${spent} Not enough data for a forecast, which needs 7 complete days of usage.`;
  const { projected_spend: projected, exhausted_at: exhausted } = forecast;
  const expected = projected
    ? ` Expected at the reset on ${timeText(reset)}: ${money(projected.expected)}, in 80% of all cases ${money(projected.low)} to ${money(projected.high)}.`
    : '';
  const end =
    exhausted === null
      ? ` The budget (dashed) is not expected to be exhausted ${projected ? 'before' : 'within a year'}.`
      : ` The budget (dashed) is expected to be exhausted on ${timeText(exhausted)}.`;
  return `${spent}${expected}${end}`;
}

const timeText = (time: string | null) => (time === null ? '' : minuteText(Date.parse(time), undefined));
