import { dirname, resolve } from 'node:path';
import { type Static, Type } from 'typebox';
import { configError } from '#contract/errors.ts';
import { formatIssues } from '#core/yaml/issue.ts';
import { locate, sourceAt } from '#core/yaml/locate.ts';
import { parseYaml } from '#core/yaml/parse-yaml.ts';
import { createValidate } from '#core/yaml/validate.ts';
import { readText } from '#platform/read-text.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { Assertion } from './assertions.ts';

const open = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, description });
const word = Type.String({ minLength: 1 });

const promptFields = {
  system_prompt: Type.Optional(Type.String()),
  prompt: Type.Optional(word),
  few_shot: Type.Optional(Type.Array(open('Values by column, with the expected output in `ground_truth`.'))),
};

/** Workflow settings. They can be set in an entry of `models`, or next to `models` for all entries. */
const settings = {
  batch_size: Type.Optional(Type.Integer({ minimum: 1 })),
  max_concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
  metrics: Type.Optional(Type.Array(word)),
  custom_metrics: Type.Optional(Type.Array(open('Same as in the API.'))),
  job_timeout_sec: Type.Optional(Type.Integer({ minimum: 1 })),
  failures: Type.Optional(oneOf(['wrong', 'skipped'])),
  max_error_rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  answer_cache: Type.Optional(Type.Boolean()),
  ...promptFields,
  generation_config: Type.Optional(open('Same as in the API.')),
  llm_as_judge: Type.Optional(open('Same as in the API.')),
  embedder: Type.Optional(open('Same as in the API.')),
};

const model = Type.Object(
  {
    name: Type.Optional(word),
    encoder: Type.Optional(word),
    model: Type.Optional(word),
    provider: Type.Optional(word),
    base_url: Type.Optional(word),
    secret_key_name: Type.Optional(word),
    ...settings,
  },
  { additionalProperties: false },
);

const limit = Type.Optional(Type.Number());
const assertion = Type.Object(
  {
    metric: word,
    model: Type.Optional(word),
    min: limit,
    max: limit,
    max_drop: Type.Optional(Type.Number({ minimum: 0 })),
    max_rise: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { additionalProperties: false },
);

const SCHEMA = Type.Object(
  {
    name: Type.Optional(word),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(word)),
    dataset: word,
    source: Type.Optional(open('Import options, same as in the API, e.g. `hf: {split: test}`.')),
    columns: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: { type: 'string', minLength: 1 },
      }),
    ),
    task: Type.Optional(word),
    source_language: Type.Optional(word),
    target_language: Type.Optional(word),
    max_samples: Type.Optional(Type.Integer({ minimum: -1 })),
    sampling: Type.Optional(oneOf(['first', 'random', 'stratified'])),
    seed: Type.Optional(Type.Integer({ minimum: 0 })),
    repeats: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    models: Type.Array(model, { minItems: 1 }),
    assertions: Type.Optional(Type.Array(assertion)),
    prompts: Type.Optional(
      Type.Array(Type.Object({ name: word, ...promptFields }, { additionalProperties: false }), {
        minItems: 1,
      }),
    ),
    ...settings,
  },
  { additionalProperties: false },
);

type FileContent = Static<typeof SCHEMA>;

/** An experiment as described in a file. */
export interface ExperimentFile {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Path of the dataset, source of an import, or `gateway:` with the ID of a dataset in the gateway. */
  readonly dataset: string;
  /** Import options. */
  readonly source: Readonly<Record<string, unknown>>;
  /** New column names. */
  readonly columns: Readonly<Record<string, string>> | undefined;
  readonly maxSamples: number;
  readonly sampling: string | undefined;
  readonly seed: number | undefined;
  /** The API's `task_definition`. */
  readonly task: object;
  /** Workflow request bodies without `experiment_id`. */
  readonly workflows: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly assertions: readonly Assertion[];
}

/** Relative paths are relative to the file's folder. Throws a ConfigError with all problems and their lines. */
export async function readExperimentFile(path: string): Promise<ExperimentFile> {
  const file = await readText(path);
  if (!file) throw configError(`${path} does not exist.`);
  const { doc, text, value, issues, lines } = parseYaml(file.text);
  const findings =
    value === undefined
      ? []
      : createValidate(SCHEMA)(value, { source: (steps) => sourceAt(doc, text, steps) });
  const all = [...issues, ...findings.map((finding) => locate(doc, finding))];
  if (all.length > 0 || value === undefined) throw configError(formatIssues(all, path, lines));
  return experimentIn(value as FileContent, path);
}

function experimentIn(content: FileContent, path: string): ExperimentFile {
  const folder = dirname(resolve(path));
  const { name, description = '', dataset, task = 'summarization', max_samples: maxSamples = -1 } = content;
  const {
    source_language: source,
    target_language: target,
    models,
    prompts,
    assertions = [],
    source: importOptions = {},
    columns,
    tags = [],
    sampling,
    seed,
    repeats = 1,
    ...shared
  } = content;
  if (storedDataset(dataset) !== undefined && (columns !== undefined || content.source !== undefined))
    throw configError(
      `${path}: \`columns\` and \`source\` apply to datasets that are uploaded or imported, not to ${dataset}. Remove them.`,
    );
  const languages = task === 'translation' ? { source_language: source, target_language: target } : {};
  for (const used of ['name', 'description', 'dataset', 'task', 'max_samples'] as const) delete shared[used];
  return {
    name: name ?? path.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/i, ''),
    description,
    tags,
    dataset: isSource(dataset) || storedDataset(dataset) !== undefined ? dataset : resolve(folder, dataset),
    source: importOptions,
    columns,
    maxSamples,
    sampling,
    seed,
    task: { task, ...languages },
    workflows: models
      .map((one) => ({ ...shared, ...workflowIn(one, folder) }))
      .flatMap((workflow) => withPrompts(workflow, prompts))
      .flatMap((workflow) => repeated(workflow, repeats)),
    assertions,
  };
}

/** Whether the dataset is imported rather than uploaded. */
export const isSource = (dataset: string): boolean => /^(?:https?:|hf:|s3:|benchmark:)/.test(dataset);

/** The ID of a dataset that the gateway already has, as in `gateway:<id>`; undefined for others. */
export const storedDataset = (dataset: string): string | undefined => /^gateway:(.+)$/.exec(dataset)?.[1];

type NewWorkflow = ExperimentFile['workflows'][number];

/** One workflow per prompt. Encoders have no prompts. */
function withPrompts(workflow: NewWorkflow, prompts: FileContent['prompts']): readonly NewWorkflow[] {
  if (!prompts || workflow['provider'] === 'encoder') return [workflow];
  return prompts.map(({ name, ...prompt }) => ({
    ...workflow,
    ...prompt,
    prompt_name: name,
    name: `${workflow.name} (${name})`,
  }));
}

/** One workflow per repetition. Encoders are deterministic, so repetitions would give the same results. */
const repeated = (workflow: NewWorkflow, repeats: number): readonly NewWorkflow[] =>
  workflow['provider'] === 'encoder'
    ? [workflow]
    : Array.from({ length: repeats }, (_, at) =>
        at === 0 ? workflow : { ...workflow, name: `${workflow.name} #${at + 1}`, repeat: at + 1 },
      );

function workflowIn(
  { encoder, ...model }: FileContent['models'][number],
  folder: string,
): Readonly<Record<string, unknown>> & { readonly name: string } {
  if (encoder === undefined) {
    const modelName = model.model ?? '';
    return {
      provider: model.base_url === undefined ? 'gateway' : 'openai-compatible',
      ...model,
      name: model.name ?? modelName,
    };
  }
  const isAddress = /^https?:\/\//.test(encoder);
  const where = isAddress
    ? { model: model.model ?? encoder, base_url: encoder }
    : { model: resolve(folder, encoder) };
  return { ...model, provider: 'encoder', ...where, name: model.name ?? encoder };
}
