import { AppError } from '../../../../contract/errors.ts';
import type { GatewayContext } from '../../context.ts';
import type { Dataset } from '../../lab/datasets/dataset.ts';
import { absoluteUrl } from '../http/absolute-url.ts';
import { API } from '../http/api-path.ts';
import { pageOf } from '../http/page.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { withUpload } from './read-upload.ts';
import { datasetView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { DATASET_OPERATIONS } from './operations.ts';

/** `/api/v1/datasets`: the rows that models answer. */
export function datasetRoutes(
  { jobs, experiments }: Pick<GatewayContext, 'jobs' | 'experiments'>,
  { labGuard }: Pick<HttpParts, 'labGuard'>,
): GatewayRoutes {
  const { datasets, artifacts } = jobs;
  const routes = newRoutes();

  routes.post(`${API}/datasets`, labGuard, async (c) => {
    const { owner } = viewOf(c);
    const dataset = await withUpload<Dataset>(
      c,
      (file) => datasets.upload({ ...file, owner }),
      ({ id }) => datasets.delete('everyone', id),
    );
    return c.json(datasetView(dataset), 201, { Location: `${API}/datasets/${dataset.id}` });
  });
  routes.get(`${API}/datasets`, labGuard, async (c) => {
    const { total, items } = await datasets.list(viewOf(c).viewer, pageOf(c));
    return c.json({ total, items: items.map(datasetView) });
  });
  routes.get(`${API}/datasets/:id`, labGuard, async (c) =>
    c.json(datasetView(await datasets.get(viewOf(c).viewer, c.req.param('id')))),
  );
  routes.delete(`${API}/datasets/:id`, labGuard, async (c) => {
    const { viewer } = viewOf(c);
    const id = c.req.param('id');
    await datasets.delete(viewer, id, (trx) => experiments.refuseUsed(trx, id));
    return c.body(null, 204);
  });
  routes.get(`${API}/datasets/:id/download`, labGuard, async (c) => {
    const { id } = await datasets.get(viewOf(c).viewer, c.req.param('id'));
    const extension = c.req.query('extension')?.replace(/^\./, '').toLowerCase() || 'csv';
    if (extension !== 'csv' && extension !== 'jsonl') throw unknownExtension(extension);
    const address = await artifacts.address(`${id}.${extension}`);
    return c.json({ id, download_urls: [absoluteUrl(c, address)] });
  });

  return { routes, operations: DATASET_OPERATIONS };
}

function unknownExtension(extension: string): AppError {
  const message = `extension must be csv or jsonl, not ${JSON.stringify(extension.slice(0, 100))}`;
  return new AppError('InputError', message, {
    details: [{ location: 'query.extension', message, rule: 'enum' }],
  });
}
