import type { Behaviors } from './behavior.ts';

/** What the gateway promises of datasets: where they come from, how they are changed, and where results go. */
export const GATEWAY_DATASETS = {
  'gateway:datasets:import-url': {
    source: 'issue 22, 4',
    behavior:
      'A dataset is imported from a URL, with redirects, new names of columns and tags; one that cannot be read is refused with the reason and not stored.',
  },
  'gateway:datasets:import-hub': {
    source: 'issue 22, 4',
    behavior:
      'A split of the Hugging Face Hub is imported at a commit, with the names of labels; a file without the hash that the hub lists is refused.',
  },
  'gateway:datasets:import-s3': {
    source: 'issue 22, 4',
    behavior: 'An object of an S3 store is imported with a request that the keys of a secret sign.',
  },
  'gateway:datasets:import-private': {
    source: 'issue 22, 4; decision 0118',
    behavior: 'Users cannot import from private addresses; the master key can.',
  },
  'gateway:datasets:upload-resumed': {
    source: 'issue 22, 4',
    behavior:
      'After kill -9 of the gateway, an upload with tus 1.0.0 continues where it stopped and becomes the dataset that was sent.',
  },
  'gateway:datasets:upload-pages': {
    source: 'docs/workflows.md',
    behavior: 'Pages of allowed origins can send and read the headers of tus; other pages cannot.',
  },
  'gateway:datasets:columns': {
    source: 'issue 22, 4',
    behavior: 'Columns get other names in an upload and in an experiment; an unknown column is refused.',
  },
  'gateway:datasets:formats': {
    source: 'issue 22, 4',
    behavior:
      'CSV with tabs, semicolons and `sep=` is read; a dataset is downloaded as CSV, JSON lines and Parquet with the types of its values.',
  },
  'gateway:labels': {
    source: 'issue 22, 4',
    behavior:
      'PATCH changes names and tags of datasets, experiments and workflows, which their lists find by a part of the name and by tags.',
  },
  'gateway:experiment-update': {
    source: 'issue 22, 4',
    behavior: '`gateway experiment update` changes name and tags, by which `experiment list` finds it.',
  },
  'gateway:experiment-export:mlflow': {
    source: 'issue 22, 4',
    behavior:
      '`experiment export --to mlflow` creates a run for each model with parameters, metrics and artifacts; a second export replaces them.',
  },
  'gateway:experiment-export:huggingface': {
    source: 'issue 22, 4',
    behavior:
      '`experiment export --to huggingface` writes the answers of each model as Parquet, with a card that names them.',
  },
} satisfies Behaviors;
