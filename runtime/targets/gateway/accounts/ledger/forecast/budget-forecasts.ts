import type { Clock } from '#platform/clock.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { dollarsOf, type Nanos } from '../../../shared/money.ts';
import { accountOwner, groupAccount, keyAccount, userAccount } from '../../../store/account-ids.ts';
import type { ListPage } from '../../../store/page.ts';
import type { AccountRow } from '../../../store/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { Identity, SharedAccount } from '../../identity/identity.ts';
import { limitAccountsOf } from '../../identity/limit-accounts.ts';
import { unusedAccount } from '../../identity/unused-account.ts';
import { rollWindow } from '../limits.ts';
import { type TrendPoint, type TrendScope, type UsageTrends, UTC } from '../trends/trends-api.ts';
import { DAY_MS, type Forecast, forecastSpending, HOUR_MS, MAX_DAYS } from './forecast.ts';

/** Kinds of owners whose usage is known by day. */
export const FORECAST_KINDS = [
  'user',
  'key',
  'team',
  'organization',
] as const satisfies readonly TrendScope['kind'][];

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

export interface BudgetForecasts {
  /** The budgets of a page of owners, with one entry per window. Owners without a budget have none. */
  list(kind: TrendScope['kind'], page: ListPage): Promise<readonly ForecastBudget[]>;
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
    if (kind === 'user') return (await identity.users.list(page)).map(({ userId }) => userAccount(userId));
    if (kind === 'key') return (await identity.keys.list(page)).map(({ id }) => keyAccount(id));
    const groups = kind === 'team' ? identity.teams : identity.organizations;
    return (await groups.list(page)).map(({ id }) => groupAccount(kind === 'team' ? 'team' : 'org', id));
  };

  /**
   * The share of a day's spending in each hour: everyone's, because there are no sums by hour for a single
   * owner.
   */
  const readHours = async (now: number): Promise<readonly number[]> => {
    const to = Math.floor(now / DAY_MS) * DAY_MS;
    const range = { from: to - HOUR_DAYS * DAY_MS, to, interval: 'hour' as const, timeZone: UTC };
    const { points } = await trends.spending(range, undefined, { by: 'model', order: 'cost', series: 0 });
    const costs = Array.from({ length: HOURS }, () => 0);
    let total = 0;
    for (const { start, cost } of points) {
      const hour = Math.floor((start % DAY_MS) / HOUR_MS);
      costs[hour] = (costs[hour] ?? 0) + dollarsOf(cost);
      total += dollarsOf(cost);
    }
    return costs.map((cost) => (total === 0 ? 1 / HOURS : cost / total));
  };

  return {
    async list(kind, page) {
      const now = Math.floor(clock.now());
      await store.ledger.sync();
      const owners = await identity.accounts(await idsOf(kind, page));
      const limited = owners
        .map((owner) => [owner, [owner, ...limitAccountsOf(owner)].filter(hasBudget)] as const)
        .filter(([, windows]) => windows.length > 0);
      if (limited.length === 0) return [];
      const hours = await readHours(now);
      const rows = await store.ledger.accounts(
        limited.flatMap(([, windows]) => windows.map(({ account }) => account)),
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const found: ForecastBudget[] = [];
      for (const [owner, windows] of limited) {
        const { id } = accountOwner(owner.account);
        const today = Math.floor(now / DAY_MS);
        const range = {
          from: (today - MAX_DAYS) * DAY_MS,
          to: today * DAY_MS,
          interval: 'day' as const,
          timeZone: UTC,
        };
        const isByModel = windows.some(({ models }) => models);
        const usage = await trends.spending(
          range,
          { kind, id },
          { by: 'model', order: 'cost', series: isByModel ? MAX_MODELS : 0 },
        );
        for (const window of windows) {
          const { models } = window;
          const points = models
            ? usage.groups.filter(({ group }) => matchesAny(models, group ?? '')).flatMap((one) => one.points)
            : usage.points;
          // A limit for some models begins with the owner's first day, on which it could have been used.
          const [first] = usage.points;
          const days = first ? daysFrom(first.start, points, today) : [];
          found.push(forecastOf({ kind, id, window, row: byId.get(window.account), days, hours, now }));
        }
      }
      return found;
    },
  };
}

const hasBudget = ({ limits }: SharedAccount): boolean => limits.maxBudget !== null;

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

interface WindowParts {
  readonly kind: TrendScope['kind'];
  readonly id: string;
  readonly window: SharedAccount;
  readonly row: AccountRow | undefined;
  readonly days: readonly number[];
  readonly hours: readonly number[];
  readonly now: number;
}

function forecastOf({ kind, id, window, row, days, hours, now }: WindowParts): ForecastBudget {
  const { limits, label, models, account } = window;
  const { account: current } = rollWindow(row ?? unusedAccount(account), limits, now);
  const maxBudget = limits.maxBudget ?? 0n;
  const {
    spent_nano: spent,
    reserved_nano: reserved,
    window_started_at: startedAt,
    window_ends_at: endsAt,
  } = current;
  return {
    owner: { type: kind, id },
    label,
    models: models ?? null,
    maxBudget,
    spent,
    reserved,
    startedAt,
    endsAt,
    days: days.length,
    forecast: forecastSpending({
      now,
      spent: dollarsOf(spent),
      limit: dollarsOf(maxBudget),
      end: endsAt ?? undefined,
      days,
      hours,
    }),
  };
}
