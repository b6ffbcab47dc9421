import { setThreadPriority } from '#platform/thread-priority.ts';
import { serveWorker } from '#platform/worker-requests.ts';
import { createInference } from './inference.ts';
import type { OpenModel } from './inference-thread.ts';

// An inference thread.

const inference = createInference();

const { close: _, ...handlers } = inference;

serveWorker({
  ...handlers,
  open(request: OpenModel) {
    setThreadPriority(request.priority);
    return inference.open(request);
  },
});
