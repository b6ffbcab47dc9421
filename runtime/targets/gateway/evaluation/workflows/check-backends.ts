import type { JobServices } from '../jobs/job-services.ts';
import type { CurrentModels } from '../../requests/models/model-set.ts';
import type { Backend, EvaluationSpec, InferenceSpec, WorkTools } from '../work/work.ts';
import type { BackendModel } from '../work/backends/backend.ts';
import { inspectEncoderFile } from '../work/backends/inspect-encoder-file.ts';
import { openBackend } from '../work/backends/open-backend.ts';
import { PACING } from '../work/pacing.ts';
import { checkModel } from '../work/tasks/task.ts';
import { EVALUATED_TASKS } from '../work/tasks/index.ts';
import { AppError, inputError } from '#contract/errors.ts';
import { atMember, inMember } from './member-errors.ts';
import type { AssertModelAllowed, NamedModel } from './workflow.ts';
import type { Owner } from '../../shared/owner.ts';
import { checkFewShot, checkTemplate } from '../work/inference/prompt.ts';
import type { Secrets } from '../secrets.ts';

export interface CheckParts {
  readonly services: Pick<JobServices, 'secrets' | 'trusts'>;
  readonly models: CurrentModels;
  /** Name of the compute that runs jobs. */
  readonly compute: string;
}

/** The owner of a request, with the check for which models its credential allows. */
export interface WorkflowRequester {
  readonly owner: Owner | null;
  readonly assertModelAllowed: AssertModelAllowed;
}

/** Timeout for a model to report its type. A slower model could not process many rows. */
const INSPECTION_MS = 10_000;

/**
 * Throws an InputError if the model is unavailable, cannot perform the task or lacks a label. `labels` has
 * the first row for each label.
 */
export async function checkInferenceModel(
  { task, backend, prompt, fewShot }: Pick<InferenceSpec, 'task' | 'backend' | 'prompt' | 'fewShot'>,
  labels: ReadonlyMap<string, number>,
  requester: WorkflowRequester,
  parts: CheckParts,
): Promise<void> {
  await inspect(backend.kind === 'encoder-url' ? 'base_url' : 'model', backend, requester, parts, (model) => {
    checkModel(EVALUATED_TASKS[task.task], model);
    if (!model.chat && (prompt !== undefined || fewShot !== undefined)) throw noPrompts(model);
    checkLabels(model, labels);
  });
}

const noPrompts = ({ name }: BackendModel): AppError =>
  inputError(`${name} is not a generative model, so it has no prompt and no examples. Remove them.`);

/** Throws an InputError if an evaluation's judge or embedder is unavailable or has the wrong type. */
export async function checkEvaluationModels(
  { judge, embedder }: Pick<EvaluationSpec, 'judge' | 'embedder'>,
  requester: WorkflowRequester,
  parts: CheckParts,
): Promise<void> {
  if (judge) {
    await inspect('llm_as_judge', judge.backend, requester, parts, ({ name, chat }) => {
      if (!chat) throw inputError(`${name} is not a generative model, so it cannot be a judge.`);
    });
  }
  if (embedder) {
    await inspect('embedder', embedder.backend, requester, parts, ({ name, tokenVectors }) => {
      if (!tokenVectors) throw inputError(`${name} is not an encoder of type embedding.`);
    });
  }
}

async function inspect(
  member: string,
  backend: Backend,
  { owner, assertModelAllowed }: WorkflowRequester,
  { services, models, compute }: CheckParts,
  check: (model: BackendModel) => void,
): Promise<void> {
  try {
    if (backend.kind === 'gateway') checkServed(backend.model, models, assertModelAllowed);
    const tools: WorkTools = {
      // Placeholders: an inspection does not call the gateway.
      gateway: { url: 'http://127.0.0.1', token: '' },
      secret: (name) => services.secrets.reveal(owner, name),
      trusted: services.trusts(owner),
      log: () => undefined,
    };
    const signal = AbortSignal.timeout(INSPECTION_MS);
    const model =
      backend.kind === 'encoder-file'
        ? await inspectEncoderFile(backend, tools, { runsHere: compute === 'local', signal })
        : await openBackend(backend, tools, { pacing: PACING, maxConcurrency: 1, signal });
    try {
      check(model);
    } finally {
      await model.close();
    }
  } catch (error) {
    throw atMember(member, asInput(error));
  }
}

/** Converts a model server's errors to request errors, because the request names the server. */
function asInput(error: unknown): unknown {
  if (isTimeout(error)) {
    return inputError(`The model did not report its type within ${INSPECTION_MS / 1000} seconds.`, error);
  }
  return error instanceof AppError && error.code !== 'ForbiddenError'
    ? new AppError('InputError', error.message, { cause: error, reason: error.reason })
    : error;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');

function checkServed(model: string, models: CurrentModels, assertModelAllowed: AssertModelAllowed): void {
  const held = models.hold();
  try {
    const { alias, targets } = held.set.router.resolve(model);
    assertModelAllowed(alias ?? targets[0]?.key ?? model);
  } finally {
    held.release();
  }
}

const MAX_SHOWN_LABELS = 20;

/**
 * Throws an InputError if the ground truth has a label that the model does not have and therefore can never
 * predict.
 */
function checkLabels(
  { name, labels: known, modelType }: BackendModel,
  labels: ReadonlyMap<string, number>,
): void {
  if (known === undefined || known.length === 0) return;
  const same = modelType === 'token_classification' ? withoutPrefix : (label: string): string => label;
  const all = new Set(known.map(same));
  for (const [label, row] of labels) {
    if (all.has(same(label)) || (modelType === 'token_classification' && label === 'O')) continue;
    const shown = known.slice(0, MAX_SHOWN_LABELS).map((one) => JSON.stringify(one));
    throw inputError(
      `Row ${row} of the dataset has the ground truth ${JSON.stringify(label.slice(0, 100))}, which is not a label of ${name}. Its labels are ${shown.join(', ')}${known.length > MAX_SHOWN_LABELS ? ' and more' : ''}.`,
    );
  }
}

/** A label without its position tag: `B-PER` and `I-PER` are the same entity type. */
const withoutPrefix = (label: string): string => label.replace(/^[BIES]-/, '');

/** Throws an InputError for a prompt or examples that do not fit the dataset's columns. */
export function checkPrompt(
  spec: Pick<InferenceSpec, 'systemPrompt' | 'prompt' | 'fewShot'>,
  columns: readonly string[],
): void {
  inMember('prompt', () => checkTemplate(spec, columns));
  inMember('few_shot', () => checkFewShot(spec));
}

/** Throws a MalformedError, as the reference API does, for a secret that is not set. */
export async function checkSecrets(
  secrets: Pick<Secrets, 'has'>,
  owner: Owner | null,
  models: readonly (Pick<NamedModel, 'secretName'> | null)[],
  before = '',
): Promise<void> {
  for (const secret of models.map((model) => model?.secretName ?? null)) {
    if (secret === null || (await secrets.has(owner, secret))) continue;
    throw new AppError('MalformedError', `${before}Requested secret key '${secret}' is not configured.`, {
      reason: 'secret_not_configured',
    });
  }
}
