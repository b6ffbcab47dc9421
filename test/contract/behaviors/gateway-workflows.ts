import type { Behaviors } from './behavior.ts';

/** What the gateway promises of datasets, experiments and workflows. */
export const GATEWAY_WORKFLOWS = {
  'gateway:workflows': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A dataset is uploaded, an experiment created from it, and worker processes run a model on it and score the results.',
  },
  'gateway:workflows:results': {
    source: 'docs/workflows.md#over-http',
    behavior: 'Results have a signed address that needs no credential; before success there are none: 409.',
  },
  'gateway:workflows:refused': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A request that cannot succeed is rejected immediately, with all problems in `detail`.',
  },
  'gateway:workflows:access': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Users see their own objects; without a master key this machine needs no credential, with one all clients do.',
  },
  'gateway:workflows:delete': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A running job is deleted only with force=true, which stops it; unknown ids are 404.',
  },
  'gateway:workflows:models': {
    source: 'docs/workflows.md#over-http',
    behavior:
      '`GET /api/v1/models/?tasks=` lists what a workflow can ask, as a workflow names it; a task that there is none of is 400.',
  },
  'gateway:workflows:paging': {
    source: 'docs/workflows.md#over-http',
    behavior: 'Lists have `total` and `items`, the newest first, `limit` from 1 to 1000, and filters count.',
  },
  'gateway:workflows:answer-cache': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A request that a language model has answered in an experiment is not sent again; the comparison reports the cached rows, and their cost is 0.',
  },
  'gateway:workflows:paused': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job whose budget is spent waits with that reason, keeps its answers, and is not failed; it can be cancelled.',
  },
  'gateway:workflows:key': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job spends the budget of the key that started it, and ends as stopped when that key is disabled; nobody retries it then.',
  },
  'gateway:workflows:lua-metric': {
    source: 'docs/workflows.md#metrics-of-your-own',
    behavior:
      'A Lua function scores the answers of a workflow with the columns of each row; a script that cannot be compiled is rejected.',
  },
  'gateway:workflows:references': {
    source: 'docs/metrics.md#columns-of-a-dataset',
    behavior: 'A row with several references counts by the best one.',
  },
  'gateway:workflows:encoder-file': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'The type and the labels of an executable are read from its file without starting it: jobs on a cluster can have one for another platform, local jobs cannot.',
  },
  'gateway:experiment-run': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior:
      '`gateway experiment run` runs a whole comparison from one file; `list` and `compare` show it again, and `report` writes it as HTML.',
  },
  'gateway:experiment-run:failed': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior: 'The exit code of `experiment run` is 1 if one of the models failed; the others are compared.',
  },
  'gateway:experiment-run:prompts': {
    source: 'docs/workflows.md#prompts',
    behavior:
      '`prompts` in an experiment file runs each language model with each prompt, with columns of the dataset and examples.',
  },
  'gateway:experiment-run:assertions': {
    source: 'docs/workflows.md#assertions',
    behavior:
      'An assertion that does not hold, also against `--baseline`, makes the exit code 1 and is in the report of `--junit`.',
  },
  'gateway:experiment-retry': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior:
      "`gateway experiment rows` prints a model's failed results, and `experiment retry` repeats only rows without a result.",
  },
  'gateway:experiment-retry:killed': {
    source: 'docs/workflows.md',
    behavior: '`gateway experiment retry` continues the models of an `experiment run` that was killed.',
  },
} satisfies Behaviors;
