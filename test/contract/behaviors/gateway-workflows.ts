import type { Behaviors } from './behavior.ts';

/** Documented behavior of datasets, experiments and workflows in the gateway. */
export const GATEWAY_WORKFLOWS = {
  'gateway:workflows': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A dataset can be uploaded and used in an experiment, and worker processes run a model on it and score the results.',
  },
  'gateway:workflows:results': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Results can be downloaded from a signed URL without a credential; until the job succeeds, the request returns 409.',
  },
  'gateway:workflows:refused': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A request that cannot succeed is rejected immediately, with all problems in `detail`.',
  },
  'gateway:workflows:access': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Users can see only their own objects; all clients need a credential, except local clients of a gateway without a master key.',
  },
  'gateway:workflows:delete': {
    source: 'docs/workflows.md#over-http',
    behavior: 'A running job can be deleted only with force=true, which stops it; unknown IDs return 404.',
  },
  'gateway:workflows:models': {
    source: 'docs/workflows.md#over-http',
    behavior:
      '`GET /api/v1/models/?tasks=` lists the models that a workflow can use, under the names used in workflows; an unknown task returns 400.',
  },
  'gateway:workflows:paging': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'Lists contain `total` and `items`, newest first; `limit` is between 1 and 1000, and filters also apply to `total`.',
  },
  'gateway:workflows:answer-cache': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A request that a language model has already answered in an experiment is not sent again; the comparison reports cached rows with a cost of 0.',
  },
  'gateway:workflows:paused': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job whose budget is exhausted pauses with that reason and keeps its responses instead of failing; it can be canceled.',
  },
  'gateway:workflows:key': {
    source: 'docs/workflows.md#over-http',
    behavior:
      'A job spends the budget of the key that started it, and stops without retries when that key is disabled.',
  },
  'gateway:workflows:lua-metric': {
    source: 'docs/workflows.md#custom-metrics',
    behavior:
      "A Lua function scores a workflow's responses using the columns of each row; a script that does not compile is rejected.",
  },
  'gateway:workflows:references': {
    source: 'docs/metrics.md#dataset-columns',
    behavior: 'A row with several references is scored against the best-matching reference.',
  },
  'gateway:workflows:images': {
    source: 'docs/workflows.md#images',
    behavior:
      'Experiments classify images and find objects in them; results contain the names of the images, and URLs are rejected without being fetched.',
  },
  'gateway:workflows:encoder-file': {
    source: 'docs/workflows.md#over-http',
    behavior:
      "An executable's type and labels are read from its file without starting it; cluster jobs can use an executable for another platform, and local jobs cannot.",
  },
  'gateway:experiment-run': {
    source: 'docs/workflows.md#run-a-comparison-from-one-file',
    behavior:
      '`gateway experiment run` runs a complete comparison from one file; `list` and `compare` show it afterwards, and `report` writes it as HTML.',
  },
  'gateway:experiment-run:failed': {
    source: 'docs/workflows.md#run-a-comparison-from-one-file',
    behavior: 'If one of the models fails, `experiment run` compares the others and exits with code 1.',
  },
  'gateway:experiment-agents': {
    source: 'docs/how-to/evaluate-agents.md',
    behavior:
      'An experiment evaluates conversations with scripted tools; its prompts and models are compared in a matrix with a frontier, and its judge with a person.',
  },
  'gateway:benchmark': {
    source: 'docs/how-to/evaluate-agents.md#run-public-benchmarks',
    behavior:
      'Benchmarks are listed with licenses and packages; an unknown name, a missing model and an unreachable index are errors.',
  },
  'gateway:experiment-run:stored': {
    source: 'docs/workflows.md#regression-tests-in-ci',
    behavior:
      'An experiment file can name a dataset that the gateway has, whose conversations and tools are sent as they are, and its baseline can be a file.',
  },
  'gateway:experiment-run:prompts': {
    source: 'docs/workflows.md#prompts',
    behavior:
      'With `prompts` in an experiment file, each language model runs with each prompt, which can use dataset columns and examples.',
  },
  'gateway:experiment-run:assertions': {
    source: 'docs/workflows.md#assertions',
    behavior:
      'A failed assertion, including one against `--baseline`, causes exit code 1 and appears in the `--junit` report.',
  },
  'gateway:experiment-retry': {
    source: 'docs/workflows.md#run-a-comparison-from-one-file',
    behavior:
      "`gateway experiment rows` prints a model's failed results, and `experiment retry` repeats only the rows without a result.",
  },
  'gateway:experiment-retry:killed': {
    source: 'docs/workflows.md',
    behavior: '`gateway experiment retry` resumes the models of a killed `experiment run`.',
  },
} satisfies Behaviors;
