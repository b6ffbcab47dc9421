import type { Clock } from '#platform/clock.ts';
import { nextTurn } from '#platform/run-yielding.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { dollarsOf, type Nanos } from '../../../shared/money.ts';
import { accountOwner, groupAccount, keyAccount, userAccount } from '../../../store/account-ids.ts';
import type { ListPage } from '../../../store/page.ts';
import type { AccountRow } from '../../../store/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { Identity, SharedAccount } from '../../identity/identity.ts';
import { limitAccountsOf } from '../../identity/limit-accounts.ts';
import { unusedAccount } from '../../identity/unused-account.ts';
import { FORECAST_OWNERS } from '../budget-alerts.ts';
import { rollWindow } from '../limits.ts';
import {
  type GroupedTrend,
  type TrendPoint,
  type TrendRange,
  type TrendScope,
  type UsageTrends,
  UTC,
} from '../trends/trends-api.ts';
import { courseOf, type WindowCourse } from './course.ts';
import {
  DAY_MS,
  type Forecast,
  type ForecastInput,
  forecastSpending,
  HOUR_MS,
  MAX_DAYS,
} from './forecast.ts';

export const FORECAST_KINDS = FORECAST_OWNERS satisfies readonly TrendScope['kind'][];

/** A budget of a user, key, team or organization in its current window, with what will be spent. */
export interface ForecastBudget {
  readonly owner: { readonly type: TrendScope['kind']; readonly id: string };
  /** Name of the budget's limit. */
  readonly label: string;
  /** The models of a further limit; null for all. */
  readonly models: readonly string[] | null;
  readonly maxBudget: Nanos;
  readonly spent: Nanos;
  readonly reserved: Nanos;
  readonly startedAt: number | null;
  readonly endsAt: number | null;
  /** Number of complete days that the forecast is based on. */
  readonly days: number;
  /** Undefined with too few days. */
  readonly forecast: Forecast | undefined;
}

/** A forecast with the course of its window's spending. */
export interface DrawnForecast extends ForecastBudget {
  readonly course: WindowCourse;
}

/** A window's account, and what its forecast is based on. */
export interface WindowForecast {
  readonly shown: ForecastBudget;
  readonly input: ForecastInput;
  readonly window: SharedAccount;
  /** The account in the database; undefined for an account that was never used. */
  readonly row: AccountRow | undefined;
}

export interface BudgetForecasts {
  /** The budgets of a page of owners, with one entry per window. Owners without a budget have none. */
  list(kind: TrendScope['kind'], page: ListPage): Promise<readonly ForecastBudget[]>;
  /** The budgets of one owner, with the courses of their windows. */
  draw(kind: TrendScope['kind'], id: string): Promise<readonly DrawnForecast[]>;
  /** The windows of a page of owners, and whether there are more owners. */
  windows(
    kind: TrendScope['kind'],
    page: ListPage,
  ): Promise<{ readonly found: readonly WindowForecast[]; readonly hasMore: boolean }>;
}

interface ForecastParts {
  readonly store: Pick<Store, 'ledger'>;
  readonly identity: Pick<Identity, 'users' | 'keys' | 'teams' | 'organizations' | 'accounts'>;
  readonly trends: Pick<UsageTrends, 'spending'>;
  readonly clock: Clock;
}

/** Days whose hours determine how spending is spread over a day. */
const HOUR_DAYS = 14;
const HOURS = 24;
/** More than any owner uses within the days of a forecast. */
const MAX_MODELS = 10_000;

export function createBudgetForecasts({ store, identity, trends, clock }: ForecastParts): BudgetForecasts {
  const idsOf = async (kind: TrendScope['kind'], page: ListPage): Promise<readonly string[]> => {
    if (kind === 'user') return (await identity.users.list(page)).map(({ userId }) => userId);
    if (kind === 'key') return (await identity.keys.list(page)).map(({ id }) => id);
    const groups = kind === 'team' ? identity.teams : identity.organizations;
    return (await groups.list(page)).map(({ id }) => id);
  };

  /** An owner's usage. `series`: whether to return points by model. */
  const read = async (
    scope: TrendScope | undefined,
    range: Omit<TrendRange, 'timeZone'>,
    isByModel = false,
  ): Promise<GroupedTrend> =>
    await trends.spending({ ...range, timeZone: UTC }, scope, {
      by: 'model',
      order: 'cost',
      series: isByModel ? MAX_MODELS : 0,
    });

  /** The cost of each hour of the day in the last days. */
  const readHours = async (now: number, scope: TrendScope | undefined): Promise<readonly number[]> => {
    const to = Math.floor(now / DAY_MS) * DAY_MS;
    const { points } = await read(scope, { from: to - HOUR_DAYS * DAY_MS, to, interval: 'hour' });
    const costs = Array.from({ length: HOURS }, () => 0);
    for (const { start, cost } of points) {
      const hour = Math.floor((start % DAY_MS) / HOUR_MS);
      costs[hour] = (costs[hour] ?? 0) + dollarsOf(cost);
    }
    return costs;
  };

  const windowsOf = async (kind: TrendScope['kind'], ids: readonly string[]): Promise<WindowForecast[]> => {
    const now = Math.floor(clock.now());
    await store.ledger.sync();
    const owners = await identity.accounts(ids.map((id) => accountOf(kind, id)));
    const limited = owners
      .map((owner) => [owner, [owner, ...limitAccountsOf(owner)].filter(hasBudget)] as const)
      .filter(([, windows]) => windows.length > 0);
    if (limited.length === 0) return [];
    const everyone = shares(await readHours(now, undefined));
    const rows = await store.ledger.accounts(
      limited.flatMap(([, windows]) => windows.map(({ account }) => account)),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const found: WindowForecast[] = [];
    for (const [owner, windows] of limited) {
      // Lets requests run between two owners.
      await nextTurn();
      const { id } = accountOwner(owner.account);
      const scope = { kind, id };
      const today = Math.floor(now / DAY_MS);
      const range = { from: (today - MAX_DAYS) * DAY_MS, to: today * DAY_MS, interval: 'day' as const };
      const usage = await read(
        scope,
        range,
        windows.some(({ models }) => models !== undefined),
      );
      const hours = shares(await readHours(now, scope), everyone);
      for (const window of windows) {
        const owned = ofModels(usage, window);
        // A limit for some models begins with the owner's first day, on which it could have been used.
        const [first] = usage.points;
        const days = first ? daysFrom(first.start, owned, today) : [];
        found.push(forecastOf({ scope, window, row: byId.get(window.account), days, hours, now }));
      }
    }
    return found;
  };

  return {
    list: async (kind, page) => (await windowsOf(kind, await idsOf(kind, page))).map(({ shown }) => shown),
    async windows(kind, page) {
      const ids = await idsOf(kind, page);
      return { found: await windowsOf(kind, ids), hasMore: ids.length >= page.limit };
    },
    async draw(kind, id) {
      const found = await windowsOf(kind, [id]);
      return await Promise.all(
        found.map(async ({ shown, input, window }) => ({
          ...shown,
          course: await courseOf(shown, input, async (range) =>
            ofModels(await read({ kind, id }, range, window.models !== undefined), window),
          ),
        })),
      );
    },
  };
}

const accountOf = (kind: TrendScope['kind'], id: string): string => {
  if (kind === 'user') return userAccount(id);
  return kind === 'key' ? keyAccount(id) : groupAccount(kind === 'team' ? 'team' : 'org', id);
};

const hasBudget = ({ limits }: SharedAccount): boolean => limits.maxBudget !== null;

/** The usage that counts toward a window. */
const ofModels = (usage: GroupedTrend, { models }: SharedAccount): readonly TrendPoint[] =>
  models
    ? usage.groups.filter(({ group }) => matchesAny(models, group ?? '')).flatMap((one) => one.points)
    : usage.points;

/**
 * The share of a day's spending in each hour. Without any spending, everyone's shares, or all hours are alike.
 */
function shares(costs: readonly number[], otherwise?: readonly number[]): readonly number[] {
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  if (total > 0) return costs.map((cost) => cost / total);
  return otherwise ?? costs.map(() => 1 / HOURS);
}

/** Spending on each day, from the day of a time to yesterday. */
function daysFrom(start: number, points: readonly TrendPoint[], today: number): number[] {
  const first = Math.floor(start / DAY_MS);
  const days = Array.from({ length: today - first }, () => 0);
  for (const { start: at, cost } of points) {
    const day = Math.floor(at / DAY_MS) - first;
    days[day] = (days[day] ?? 0) + dollarsOf(cost);
  }
  return days;
}

interface WindowParts extends Pick<WindowForecast, 'window' | 'row'> {
  readonly scope: TrendScope;
  readonly days: readonly number[];
  readonly hours: readonly number[];
  readonly now: number;
}

function forecastOf({ scope, window, row, days, hours, now }: WindowParts): WindowForecast {
  const { limits, label, models, account } = window;
  const { account: current } = rollWindow(row ?? unusedAccount(account), limits, now);
  const maxBudget = limits.maxBudget ?? 0n;
  const { spent_nano: spent, reserved_nano: reserved } = current;
  const { window_started_at: startedAt, window_ends_at: endsAt } = current;
  const input: ForecastInput = {
    now,
    spent: dollarsOf(spent),
    limit: dollarsOf(maxBudget),
    end: endsAt ?? undefined,
    days,
    hours,
  };
  return {
    shown: {
      owner: { type: scope.kind, id: scope.id },
      label,
      models: models ?? null,
      maxBudget,
      spent,
      reserved,
      startedAt,
      endsAt,
      days: days.length,
      forecast: forecastSpending(input),
    },
    input,
    window,
    row,
  };
}
