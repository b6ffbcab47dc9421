import type { Static } from 'typebox';
import type { GatewayContext } from '../../context.ts';
import type { TokenRates } from '../../shared/token-price.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { readUnits } from '../../accounts/ledger/price-units.ts';
import { findModelKey, modelKeyOf } from '../../accounts/ledger/model-key.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { newPricing } from './schemas.ts';
import { millisecondsOrNull, nanosIn, nanosOrNull } from '../http/values.ts';
import { pricingView } from '../views/models.ts';
import { PRICING_OPERATIONS } from './operations.ts';

/** `/v1/pricing`: model prices. Names of models contain colons and slashes, so the rest of the path is one name. */
export function pricingRoutes({ state }: GatewayContext, { guards, readBody }: HttpParts): GatewayRoutes {
  const { prices } = state;
  const routes = newRoutes();

  routes.post('/v1/pricing', guards.admin, async (c) =>
    c.json(pricingView(await prices.set(priceIn(await readBody(c, newPricing))))),
  );
  routes.get('/v1/pricing', guards.anyKey, async (c) =>
    c.json((await prices.list(pageOf(c))).map((price) => pricingView(price))),
  );
  routes.get('/v1/pricing/:model{.+}/history', guards.anyKey, async (c) => {
    const history = await prices.history(findModelKey(c.req.param('model')));
    return c.json(history.map((price) => pricingView(price)));
  });
  routes.get('/v1/pricing/:model{.+}', guards.anyKey, async (c) =>
    c.json(pricingView(await prices.get(findModelKey(c.req.param('model'))))),
  );
  routes.delete('/v1/pricing/:model{.+}', guards.admin, async (c) => {
    await prices.delete(findModelKey(c.req.param('model')));
    return c.body(null, 204);
  });

  return { routes, operations: PRICING_OPERATIONS };
}

const priceIn = (body: Static<typeof newPricing>): NewPrice => ({
  modelKey: modelKeyOf(body.model_key),
  ...ratesIn(body),
  units: readUnits((field) => nanosOrNull(field, body[field])),
  tiers: (body.tiers ?? []).map((tier) => ({ aboveTokens: tier[TIER_FIELD], ...ratesIn(tier) })),
  effectiveAt: millisecondsOrNull('effective_at', body.effective_at) ?? undefined,
});

const ratesIn = (members: Readonly<Partial<Record<RateField, number | null>>>): TokenRates =>
  readRates(
    (field) => nanosIn(field, members[field] ?? 0),
    (field) => nanosOrNull(field, members[field]) ?? null,
  );
