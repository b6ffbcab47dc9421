import { readJsonBytes } from '#serve/http/body.ts';
import { readBytes } from '#serve/http/read-bytes.ts';
import { notFound } from '../../accounts/identity/checks.ts';
import { changesBetween } from '../../accounts/price-map/map-changes.ts';
import type { GatewayContext } from '../../context.ts';
import { parseModel } from '../../shared/model-string.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { pageOf } from '../http/lists.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { PRICE_MAP_OPERATIONS } from './operations.ts';
import { listedView, mapHead } from '../views/models.ts';

/** `/v1/price-map`: published prices. */
export function priceMapRoutes(
  { state: { priceMaps }, clock }: GatewayContext,
  { guards }: HttpParts,
  options: GatewayAppOptions,
): GatewayRoutes {
  const routes = newRoutes();
  const limits = modelBodyOptions(options);

  routes.get('/v1/price-map', guards.reader, async (c) => {
    const map = await priceMaps.current();
    const { skip, limit } = pageOf(c);
    const found = map.search(c.req.query('search') ?? '').slice(skip, skip + limit);
    return c.json({ ...mapHead(map), prices: found.map(listedView) });
  });
  routes.put('/v1/price-map', guards.admin, async (c) => {
    const { headers } = c.req.raw;
    // Maps have a few megabytes, so they are read like requests to models.
    const bytes = await readJsonBytes(
      { headers, readBody: ({ maxBodyBytes, ...more }) => readBytes(c, maxBodyBytes, more) },
      limits,
    );
    const source = c.req.query('source') || 'the HTTP API';
    // The validator is imported here, because most gateways never need it.
    const { readPriceMap } = await import('../../accounts/price-map/read-map.ts');
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const before = await priceMaps.current();
    await priceMaps.store(readPriceMap(new TextDecoder().decode(bytes), source, today));
    const now = await priceMaps.current();
    return c.json({ ...mapHead(now), ...changesBetween(before, now) });
  });
  routes.delete('/v1/price-map', guards.admin, async (c) => {
    await priceMaps.reset();
    return c.body(null, 204);
  });
  routes.get('/v1/price-map/:model{.+}', guards.reader, async (c) => {
    const text = c.req.param('model');
    const name = parseModel(text);
    const found = name && (await priceMaps.find(name.provider, name.model));
    if (!found) throw notFound(`There is no published price for model '${text}'`, 'pricing_not_found');
    const { date } = await priceMaps.current();
    return c.json({ priced_by: `map ${date} ${found.name}`, price: listedView(found) });
  });

  return { routes, operations: PRICE_MAP_OPERATIONS };
}
