import { rfc3339 } from '../../../../core/rfc3339.ts';
import type { Experiment } from '../../experiments/api.ts';
import type { TaskDefinition } from '../../work/api.ts';
import { timeOrNull } from './time-view.ts';
import type { workflowDetailsView } from './workflow-view.ts';

type Shown = ReturnType<typeof workflowDetailsView>;

export const experimentView = (experiment: Experiment, workflows: readonly Shown[] | null) => ({
  id: experiment.id,
  name: experiment.name,
  description: experiment.description,
  created_at: rfc3339(experiment.createdAt),
  max_samples: experiment.maxSamples,
  task_definition: taskView(experiment.task),
  dataset: experiment.datasetId,
  updated_at: timeOrNull(experiment.updatedAt),
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
