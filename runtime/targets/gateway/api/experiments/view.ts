import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Experiment } from '../../evaluation/experiments/experiment.ts';
import type { TaskDefinition } from '../../evaluation/work/work.ts';
import { rfc3339OrNull } from '../http/values.ts';
import type { workflowDetailsView } from '../workflows/view.ts';

type Shown = ReturnType<typeof workflowDetailsView>;

export const experimentView = (experiment: Experiment, workflows: readonly Shown[] | null) => ({
  id: experiment.id,
  experiment_id: experiment.id,
  name: experiment.name,
  description: experiment.description,
  created_at: rfc3339(experiment.createdAt),
  max_samples: experiment.maxSamples,
  task_definition: taskView(experiment.task),
  dataset: experiment.datasetId,
  tags: experiment.tags,
  updated_at: rfc3339OrNull(experiment.updatedAt),
  workflows,
});

export const taskView = (definition: TaskDefinition) =>
  definition.task === 'translation'
    ? {
        task: definition.task,
        source_language: definition.sourceLanguage,
        target_language: definition.targetLanguage,
      }
    : { task: definition.task };
