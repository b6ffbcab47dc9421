import { type Static, Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { someText, text, time, timeOrNull } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';
import { workflowDetails } from '../workflows/schemas.ts';

const LONGEST_DESCRIPTION = 10_000;
const description = text('What it is about.', LONGEST_DESCRIPTION);

const task = <Name extends string>(name: Name) =>
  Type.Object({ task: Type.Literal(name) }, { additionalProperties: false, title: name });

export const taskDefinition = Type.Union(
  [
    task('summarization'),
    Type.Object(
      {
        task: Type.Literal('translation'),
        source_language: someText('As `English`.', 100),
        target_language: someText('As `German`.', 100),
      },
      { additionalProperties: false, title: 'translation' },
    ),
    task('text-generation'),
    task('text-classification'),
    task('token-classification'),
    task('feature-extraction'),
  ],
  { description: 'What models are asked to do; summarization unless said otherwise.' },
);

export type TaskBody = Static<typeof taskDefinition>;

const maxSamples = Type.Integer({
  minimum: -1,
  description: 'Only so many rows, the first ones; -1 for all.',
});

export const newExperiment = closed('NewExperiment', {
  name: someText('For people; one that is taken gets the time added to it.', 255),
  description: maybe(description),
  dataset: someText('The id of a dataset.'),
  max_samples: maybe(maxSamples),
  task_definition: maybe(taskDefinition),
});

export const experiment = closed('Experiment', {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  created_at: time('When it was made.'),
  max_samples: Type.Integer(),
  task_definition: taskDefinition,
  dataset: Type.String(),
  updated_at: timeOrNull('When something of it last changed.'),
  workflows: orNull(Type.Array(workflowDetails), 'What was asked of each model, the oldest first.'),
});

export const experiments = pageSchema('Experiments', experiment);
