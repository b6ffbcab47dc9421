import { countedRows } from '../datasets/counted-rows.ts';
import { checkRows } from '../experiments/check-rows.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { checkOutputField } from '../work/tasks/check-output-field.ts';
import { TASKS } from '../work/tasks/index.ts';
import { inMember } from './about-member.ts';
import type { NewWorkflow, WorkflowPlan } from './workflow.ts';
import { checkAnswering, checkScoring, type CheckParts } from './check-backends.ts';
import { checkSecrets } from './check-secrets.ts';
import { derivedName } from './derived-name.ts';
import { evaluationSpec, inferenceSpec } from './work-specs.ts';

export interface PlanParts extends CheckParts {
  readonly services: Pick<JobServices, 'datasets' | 'secrets' | 'trusts'>;
}

/** What is to be done for a request. Throws whatever would make it fail later. */
export async function planWorkflow(
  { experiment, request, mayUse }: NewWorkflow,
  parts: PlanParts,
): Promise<WorkflowPlan> {
  const { datasets, secrets } = parts.services;
  const { owner, task: definition, datasetId, maxSamples } = experiment;
  const { judge, embedder, name } = request;
  await checkSecrets(secrets, owner, [request, judge, embedder], `Cannot create workflow '${name}': `);
  const dataset = await datasets.get('everyone', datasetId);
  const rows = countedRows(dataset.rowCount, maxSamples);
  const task = TASKS[definition.task];
  const labels = await checkRows(datasets, dataset, { task, rows });
  const inference = inferenceSpec('inference', request, definition, [...labels.keys()]);
  inMember('inference_output_field', () => checkOutputField(task, inference));
  const evaluation = evaluationSpec({ ...request, predictionField: request.outputField }, definition);
  await checkAnswering(inference, labels, { owner, mayUse }, parts);
  await checkScoring(evaluation, { owner, mayUse }, parts);
  return {
    model: request.model,
    provider: request.provider,
    systemPrompt: inference.systemPrompt,
    timeoutSec: request.timeoutSec,
    rows,
    outputName: derivedName(dataset.filename, request.model),
    inference,
    evaluation,
  };
}
