import { lowerThreadPriority } from '#platform/thread-priority.ts';
import { serveWorker } from '#platform/worker-requests.ts';
import { createInference } from './inference.ts';
import type { OpenModel } from './inference-thread.ts';

// An inference thread.

const inference = createInference();

const { close: _, ...handlers } = inference;

serveWorker({
  ...handlers,
  open(request: OpenModel) {
    if (request.background) lowerThreadPriority();
    return inference.open(request);
  },
});
