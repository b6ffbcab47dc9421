import { Type } from 'typebox';
import { closed, orNull } from '#serve/http/schemas.ts';
import type { ColumnMapping } from '../evaluation/datasets/dataset.ts';
import { count, nonEmptyText, time, maybe, pageSchema } from './http/fields.ts';
import { tags } from './http/lists.ts';

/** The column mapping in a body. */
export const columns = Type.Unsafe<ColumnMapping>({
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1 },
  description:
    'New column names, mapped to the names in the file, e.g. `{"examples": "text", "ground_truth": "label"}`.',
});

export const dataset = closed('Dataset', {
  id: Type.String(),
  filename: Type.String(),
  format: Type.Literal('job'),
  size: count('Size of the uploaded file in bytes.'),
  row_count: count(),
  columns: Type.Array(Type.String()),
  ground_truth: Type.Boolean({ description: 'Whether every row has a ground truth.' }),
  run_id: orNull(Type.String(), 'ID of the workflow whose outputs the dataset contains.'),
  generated: Type.Boolean({ description: 'Whether a model generated the dataset.' }),
  generated_by: orNull(Type.String(), 'The model that generated it.'),
  tags,
  source: orNull(Type.String(), 'Where it was imported from, including the commit of a repository.'),
  created_at: time('Creation time.'),
});

const secretName = (what: string) => maybe(nonEmptyText(`Name of the secret that contains ${what}.`, 100));
const endpoint = maybe(nonEmptyText('URL of another server that supports this API.', 1000));

export const datasetImport = closed('DatasetImport', {
  source: nonEmptyText('`https://…`, `hf:owner/name`, `s3://bucket/key` or `benchmark:name`.', 2000),
  filename: maybe(
    nonEmptyText(
      'Name of the dataset. Its extension determines the format of a file whose URL has none.',
      255,
    ),
  ),
  columns: maybe(columns),
  tags: maybe(tags),
  hf: maybe(
    closed(
      'HubSource',
      {
        config: maybe(nonEmptyText('Config (subset) of the dataset.')),
        split: maybe(nonEmptyText('Split, e.g. `test`.')),
        revision: maybe(
          nonEmptyText(
            'Branch, tag or commit with Parquet files. Default: the hub’s own Parquet conversion of the main branch.',
          ),
        ),
        secret_key_name: secretName('a hub token'),
        endpoint,
      },
      'Options for `hf:owner/name`.',
    ),
  ),
  s3: maybe(
    closed(
      'S3Source',
      {
        endpoint,
        region: maybe(nonEmptyText('Region of the bucket (default: us-east-1).', 100)),
        path_style: maybe(
          Type.Boolean({
            description:
              'Whether the bucket is in the path instead of the host name (default: true with an `endpoint`).',
          }),
        ),
        access_key_id: maybe(nonEmptyText('Access key ID. Without it, requests are not signed.', 200)),
        secret_key_name: secretName('the secret access key'),
        session_token_name: secretName('the session token of temporary keys'),
      },
      'Options for `s3://bucket/key`.',
    ),
  ),
  pypi: maybe(
    closed(
      'PackageSource',
      {
        index_url: maybe(
          nonEmptyText('URL of a Python package index (default: https://pypi.org/simple).', 1000),
        ),
      },
      'Options for `benchmark:name`.',
    ),
  ),
});

export const datasetChanges = closed('DatasetChanges', {
  filename: Type.Optional(nonEmptyText('New name.', 255)),
  tags: Type.Optional(tags),
});

export const datasetList = pageSchema('Datasets', dataset);

export const datasetDownload = closed('DatasetDownload', {
  id: Type.String(),
  download_urls: Type.Array(Type.String({ format: 'uri' }), {
    description: 'Signed URLs. They require no credentials and are valid for one hour.',
  }),
});
