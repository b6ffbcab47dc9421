import { AppError } from '#contract/errors.ts';
import { planStage } from '#core/model/stage-plan.ts';
import type { Model } from '../model.ts';
import type { ServingEngine } from './serving.ts';

/** Opens an engine. `onEnd` is called when its threads cannot be restarted. */
type OpenFast = (form: Model, onEnd: () => void) => Promise<ServingEngine>;

/**
 * Adds the static form to the engine of a model whose file contains both forms. Its thread, tokenizer and
 * memory are created by the first request for it, so that they cost nothing without such requests.
 */
export function withStaticForm(exact: ServingEngine, model: Model, open: OpenFast): ServingEngine {
  const { openStaticForm } = model;
  if (!openStaticForm) return exact;
  let opening: Promise<ServingEngine> | undefined;
  let opened: ServingEngine | undefined;
  const forget = (): void => {
    opening = undefined;
    opened = undefined;
  };
  const start = async (): Promise<ServingEngine> => {
    // The form is read from the same file later than the model.
    if (!model.isStillThere()) {
      throw new AppError(
        'InternalError',
        `The static form cannot be opened, because ${model.path} was replaced or removed. Restart the server.`,
      );
    }
    opened = { ...(await open(openStaticForm(), forget)), stage: 'fast' };
    return opened;
  };
  return {
    ...exact,
    stage: 'exact',
    fast() {
      // After a failure, the next request tries again.
      opening ??= start().catch((error: unknown) => {
        forget();
        throw error;
      });
      return opening;
    },
    stats() {
      const { queued, workers, cacheBytes } = exact.stats();
      const more = opened?.stats();
      return { queued: queued + (more?.queued ?? 0), workers: workers + (more?.workers ?? 0), cacheBytes };
    },
    async close() {
      const fast = await opening?.catch(() => undefined);
      await Promise.all([exact.close(), fast?.close()]);
    },
  };
}

/** The engine for the stage that a request sets. Default: the model itself. */
export function engineFor(
  engine: ServingEngine,
  stage: string | null | undefined,
): ServingEngine | Promise<ServingEngine> {
  const planned = planStage(engine.manifest, stage);
  return planned === 'fast' && engine.fast ? engine.fast() : engine;
}
