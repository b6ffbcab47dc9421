import { randomUUID } from 'node:crypto';
import { AppError, inputError } from '#contract/errors.ts';
import { GROUND_TRUTH } from '../datasets/check-row.ts';
import { sampleSize } from '../experiments/sample/choose-rows.ts';
import type { Viewer } from '../../shared/owner.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { aboutDataset, checkRows, noDataset } from '../experiments/check-rows.ts';
import type { Job } from '../jobs/job.ts';
import type { JobServices } from '../jobs/job-services.ts';
import { isOver } from '../jobs/job-row.ts';
import type { Store } from '../../store/store.ts';
import type { TaskDefinition } from '../work/work.ts';
import { compileCustomMetrics } from '../work/evaluation/custom/check-custom.ts';
import { checkOutputField } from '../work/tasks/task.ts';
import { EVALUATED_TASKS, returnsVectors } from '../work/tasks/index.ts';
import { inMember, inMemberAsync, inObject } from './member-errors.ts';
import {
  checkInferenceModel,
  checkEvaluationModels,
  type WorkflowRequester,
  type CheckParts,
  checkPrompt,
  checkSecrets,
} from './check-backends.ts';
import { changeInference, changePace, type RetryChanges } from './retry-changes.ts';
import { retryJob, retryLine } from './retry-job.ts';
import { payerOfRetry, type RetryCaller } from './retry-payer.ts';
import { predictionsName } from './workflow.ts';
import {
  type EvaluationRequest,
  evaluationSpec,
  type InferenceRequest,
  inferenceSpec,
} from './work-specs.ts';

interface AnyJob extends WorkflowRequester {
  readonly viewer: Viewer;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly name: string;
  readonly description: string;
  readonly datasetId: string;
  readonly maxSamples: number;
  readonly timeoutSec: number;
  readonly task: TaskDefinition;
}

export interface NewInferenceJob extends AnyJob {
  readonly type: 'inference' | 'annotate';
  readonly request: InferenceRequest;
}

export interface NewEvaluationJob extends AnyJob {
  readonly request: EvaluationRequest;
}

/** Jobs without a workflow. */
export interface SingleJobs {
  /** Starts a job in which a model processes a dataset's rows. */
  infer(job: NewInferenceJob): Promise<Job>;
  /** Starts a job that compares a dataset's outputs with its ground truth. */
  evaluate(job: NewEvaluationJob): Promise<Job>;
  /**
   * Retries a job that failed or has failed rows. Throws a ConflictError for other jobs and for jobs that
   * belong to workflows.
   */
  retry(caller: RetryCaller, id: string, changes: RetryChanges): Promise<Job>;
}

export interface SingleJobParts extends CheckParts {
  readonly services: JobServices;
}

export function createSingleJobs({ db }: Pick<Store, 'db'>, parts: SingleJobParts): SingleJobs {
  const { services, compute } = parts;
  const { datasets, secrets, queue } = services;
  const datasetOf = async ({ viewer, datasetId }: AnyJob): Promise<Dataset> => {
    try {
      return await datasets.get(viewer, datasetId);
    } catch (error) {
      throw error instanceof AppError && error.code === 'NotFoundError' ? noDataset(datasetId) : error;
    }
  };
  const shared = (
    { name, description, datasetId, timeoutSec, owner, teamId, keyId, maxSamples }: AnyJob,
    rows: number,
  ) => ({
    workflowId: null,
    name,
    description,
    datasetId,
    timeoutSec,
    owner,
    teamId,
    keyId,
    compute,
    totalRows: sampleSize(rows, maxSamples),
  });

  return {
    async infer(job) {
      const dataset = await datasetOf(job);
      const { request, owner } = job;
      await checkSecrets(secrets, owner, [request]);
      const task = EVALUATED_TASKS[job.task.task];
      const rows = sampleSize(dataset.rowCount, job.maxSamples);
      await checkRows(datasets, dataset, { task, rows, uses: ['inference'] });
      const spec = await inObject('job_config', async () => {
        const inference = inferenceSpec(job.type, request, job.task, [], dataset.columns);
        inMember('output_field', () => checkOutputField(task, inference));
        checkPrompt(inference, dataset.columns);
        await checkInferenceModel(inference, new Map(), job, parts);
        return inference;
      });
      const output = {
        filename: predictionsName(dataset.filename, request.model),
        generatedBy: request.model,
        runId: null,
        owner,
      };
      return await db.transaction().execute(async (trx) =>
        queue.create(trx, {
          ...shared(job, dataset.rowCount),
          spec,
          outputId: await datasets.begin(trx, output),
        }),
      );
    },
    async evaluate(job) {
      const dataset = await datasetOf(job);
      const { request, owner } = job;
      const { rowCount, columns } = dataset;
      const rows = sampleSize(rowCount, job.maxSamples);
      await checkSecrets(secrets, owner, [request.judge, request.embedder]);
      await checkRows(datasets, dataset, {
        task: EVALUATED_TASKS[job.task.task],
        rows,
        uses: ['evaluation'],
      });
      const missing = [request.predictionField, GROUND_TRUTH].find((name) => !columns.includes(name));
      if (missing !== undefined && !returnsVectors(job.task)) {
        throw aboutDataset(inputError(`The dataset has no column \`${missing}\`.`));
      }
      const spec = await inObject('job_config', async () => {
        const evaluation = evaluationSpec(request, job.task);
        await inMemberAsync('custom_metrics', () => compileCustomMetrics(evaluation.customMetrics ?? []));
        await checkEvaluationModels(evaluation, job, parts);
        return evaluation;
      });
      return await db
        .transaction()
        .execute((trx) => queue.create(trx, { ...shared(job, rowCount), spec, outputId: randomUUID() }));
    },
    async retry(caller, id, changes) {
      const job = await queue.get(caller.viewer, id);
      const { spec, owner } = job;
      refuseRetry(job);
      await checkSecrets(secrets, owner, [{ secretName: changes.secretName ?? null }]);
      const changed = spec.type === 'evaluation' ? changePace(spec, changes) : changeInference(spec, changes);
      const output = { outputName: `${job.name}-predictions.csv`, generatedBy: job.name };
      const timeoutSec = changes.timeoutSec ?? job.timeoutSec;
      const keyId = await payerOfRetry({ ...job, name: `Job ${id}`, specs: [spec] }, caller, services);
      await db
        .transaction()
        .execute((trx) => retryJob(trx, job, { spec: changed, timeoutSec, ...output }, { ...parts, keyId }));
      await queue.log(id, 'info', retryLine(job));
      return await queue.get(caller.viewer, id);
    },
  };
}

function refuseRetry({ id, workflowId, status, spec, failedRows }: Job): void {
  const why = !isOver(status)
    ? `is ${status}; only finished jobs can be retried`
    : workflowId !== null
      ? `belongs to workflow ${workflowId}; retry the workflow instead`
      : status === 'succeeded' && (spec.type === 'evaluation' || failedRows === 0)
        ? 'has succeeded without failed rows'
        : undefined;
  if (why !== undefined) {
    throw new AppError('ConflictError', `Job ${id} ${why}.`, { reason: 'job_not_failed' });
  }
}
