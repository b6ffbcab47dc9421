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

/** Reads the tools of a document in a thread: documents have megabytes and come from others. */
export async function readPlanInThread(request: Omit<PlanRequest, 'kind'>): Promise<ApiPlan> {
  const { ask, end } = startParser<PlanRequest>(PARSER);
  try {
    return (await ask({ kind: 'plan', ...request })) as ApiPlan;
  } finally {
    end();
  }
}
