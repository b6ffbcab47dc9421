import { serveWorker } from '../worker-requests.ts';
import { compileProblem, type SchemaRequest } from './compile-problem.ts';

serveWorker({
  compile: ({ schema, draft }: SchemaRequest) => ({ reply: compileProblem(schema, draft) }),
});
