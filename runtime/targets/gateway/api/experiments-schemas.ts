import { type Static, Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { columns } from './datasets-schemas.ts';
import { longDescription, maybe, nonEmptyText, time, timeOrNull, pageSchema } from './http/fields.ts';
import { tags } from './http/lists.ts';
import { workflowDetails } from './workflows-schemas.ts';

const task = <Name extends string>(name: Name) =>
  Type.Object({ task: Type.Literal(name) }, { additionalProperties: false, title: name });

export const taskDefinition = Type.Union(
  [
    task('summarization'),
    Type.Object(
      {
        task: Type.Literal('translation'),
        source_language: nonEmptyText('For example `English`.', 100),
        target_language: nonEmptyText('For example `German`.', 100),
      },
      { additionalProperties: false, title: 'translation' },
    ),
    task('text-generation'),
    task('conversation'),
    task('text-classification'),
    task('token-classification'),
    task('feature-extraction'),
    task('image-classification'),
    task('image-feature-extraction'),
    task('object-detection'),
  ],
  { description: 'Task of the models (default: summarization).' },
);

export type TaskBody = Static<typeof taskDefinition>;

const maxSamples = Type.Integer({
  minimum: -1,
  description: 'Number of rows to use, from the start of the dataset; -1 for all.',
});
const sampling = oneOf(['first', 'random', 'stratified'], {
  description:
    'How `max_samples` rows are selected: the first ones (default), at random, or stratified by ground truth. A random sample is stored as a separate dataset.',
});
const seed = Type.Integer({
  minimum: 0,
  maximum: 4_294_967_295,
  description: 'Seed of the random sample (default: 0).',
});

export const newExperiment = closed('NewExperiment', {
  name: nonEmptyText('Display name. If the name already exists, the time is appended.', 255),
  description: maybe(longDescription),
  dataset: nonEmptyText('Dataset id.'),
  max_samples: maybe(maxSamples),
  columns: maybe(columns),
  sampling: maybe(sampling),
  seed: maybe(seed),
  task_definition: maybe(taskDefinition),
  tags: maybe(tags),
});

export const experimentChanges = closed('ExperimentChanges', {
  name: Type.Optional(nonEmptyText('New display name.', 255)),
  description: Type.Optional(longDescription),
  tags: Type.Optional(tags),
});

export const experiment = closed('Experiment', {
  id: Type.String(),
  experiment_id: Type.String({ description: 'Same as `id`, for Lumigator clients.' }),
  name: Type.String(),
  description: Type.String(),
  created_at: time('Creation time.'),
  max_samples: Type.Integer(),
  task_definition: taskDefinition,
  dataset: Type.String(),
  tags,
  updated_at: timeOrNull('Time of the last change.'),
  workflows: orNull(Type.Array(workflowDetails), 'Workflows, oldest first.'),
});

export const experimentList = pageSchema('Experiments', experiment);
