import type { Behaviors } from './behavior.ts';

/** What the gateway promises of datasets, experiments and workflows. */
export const GATEWAY_WORKFLOWS = {
  'gateway:workflows': {
    source: 'gateway reference 2.1, 4.26',
    behavior:
      'A dataset is uploaded, an experiment made of it, and a model answers it and is scored, by worker processes.',
  },
  'gateway:workflows:results': {
    source: 'gateway reference 2.1, 4.27',
    behavior: 'Results have a signed address that needs no credential; before success there are none: 409.',
  },
  'gateway:workflows:refused': {
    source: 'gateway reference 4.27, issue 7',
    behavior: 'A request that cannot succeed is refused immediately, with all problems in `detail`.',
  },
  'gateway:workflows:access': {
    source: 'gateway reference 2.6.8',
    behavior:
      'Users see their own objects; without a master key this machine needs no credential, with one all clients do.',
  },
  'gateway:workflows:delete': {
    source: 'gateway spec 4B',
    behavior: 'A running job is deleted only with force=true, which stops it; unknown ids are 404.',
  },
  'gateway:workflows:models': {
    source: 'gateway reference 2.4',
    behavior:
      '`GET /api/v1/models/?tasks=` lists what a workflow can ask, as a workflow names it; a task that there is none of is 400.',
  },
  'gateway:workflows:paging': {
    source: 'gateway reference 2.1, 4.27',
    behavior: 'Lists have `total` and `items`, the newest first, `limit` from 1 to 1000, and filters count.',
  },
  'gateway:workflows:answer-cache': {
    source: 'issue 22',
    behavior:
      'A request that a language model has answered in an experiment is not sent again; the comparison reports the cached rows, and their cost is 0.',
  },
  'gateway:workflows:paused': {
    source: 'issue 22',
    behavior:
      'A job whose budget is spent waits with that reason, keeps its answers, and is not failed; it can be cancelled.',
  },
  'gateway:workflows:key': {
    source: 'issue 37, 6',
    behavior:
      'A job spends the budget of the key that started it, and ends as stopped when that key is disabled; nobody retries it then.',
  },
  'gateway:workflows:lua-metric': {
    source: 'issue 22, 4',
    behavior:
      'A Lua function scores the answers of a workflow with the columns of each row; a script that cannot be compiled is refused.',
  },
  'gateway:workflows:references': {
    source: 'issue 22, 4',
    behavior: 'A row with several references counts by the best one.',
  },
  'gateway:workflows:encoder-file': {
    source: 'issue 22, 1',
    behavior:
      'The type and the labels of an executable are read from its file without starting it: jobs on a cluster can have one for another platform, local jobs cannot.',
  },
  'gateway:experiment-run': {
    source: 'issue 7',
    behavior:
      '`gateway experiment run` makes a whole comparison of one file; `list` and `compare` show it again, and `report` writes it as HTML.',
  },
  'gateway:experiment-run:failed': {
    source: 'issue 7',
    behavior: 'The exit code of `experiment run` is 1 if one of the models failed; the others are compared.',
  },
  'gateway:experiment-run:prompts': {
    source: 'issue 22',
    behavior:
      '`prompts` in an experiment file runs each language model with each prompt, with columns of the dataset and examples.',
  },
  'gateway:experiment-run:assertions': {
    source: 'issue 22',
    behavior:
      'An assertion that does not hold, also against `--baseline`, makes the exit code 1 and is in the report of `--junit`.',
  },
  'gateway:experiment-retry': {
    source: 'issue 14',
    behavior:
      '`gateway experiment rows` prints the answers of a model that failed, `experiment retry` asks only about rows without one.',
  },
  'gateway:experiment-retry:killed': {
    source: 'docs/workflows.md',
    behavior: '`gateway experiment retry` continues the models of an `experiment run` that was killed.',
  },
} satisfies Behaviors;
