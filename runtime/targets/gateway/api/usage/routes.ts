import { AppError } from '#contract/errors.ts';
import type { GatewayContext } from '../../context.ts';
import type { UsageFilter, UsageInterval, UsageReports } from '../../accounts/ledger/usage-api.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import { readsEverything } from '../../accounts/identity/manager.ts';
import { usedModels } from '../../accounts/ledger/used-models.ts';
import { csvAnswer } from '../http/answers.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { permitUsage } from './permit-usage.ts';
import { usageQuery } from './query.ts';
import { usageGroupView, usageLogView, usagePointView, usageTotalsView } from '../views/records.ts';
import { USAGE_OPERATIONS } from './operations.ts';

/** `/v1/usage`: usage and its cost. */
export function usageRoutes({ state }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const { usage, identity } = state;
  const routes = newRoutes();

  routes.get('/v1/usage', guards.anyKey, async (c) => {
    const caller = callerOf(c);
    const { filter: named, by, interval, timeZone, asCsv } = usageQuery(c, caller);
    const manager = isModelKey(caller) ? undefined : await identity.manager(caller);
    const filter = await withUsedModel(usage, manager ? permitUsage(manager, named) : named);
    const isAdmin = manager !== undefined && readsEverything(manager);
    const page = pageOf(c);
    if (asCsv) return csvAnswer(c, usage.csv(filter), 'usage.csv');
    const isSummary = by.length > 0 || interval !== undefined;
    const [totals, logs, groups, points] = await Promise.all([
      usage.totals(filter),
      isSummary ? undefined : usage.list(filter, page),
      by.length > 0 ? usage.groups(filter, by, page) : undefined,
      interval && usage.series(filter, interval, { limit: MAX_POINTS + 1, timeZone }),
    ]);
    if (interval && points && points.length > MAX_POINTS) throw tooManyPoints(interval);
    return c.json({
      totals: usageTotalsView(totals),
      ...(logs && { logs: logs.map((row) => usageLogView(row, isAdmin)) }),
      ...(groups && { groups: groups.map((group) => usageGroupView(by, group)) }),
      ...(points && { series: points.map((point) => usagePointView(point)) }),
    });
  });

  return { routes, operations: USAGE_OPERATIONS };
}

const isModelKey = (caller: Caller): boolean => caller.kind === 'key' && caller.key.scope === 'models';

/** Completes the name of a model. A model that was never used is not an error; it has no usage. */
async function withUsedModel(usage: UsageReports, filter: UsageFilter): Promise<UsageFilter> {
  const { model, keyId, userId, teamId } = filter;
  if (model === undefined) return filter;
  const { matching } = await usedModels(usage, model, { keyId, userId, teamId });
  if (matching.length > 1) throw ambiguousModel(model, matching);
  return { ...filter, model: matching[0] ?? model };
}

function ambiguousModel(model: string, matching: readonly string[]): AppError {
  const message = `${JSON.stringify(model)} matches more than one model. Use one of ${matching.join(', ')}.`;
  return new AppError('InputError', message, { details: [{ location: 'query.model', message }] });
}

/** Maximum number of intervals: the minutes of a week. */
const MAX_POINTS = 10_080;

function tooManyPoints(interval: UsageInterval): AppError {
  const message = `More than ${MAX_POINTS} intervals of one ${interval}. Use a shorter time range (from, to) or a longer interval.`;
  return new AppError('InputError', message, { details: [{ location: 'query.interval', message }] });
}
