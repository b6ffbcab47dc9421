import { sampleSize } from '../datasets/sample-size.ts';
import { checkRows } from '../experiments/check-rows.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { compileCustomMetrics } from '../work/evaluation/custom/check-custom.ts';
import { checkOutputField } from '../work/tasks/check-output-field.ts';
import { TASKS } from '../work/tasks/index.ts';
import { inMember, inMemberAsync } from './member-errors.ts';
import type { NewWorkflow, WorkflowPlan } from './workflow.ts';
import { checkPrompt } from './check-prompt.ts';
import { checkInferenceModel, checkEvaluationModels, type CheckParts } from './check-backends.ts';
import { checkSecrets } from './check-secrets.ts';
import { predictionsName } from './predictions-name.ts';
import { evaluationSpec, inferenceSpec } from './work-specs.ts';

export interface PlanParts extends CheckParts {
  readonly services: Pick<JobServices, 'datasets' | 'secrets' | 'trusts'>;
}

/** Plans the jobs of a workflow. Throws for everything in the request that would make them fail later. */
export async function planWorkflow(
  { experiment, request, assertModelAllowed }: NewWorkflow,
  parts: PlanParts,
): Promise<WorkflowPlan> {
  const { datasets, secrets } = parts.services;
  const { owner, task: definition, datasetId, maxSamples } = experiment;
  const { judge, embedder, name } = request;
  await checkSecrets(secrets, owner, [request, judge, embedder], `Cannot create workflow '${name}': `);
  const dataset = await datasets.get('everyone', datasetId);
  const rows = sampleSize(dataset.rowCount, maxSamples);
  const task = TASKS[definition.task];
  const labels = await checkRows(datasets, dataset, { task, rows });
  const inference = inferenceSpec('inference', request, definition, [...labels.keys()]);
  inMember('inference_output_field', () => checkOutputField(task, inference));
  checkPrompt(inference, dataset.columns);
  const evaluation = evaluationSpec({ ...request, predictionField: request.outputField }, definition);
  await inMemberAsync('custom_metrics', () => compileCustomMetrics(evaluation.customMetrics ?? []));
  await checkInferenceModel(inference, labels, { owner, assertModelAllowed }, parts);
  await checkEvaluationModels(evaluation, { owner, assertModelAllowed }, parts);
  return {
    model: request.model,
    provider: request.provider,
    systemPrompt: inference.systemPrompt,
    timeoutSec: request.timeoutSec,
    rows,
    outputName: predictionsName(dataset.filename, request.model),
    inference: { ...inference, sharesAnswers: request.sharesAnswers, repeat: request.repeat },
    evaluation: { ...evaluation, sharesAnswers: request.sharesAnswers },
  };
}
