import { lazy } from '#core/values/lazy.ts';
import type { Model } from '../model.ts';
import {
  type InferenceThread,
  startInferenceThread,
  type ThreadRequest,
  threadRequests,
} from './inference-thread.ts';

/** Starts a thread for a model, or none if the model is static. */
export const threadFor = ({ body }: Pick<Model, 'body'>): InferenceThread =>
  body.kind === 'table' ? runInThisThread() : startInferenceThread();

/**
 * Runs a static model in this thread: a batch takes less time than starting a thread, and a text less
 * than a message to it.
 */
function runInThisThread(): InferenceThread {
  const starting = lazy(async () => (await import('./inference.ts')).createInference());
  const ask = async (request: ThreadRequest): Promise<unknown> => {
    const inference = await starting();
    const { reply } = await (request.kind === 'open'
      ? inference.open(request)
      : request.kind === 'run'
        ? inference.run(request)
        : inference.render(request));
    return reply;
  };
  return {
    ...threadRequests(ask),
    alive: () => true,
    died: new Promise(() => {}),
    ended: Promise.resolve(),
    kill: () => {},
    close: async () => (await starting()).close(),
  };
}
