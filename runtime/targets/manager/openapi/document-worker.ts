import { serveWorker } from '#platform/worker-requests.ts';
import { type PlanRequest, readPlan } from './read-plan.ts';

serveWorker({ plan: (request: PlanRequest) => ({ reply: readPlan(request) }) });
