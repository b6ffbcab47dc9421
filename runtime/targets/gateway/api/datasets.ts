import type { Context } from 'hono';
import { Type, type Static } from 'typebox';
import { AppError, inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { ColumnMapping, Dataset } from '../evaluation/datasets/dataset.ts';
import { EXTENSIONS } from '../evaluation/datasets/extensions.ts';
import { withSource } from '../evaluation/datasets/sources/open-source.ts';
import type { DatasetSource } from '../evaluation/datasets/sources/source.ts';
import type { Secrets } from '../evaluation/secrets.ts';
import { inMemberAsync, inMember } from '../evaluation/workflows/member-errors.ts';
import { boundaryOf, readMultipart } from '#serve/http/multipart.ts';
import type { Owner } from '../shared/owner.ts';
import { dataset, datasetChanges, datasetDownload, datasetImport, datasetList } from './datasets-schemas.ts';
import { viewOf } from './guards.ts';
import { pageOfList, SEARCH_PARAMETERS, pageOf, searchOf } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';

/** Parses the column mapping of an upload, given as JSON. Throws an InputError. */
export function columnsIn(text: string | undefined): ColumnMapping | undefined {
  if (text === undefined || text === '') return undefined;
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    throw invalid(text);
  }
  if (!isObject(value) || !Object.values(value).every((name) => typeof name === 'string' && name !== ''))
    throw invalid(text);
  return value as ColumnMapping;
}

function invalid(text: string): AppError {
  const message = `columns must be a JSON object such as {"examples": "text"}, not ${JSON.stringify(text.slice(0, 100))}`;
  return new AppError('InputError', message, { details: [{ location: 'body.columns', message }] });
}

const ID = 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55';
export const DATASET = {
  id: ID,
  filename: 'reviews.csv',
  format: 'job',
  size: 48_213,
  row_count: 1000,
  columns: ['examples', 'ground_truth'],
  ground_truth: true,
  run_id: null,
  generated: false,
  generated_by: null,
  tags: ['release'],
  source: null,
  created_at: '2026-01-01T00:00:00Z',
};

const SHARED = { tag: 'Datasets' } as const;
const DATASET_ID = { name: 'dataset_id', description: 'Dataset id.', example: ID };

/** `/api/v1/datasets`: the rows that models process. */
export function datasetRoutes(
  { jobs, experiments, clock }: Pick<GatewayContext, 'jobs' | 'experiments' | 'clock'>,
  { guards, route, absoluteUrl }: HttpParts,
): readonly Route[] {
  const { datasets, artifacts, secrets, trusts } = jobs;

  return [
    route({
      method: 'post',
      path: `${API}/datasets/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'uploadDataset',
      summary: 'Upload a dataset as CSV, JSON lines or Parquet.',
      description:
        'The column `examples` contains the texts, and `ground_truth` contains the expected outputs. In a form, the file extension determines the format. The body can also be the file itself. In that case, the content type determines the format, and the query parameters `filename` and `columns` set the file name and column names.',
      request: {
        mediaType: 'multipart/form-data',
        schema: Type.Object({
          dataset: Type.String({ format: 'binary' }),
          format: Type.Literal('job'),
          columns: Type.Optional(
            Type.String({ description: 'JSON object with new column names; must precede `dataset`.' }),
          ),
        }),
        examples: { form: { dataset: 'examples,ground_truth\nGood,POSITIVE\n', format: 'job' } },
      },
      answer: {
        ...answerOf('The dataset.', dataset, DATASET),
        headers: [{ name: 'Location', description: 'Path of the dataset.', type: 'string' }],
      },
      statuses: [201],
      errors: [400, 413, 415, 422],
      run: async (c) => {
        const { owner } = viewOf(c);
        const dataset = await withUpload<Dataset>(
          c,
          (file) => datasets.upload({ ...file, owner }),
          ({ id }) => datasets.delete('everyone', id),
        );
        return c.json(datasetView(dataset), 201, { Location: `${API}/datasets/${dataset.id}` });
      },
    }),
    route({
      method: 'post',
      path: `${API}/datasets/import`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'importDataset',
      summary: 'Import a dataset from a URL, the Hugging Face Hub or an S3-compatible store.',
      description:
        'The response is sent after all rows are stored. Importing from private addresses requires the master key, unless the configuration trusts users.',
      request: {
        schema: datasetImport,
        examples: {
          url: { source: 'https://example.com/reviews.csv', columns: { examples: 'text' } },
          hub: { source: 'hf:cornell-movie-review-data/rotten_tomatoes', hf: { split: 'test' } },
          s3: {
            source: 's3://bucket/reviews.parquet',
            s3: { region: 'eu-central-1', access_key_id: 'AKIA…', secret_key_name: 'aws' },
          },
        },
      },
      answer: {
        ...answerOf('The dataset.', dataset, { ...DATASET, source: 'https://example.com/reviews.csv' }),
        headers: [{ name: 'Location', description: 'Path of the dataset.', type: 'string' }],
      },
      statuses: [201],
      run: async (c, body) => {
        const { owner } = viewOf(c);

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
      },
    }),
    route({
      method: 'get',
      path: `${API}/datasets/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'listDatasets',
      summary: 'List datasets, newest first.',
      ...pageOfList({
        schema: datasetList,
        example: { total: 1, items: [DATASET] },
        parameters: SEARCH_PARAMETERS,
      }),
      run: async (c) => {
        const { total, items } = await datasets.list(viewOf(c).viewer, pageOf(c), searchOf(c));
        return { total, items: items.map(datasetView) };
      },
    }),
    route({
      method: 'get',
      path: `${API}/datasets/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getDataset',
      summary: 'Get a dataset.',
      parameters: [DATASET_ID],
      answer: answerOf('The dataset.', dataset, DATASET),
      run: async (c) => datasetView(await datasets.get(viewOf(c).viewer, c.req.param('id'))),
    }),
    route({
      method: 'patch',
      path: `${API}/datasets/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'updateDataset',
      summary: 'Change the name or the tags of a dataset.',
      parameters: [DATASET_ID],
      request: { schema: datasetChanges, examples: { tags: { tags: ['release'] } } },
      answer: answerOf('The dataset.', dataset, DATASET),
      run: async (c, changes) =>
        datasetView(await datasets.change(viewOf(c).viewer, c.req.param('id'), changes)),
    }),
    route({
      method: 'delete',
      path: `${API}/datasets/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'deleteDataset',
      summary: 'Delete a dataset that no experiment uses.',
      parameters: [DATASET_ID],
      answer: noContent('The dataset is deleted.'),
      errors: [409],
      run: async (c) => {
        const { viewer } = viewOf(c);
        const id = c.req.param('id');
        await datasets.delete(viewer, id, (trx) => experiments.refuseUsed(trx, id));
      },
    }),
    route({
      method: 'get',
      path: `${API}/datasets/:id/download`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'downloadDataset',
      summary: 'Get URLs to download the rows.',
      parameters: [
        DATASET_ID,
        {
          name: 'extension',
          in: 'query',
          description: 'File format.',
          example: 'csv',
          schema: oneOf(['csv', 'jsonl', 'parquet'], { default: 'csv' }),
        },
      ],
      answer: answerOf('The URLs.', datasetDownload, {
        id: ID,
        download_urls: [`http://127.0.0.1:8000${API}/artifacts/${ID}.csv?expires=1767225600&sig=abc`],
      }),
      run: async (c) => {
        const { id } = await datasets.get(viewOf(c).viewer, c.req.param('id'));
        const extension = c.req.query('extension')?.replace(/^\./, '').toLowerCase() || 'csv';
        if (!isOneOf(ROUTES_EXTENSIONS, extension)) throw unknownExtension(extension);
        const address = await artifacts.address(`${id}.${extension}`);
        return { id, download_urls: [absoluteUrl(c, address)] };
      },
    }),
  ];
}

const ROUTES_EXTENSIONS = ['csv', 'jsonl', 'parquet'] as const;
/** Timeout for an import. */
const IMPORT_MS = 600_000;

function unknownExtension(extension: string): AppError {
  const message = `extension must be one of ${ROUTES_EXTENSIONS.join(', ')}, not ${JSON.stringify(extension.slice(0, 100))}`;
  return new AppError('InputError', message, {
    details: [{ location: 'query.extension', message, rule: 'enum' }],
  });
}

/**
 * Converts an import request and inserts the secrets that it refers to. Throws an InputError for an invalid
 * request and a NotFoundError for a missing secret.
 */
async function sourceIn(
  { source, hf, s3, pypi }: Static<typeof datasetImport>,
  owner: Owner | null,
  secrets: Pick<Secrets, 'reveal'>,
): Promise<DatasetSource> {
  const secretOf = async (name: string | null | undefined): Promise<string | undefined> =>
    name ? await secrets.reveal(owner, name) : undefined;
  const accessKeyId = s3?.access_key_id ?? undefined;
  const secretAccessKey = await secretOf(s3?.secret_key_name);
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    inMember('s3', () => {
      throw inputError('`access_key_id` and `secret_key_name` must be set together. Set both or neither.');
    });
  }
  return {
    source,
    benchmark: { indexUrl: pypi?.index_url ?? undefined },
    hub: {
      endpoint: hf?.endpoint ?? undefined,
      config: hf?.config ?? undefined,
      split: hf?.split ?? undefined,
      revision: hf?.revision ?? undefined,
      token: await secretOf(hf?.secret_key_name),
    },
    s3: {
      endpoint: s3?.endpoint ?? undefined,
      region: s3?.region ?? undefined,
      pathStyle: s3?.path_style ?? undefined,
      keys:
        accessKeyId === undefined || secretAccessKey === undefined
          ? undefined
          : { accessKeyId, secretAccessKey, sessionToken: await secretOf(s3?.session_token_name) },
    },
  };
}

/** The uploaded file in a request. */
interface UploadedFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly columns?: ColumnMapping | undefined;
}

/**
 * Streams the uploaded file to `store`. The file is either in the field `dataset` of a form that also
 * contains `format`, or it is the whole body.
 */
async function withUpload<Result>(
  c: Context,
  store: (file: UploadedFile) => Promise<Result>,
  discard: (result: Result) => Promise<void>,
): Promise<Result> {
  if (bodyDecoder(c.req.header('Content-Encoding'))) {
    throw new AppError(
      'UnsupportedMediaError',
      'Uploads cannot be compressed. Send the file without Content-Encoding.',
    );
  }
  const type = c.req.header('Content-Type');
  const body = c.req.raw.body ?? emptyBody();
  const boundary = boundaryOf(type);
  if (boundary !== undefined) return await fromForm(readMultipart(body, boundary), store, discard);
  const extension = EXTENSIONS.get(type?.split(';')[0]?.trim().toLowerCase() ?? '');
  if (extension === undefined) throw noFile(type);
  return await store({
    filename: c.req.query('filename') ?? `dataset${extension}`,
    bytes: body,
    columns: columnsIn(c.req.query('columns')),
  });
}

async function fromForm<Result>(
  parts: ReturnType<typeof readMultipart>,
  store: (file: UploadedFile) => Promise<Result>,
  discard: (result: Result) => Promise<void>,
): Promise<Result> {
  let stored: { readonly result: Result } | undefined;
  let columns: ColumnMapping | undefined;
  try {
    for await (const { name, filename, bytes } of parts) {
      if (name === 'dataset' && stored === undefined) {
        if (filename === undefined) throw missing('`dataset` must be a file.');
        stored = { result: await store({ filename, bytes, columns }) };
      } else if (name === 'columns') {
        if (stored) throw missing('`columns` must precede `dataset` in the form.');
        columns = columnsIn(await shortText(bytes, MAX_COLUMNS_CHARACTERS));
      } else if (name === 'format') {
        checkFormat(await shortText(bytes));
      } else if (name !== 'run_id') {
        throw missing(
          `Unknown form field ${JSON.stringify(name.slice(0, 100))}. Use \`dataset\`, \`format\` and \`columns\`.`,
        );
      }
    }
  } catch (error) {
    if (stored) await discard(stored.result);
    throw error;
  }
  if (!stored) throw missing('The form has no `dataset` file.');
  return stored.result;
}

/** Maximum length of the column mapping. */
const MAX_COLUMNS_CHARACTERS = 100_000;

async function shortText(bytes: AsyncIterable<Uint8Array>, maxCharacters = 100): Promise<string> {
  let text = '';
  for await (const piece of bytes) {
    text += Buffer.from(piece).toString('utf8');
    if (text.length > maxCharacters) break;
  }
  return text;
}

function checkFormat(format: string): void {
  if (format === 'job') return;
  const message = `format must be job, not ${JSON.stringify(format.slice(0, 100))}`;
  throw new AppError('InputError', message, {
    details: [{ location: 'body.format', message, value: format }],
  });
}

const missing = (message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: 'body.dataset', message, rule: 'required' }] });

function noFile(type: string | undefined): AppError {
  if (type === undefined)
    return inputError('The request has no file. Send a form with `dataset` and `format`.');
  return new AppError(
    'UnsupportedMediaError',
    `Unsupported content type ${JSON.stringify(type.slice(0, 100))}. Send a form (multipart/form-data) with \`dataset\` and \`format\`, or a file as ${[...EXTENSIONS.keys()].join(', ')}.`,
  );
}

async function* emptyBody(): AsyncGenerator<Uint8Array, void> {}

export const datasetView = (dataset: Dataset) => ({
  id: dataset.id,
  filename: dataset.filename,
  format: dataset.format,
  size: dataset.size,
  row_count: dataset.rowCount,
  columns: dataset.columns,
  ground_truth: dataset.groundTruth,
  run_id: dataset.runId,
  generated: dataset.generated,
  generated_by: dataset.generatedBy,
  tags: dataset.tags,
  source: dataset.source,
  created_at: rfc3339(dataset.createdAt),
});
