import type { Behaviors } from './behavior.ts';

/** Documented behavior of gateway datasets: imports, changes and exports. */
export const GATEWAY_DATASETS = {
  'gateway:datasets:import-url': {
    source: 'docs/workflows.md#importing-datasets',
    behavior:
      'A dataset is imported from a URL, with redirects, renamed columns and tags; an unreadable dataset is rejected with a reason and not stored.',
  },
  'gateway:datasets:import-hub': {
    source: 'docs/workflows.md#importing-datasets',
    behavior:
      "A split on the Hugging Face Hub is imported at a fixed commit with its label names; a file whose hash differs from the Hub's is rejected.",
  },
  'gateway:datasets:import-s3': {
    source: 'docs/workflows.md#importing-datasets',
    behavior: 'An S3 object is imported with a request that is signed with the keys in a secret.',
  },
  'gateway:datasets:import-private': {
    source: 'docs/workflows.md#importing-datasets',
    behavior: 'Users cannot import datasets from private addresses, but the master key can.',
  },
  'gateway:datasets:upload-resumed': {
    source: 'docs/workflows.md#resumable-uploads',
    behavior:
      'After a gateway is killed with kill -9, a tus 1.0.0 upload resumes where it stopped and results in the complete dataset.',
  },
  'gateway:datasets:upload-pages': {
    source: 'docs/workflows.md',
    behavior: 'Web pages from allowed origins can send and read tus headers, and other pages cannot.',
  },
  'gateway:datasets:columns': {
    source: 'docs/workflows.md#over-http',
    behavior: 'Columns can be renamed in an upload and in an experiment; an unknown column is rejected.',
  },
  'gateway:datasets:formats': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'CSV files with tabs, semicolons and `sep=` are supported; a dataset can be downloaded as CSV, JSON Lines or Parquet with its value types.',
  },
  'gateway:labels': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'PATCH changes names and tags of datasets, experiments and workflows, and lists can be searched by both.',
  },
  'gateway:experiment-update': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      "`gateway experiment update` changes an experiment's name and tags, and `experiment list` searches by both.",
  },
  'gateway:experiment-export:mlflow': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      '`experiment export --to mlflow` creates a run for each model with parameters, metrics and artifacts; a second export replaces them.',
  },
  'gateway:experiment-export:huggingface': {
    source: 'docs/workflows.md#names-tags-and-exports',
    behavior:
      "`experiment export --to huggingface` writes each model's responses as Parquet, with a dataset card that lists them.",
  },
} satisfies Behaviors;
