import type { JobServices } from '../jobs/job-services.ts';
import type { CurrentModels } from '../../ask/models/model-set.ts';
import type { Backend, EvaluationSpec, InferenceSpec, WorkTools } from '../work/work.ts';
import type { Model } from '../work/backends/backend.ts';
import { openBackend } from '../work/backends/open-backend.ts';
import { PACING } from '../work/pacing.ts';
import { checkModel } from '../work/tasks/check-model.ts';
import { TASKS } from '../work/tasks/index.ts';
import { AppError, inputError } from '../../../../contract/errors.ts';
import { about } from './about-member.ts';
import type { MayUse } from './workflow.ts';
import { checkLabels } from './check-labels.ts';

export interface CheckParts {
  readonly services: Pick<JobServices, 'secrets' | 'trusts'>;
  readonly models: CurrentModels;
}

/** Whose request it is. */
export interface Asking {
  readonly owner: string | null;
  readonly mayUse: MayUse;
}

/** A model that takes longer to say what it is would not answer many rows. */
const ANSWER_MS = 10_000;

/** Throws an InputError unless the model is there, can do the task, and knows the labels, each with the first row that has it. */
export async function checkAnswering(
  { task, backend }: Pick<InferenceSpec, 'task' | 'backend'>,
  labels: ReadonlyMap<string, number>,
  asking: Asking,
  parts: CheckParts,
): Promise<void> {
  await inspect(backend.kind === 'encoder-url' ? 'base_url' : 'model', backend, asking, parts, (model) => {
    checkModel(TASKS[task.task], model);
    checkLabels(model, labels);
  });
}

/** Throws an InputError unless the models are there that the evaluation asks. */
export async function checkScoring(
  { judge, embedder }: Pick<EvaluationSpec, 'judge' | 'embedder'>,
  asking: Asking,
  parts: CheckParts,
): Promise<void> {
  if (judge) {
    await inspect('llm_as_judge', judge.backend, asking, parts, ({ name, chat }) => {
      if (!chat) throw inputError(`${name} writes no texts, and so cannot judge any.`);
    });
  }
  if (embedder) {
    await inspect('embedder', embedder.backend, asking, parts, ({ name, tokenVectors }) => {
      if (!tokenVectors) throw inputError(`${name} is no encoder of type embedding.`);
    });
  }
}

async function inspect(
  member: string,
  backend: Backend,
  { owner, mayUse }: Asking,
  { services, models }: CheckParts,
  look: (model: Model) => void,
): Promise<void> {
  try {
    if (backend.kind === 'gateway') checkServed(backend.model, models, mayUse);
    const tools: WorkTools = {
      // Nothing is asked of the gateway before there is work.
      gateway: { url: 'http://127.0.0.1', token: '' },
      secret: (name) => services.secrets.reveal(owner, name),
      trusted: services.trusts(owner),
      log: () => undefined,
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const model = await openBackend(backend, tools, { pacing: PACING, connections: 1, signal });
    try {
      look(model);
    } finally {
      await model.close();
    }
  } catch (error) {
    throw about(member, asInput(error));
  }
}

/** That a server which the request names does not answer is a fault of the request. */
function asInput(error: unknown): unknown {
  if (isTimeout(error)) {
    return inputError(`The model did not say what it is within ${ANSWER_MS / 1000} seconds.`, error);
  }
  return error instanceof AppError && error.code !== 'ForbiddenError'
    ? new AppError('InputError', error.message, { cause: error, reason: error.reason })
    : error;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');

function checkServed(model: string, models: CurrentModels, mayUse: MayUse): void {
  const held = models.hold();
  try {
    const { alias, targets } = held.set.router.resolve(model);
    mayUse(alias ?? targets[0]?.key ?? model);
  } finally {
    held.release();
  }
}
