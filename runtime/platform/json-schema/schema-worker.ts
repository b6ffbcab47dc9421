import { serveWorker } from '../worker-server.ts';
import { compileProblem } from './compile-problem.ts';
import type { SchemaRequest } from './schema-requests.ts';

serveWorker({
  compile: ({ schema, draft }: SchemaRequest) => ({ reply: compileProblem(schema, draft) }),
});
