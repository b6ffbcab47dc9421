import { TurnQueue } from '#core/limits/turn-queue.ts';
import { type Parser, startParser } from '#platform/parser-thread.ts';
import type { ApiPlan } from './plan.ts';
import type { PlanRequest } from './read-plan.ts';

const PARSER: Parser = {
  name: 'openapi',
  source: new URL('./document-worker.ts', import.meta.url),
  subject: 'reading the OpenAPI document',
  heapMb: 1536,
  seconds: 120,
  totalSeconds: 120,
};

/** Documents that are read concurrently. More would need too much memory when a manager with many APIs starts. */
const turns = new TurnQueue(2, Infinity);

/** Reads the tools of a document in a thread: documents have megabytes and come from others. */
export async function readPlanInThread(request: Omit<PlanRequest, 'kind'>): Promise<ApiPlan> {
  const turn = turns.ask();
  if (turn.kind === 'waiting') await turn.granted;
  const { ask, end } = startParser<PlanRequest>(PARSER);
  try {
    return (await ask({ kind: 'plan', ...request })) as ApiPlan;
  } finally {
    end();
    if (turn.kind !== 'refused') turn.leave();
  }
}
