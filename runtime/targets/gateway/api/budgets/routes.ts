import type { Static } from 'typebox';
import type { GatewayContext } from '../../context.ts';
import type { BudgetChanges } from '../../accounts/ledger/ledger.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { budgetQuery } from './query.ts';
import { budgetChanges } from './schemas.ts';
import { nanosOrNull } from '../http/values.ts';
import { budgetResetView, budgetView } from '../views/accounts.ts';
import { BUDGET_OPERATIONS } from './operations.ts';

/** `/v1/budgets`: budgets, which limit the spending of users. */
export function budgetRoutes({ state }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const { budgets } = state;
  const routes = newRoutes();

  routes.post('/v1/budgets', guards.admin, async (c) =>
    c.json(budgetView(await budgets.create(changesIn(await readBody(c, budgetChanges))))),
  );
  routes.get('/v1/budgets', guards.reader, async (c) =>
    c.json((await budgets.list(pageOf(c), budgetQuery(c))).map((budget) => budgetView(budget))),
  );
  routes.get('/v1/budgets/reset-logs', guards.reader, async (c) => {
    const resets = await budgets.resets(pageOf(c), c.req.query('user_id') || undefined);
    return c.json(resets.map((reset) => budgetResetView(reset)));
  });
  routes.get('/v1/budgets/:id', guards.reader, async (c) =>
    c.json(budgetView(await budgets.get(c.req.param('id')))),
  );
  routes.patch('/v1/budgets/:id', guards.admin, async (c) => {
    const changes = changesIn(await readBody(c, budgetChanges));
    return c.json(budgetView(await budgets.change(c.req.param('id'), changes)));
  });
  routes.delete('/v1/budgets/:id', guards.admin, async (c) => {
    await budgets.delete(c.req.param('id'));
    return c.body(null, 204);
  });

  return { routes, operations: BUDGET_OPERATIONS };
}

const changesIn = (body: Static<typeof budgetChanges>): BudgetChanges => ({
  name: body.name,
  maxBudget: nanosOrNull('max_budget', body.max_budget),
  budgetDurationSec: body.budget_duration_sec,
  calendar: body.calendar,
  timeZone: body.time_zone,
  alertThresholds: body.alert_thresholds,
});
