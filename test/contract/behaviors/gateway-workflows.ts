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
    behavior: 'Results have a signed URL that requires no credential; before success, they return 409.',
  },
  'gateway:workflows:refused': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A request that cannot succeed is rejected immediately, with all problems in `detail`.',
  },
  'gateway:workflows:access': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Users see only their own objects; local clients need no credential without a master key, and all clients need one otherwise.',
  },
  'gateway:workflows:delete': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A running job can be deleted only with force=true, which stops it; unknown ids return 404.',
  },
  'gateway:workflows:models': {
    source: 'docs/workflows.md#over-http',
    behavior:
      '`GET /api/v1/models/?tasks=` lists the models that a workflow can use, by their names in workflows; an unknown task returns 400.',
  },
  'gateway:workflows:paging': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Lists contain `total` and `items`, newest first, with a `limit` from 1 to 1000, and filters apply to both.',
  },
  'gateway:workflows:answer-cache': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A request that a language model has already answered in an experiment is not sent again; the comparison reports cached rows with a cost of 0.',
  },
  'gateway:workflows:paused': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job whose budget is spent waits with that reason, keeps its responses and does not fail; it can be cancelled.',
  },
  'gateway:workflows:key': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job spends the budget of the key that started it, and is stopped without retries when that key is disabled.',
  },
  'gateway:workflows:lua-metric': {
    source: 'docs/workflows.md#custom-metrics',
    behavior:
      "A Lua function scores a workflow's responses using the columns of each row; a script that does not compile is rejected.",
  },
  'gateway:workflows:references': {
    source: 'docs/metrics.md#dataset-columns',
    behavior: 'A row with several references is scored against the best one.',
  },
  'gateway:workflows:encoder-file': {
    source: 'docs/workflows.md#over-http',
    behavior:
      "An executable's type and labels are read from its file without starting it: cluster jobs can use one for another platform, and local jobs cannot.",
  },
  'gateway:experiment-run': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior:
      '`gateway experiment run` runs a complete comparison from one file; `list` and `compare` show it later, and `report` writes it as HTML.',
  },
  'gateway:experiment-run:failed': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior: 'The exit code of `experiment run` is 1 if one of the models failed; the others are compared.',
  },
  'gateway:experiment-run:prompts': {
    source: 'docs/workflows.md#prompts',
    behavior:
      '`prompts` in an experiment file runs each language model with each prompt, using dataset columns and examples.',
  },
  'gateway:experiment-run:assertions': {
    source: 'docs/workflows.md#assertions',
    behavior:
      'A failed assertion, including one against `--baseline`, causes exit code 1 and appears in the `--junit` report.',
  },
  'gateway:experiment-retry': {
    source: 'docs/workflows.md#a-whole-comparison-from-one-file',
    behavior:
      "`gateway experiment rows` prints a model's failed results, and `experiment retry` repeats only rows without a result.",
  },
  'gateway:experiment-retry:killed': {
    source: 'docs/workflows.md',
    behavior: '`gateway experiment retry` resumes the models of a killed `experiment run`.',
  },
} satisfies Behaviors;
