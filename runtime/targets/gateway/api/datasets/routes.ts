import { AppError } from '#contract/errors.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import type { GatewayContext } from '../../context.ts';
import type { Dataset } from '../../evaluation/datasets/dataset.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { pageOf, searchOf } from '../http/lists.ts';
import { withUpload } from './read-upload.ts';
import { withSource } from '../../evaluation/datasets/sources/open-source.ts';
import { inMemberAsync } from '../../evaluation/workflows/member-errors.ts';
import { sourceIn } from './import-request.ts';
import { datasetChanges, datasetImport } from './schemas.ts';
import { datasetView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { DATASET_OPERATIONS } from './operations.ts';

/** `/api/v1/datasets`: the rows that models answer. */
export function datasetRoutes(
  { jobs, experiments, clock }: Pick<GatewayContext, 'jobs' | 'experiments' | 'clock'>,
  { labGuard, readBody, absoluteUrl }: Pick<HttpParts, 'labGuard' | 'readBody' | 'absoluteUrl'>,
): GatewayRoutes {
  const { datasets, artifacts, secrets, trusts } = jobs;
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
  routes.post(`${API}/datasets/import`, labGuard, async (c) => {
    const { owner } = viewOf(c);
    const body = await readBody(c, datasetImport);
    const source = await sourceIn(body, owner, secrets);
    const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(IMPORT_MS)]);
    const dataset = await inMemberAsync('source', () =>
      withSource(
        source,
        { clock, local: trusts(owner), signal, filename: body.filename ?? undefined },
        (opened) =>
          datasets.uploadFiles({
            filename: opened.filename,
            files: opened.files,
            source: opened.origin,
            owner,
            columns: body.columns ?? undefined,
            tags: body.tags ?? [],
          }),
      ),
    );
    return c.json(datasetView(dataset), 201, { Location: `${API}/datasets/${dataset.id}` });
  });
  routes.get(`${API}/datasets`, labGuard, async (c) => {
    const { total, items } = await datasets.list(viewOf(c).viewer, pageOf(c), searchOf(c));
    return c.json({ total, items: items.map(datasetView) });
  });
  routes.get(`${API}/datasets/:id`, labGuard, async (c) =>
    c.json(datasetView(await datasets.get(viewOf(c).viewer, c.req.param('id')))),
  );
  routes.patch(`${API}/datasets/:id`, labGuard, async (c) => {
    const changes = await readBody(c, datasetChanges);
    return c.json(datasetView(await datasets.change(viewOf(c).viewer, c.req.param('id'), changes)));
  });
  routes.delete(`${API}/datasets/:id`, labGuard, async (c) => {
    const { viewer } = viewOf(c);
    const id = c.req.param('id');
    await datasets.delete(viewer, id, (trx) => experiments.refuseUsed(trx, id));
    return c.body(null, 204);
  });
  routes.get(`${API}/datasets/:id/download`, labGuard, async (c) => {
    const { id } = await datasets.get(viewOf(c).viewer, c.req.param('id'));
    const extension = c.req.query('extension')?.replace(/^\./, '').toLowerCase() || 'csv';
    if (!isOneOf(EXTENSIONS, extension)) throw unknownExtension(extension);
    const address = await artifacts.address(`${id}.${extension}`);
    return c.json({ id, download_urls: [absoluteUrl(c, address)] });
  });

  return { routes, operations: DATASET_OPERATIONS };
}

const EXTENSIONS = ['csv', 'jsonl', 'parquet'] as const;
/** Time limit of an import. */
const IMPORT_MS = 600_000;

function unknownExtension(extension: string): AppError {
  const message = `extension must be one of ${EXTENSIONS.join(', ')}, not ${JSON.stringify(extension.slice(0, 100))}`;
  return new AppError('InputError', message, {
    details: [{ location: 'query.extension', message, rule: 'enum' }],
  });
}
