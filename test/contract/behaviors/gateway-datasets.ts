import type { Behaviors } from './behavior.ts';

/** What the gateway promises of datasets: where they come from, how they are changed, and where results go. */
export const GATEWAY_DATASETS = {
  'gateway:datasets:import-url': {
    source: 'docs/workflows.md#datasets-from-elsewhere',
    behavior:
      'A dataset is imported from a URL, with redirects, new names of columns and tags; one that cannot be read is rejected with the reason and not stored.',
  },
  'gateway:datasets:import-hub': {
    source: 'docs/workflows.md#datasets-from-elsewhere',
    behavior:
      'A split of the Hugging Face Hub is imported at a commit, with the names of labels; a file without the hash that the hub lists is rejected.',
  },
  'gateway:datasets:import-s3': {
    source: 'docs/workflows.md#datasets-from-elsewhere',
    behavior: 'An object of an S3 store is imported with a request that the keys of a secret sign.',
  },
  'gateway:datasets:import-private': {
    source: 'docs/workflows.md#datasets-from-elsewhere',
    behavior: 'Users cannot import from private addresses; the master key can.',
  },
  'gateway:datasets:upload-resumed': {
    source: 'docs/workflows.md#uploads-that-continue',
    behavior:
      'After kill -9 of the gateway, an upload with tus 1.0.0 continues where it stopped and becomes the dataset that was sent.',
  },
  'gateway:datasets:upload-pages': {
    source: 'docs/workflows.md',
    behavior: 'Pages of allowed origins can send and read the headers of tus; other pages cannot.',
  },
  'gateway:datasets:columns': {
    source: 'docs/workflows.md#over-http',
    behavior: 'Columns get other names in an upload and in an experiment; an unknown column is rejected.',
  },
  'gateway:datasets:formats': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'CSV with tabs, semicolons and `sep=` is read; a dataset is downloaded as CSV, JSON lines and Parquet with the types of its values.',
  },
  'gateway:labels': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'PATCH changes names and tags of datasets, experiments and workflows, and lists can be searched by both.',
  },
  'gateway:experiment-update': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      "`gateway experiment update` changes an experiment's name and tags, and `experiment list` can search by both.",
  },
  'gateway:experiment-export:mlflow': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      '`experiment export --to mlflow` creates a run for each model with parameters, metrics and artifacts; a second export replaces them.',
  },
  'gateway:experiment-export:huggingface': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      '`experiment export --to huggingface` writes the answers of each model as Parquet, with a card that names them.',
  },
} satisfies Behaviors;
