import { BENCH } from './behaviours/bench.ts';
import { BUILD } from './behaviours/build.ts';
import { EXECUTABLE } from './behaviours/executable.ts';
import { FILL_MASK } from './behaviours/fill-mask.ts';
import { FIRST_STEPS } from './behaviours/first-steps.ts';
import { GATEWAY_CLI } from './behaviours/gateway-cli.ts';
import { GATEWAY_COMPLETIONS } from './behaviours/gateway-completions.ts';
import { GATEWAY_DATASETS } from './behaviours/gateway-datasets.ts';
import { GATEWAY_HTTP } from './behaviours/gateway-http.ts';
import { GATEWAY_LEDGER } from './behaviours/gateway-ledger.ts';
import { GATEWAY_PROCESS } from './behaviours/gateway-process.ts';
import { GATEWAY_WORKFLOWS } from './behaviours/gateway-workflows.ts';
import { GRPC } from './behaviours/grpc.ts';
import { HTTP_ROUTES } from './behaviours/http-routes.ts';
import { HTTP } from './behaviours/http.ts';
import { HUB } from './behaviours/hub.ts';
import { INFER } from './behaviours/infer.ts';
import { LOST_OUTPUT } from './behaviours/lost-output.ts';
import { M3 } from './behaviours/m3.ts';
import { MANAGER_CLI } from './behaviours/manager-cli.ts';
import { MANAGER_HTTP } from './behaviours/manager-http.ts';
import { MANAGER_MCP } from './behaviours/manager-mcp.ts';
import { MANAGER_PROCESS } from './behaviours/manager-process.ts';
import { MANAGER_REAL } from './behaviours/manager-real.ts';
import { MANAGER_WAYS } from './behaviours/manager-ways.ts';
import { MCP } from './behaviours/mcp.ts';
import { MULTI_VECTOR } from './behaviours/multi-vector.ts';
import { QUESTIONS } from './behaviours/questions.ts';
import { SENTENCE } from './behaviours/sentence.ts';
import { SPARSE } from './behaviours/sparse.ts';
import { SERVE_PROCESS } from './behaviours/serve-process.ts';
import { SERVE } from './behaviours/serve.ts';
import { ZERO_SHOT } from './behaviours/zero-shot.ts';
import { ZERO_SHOT_NER } from './behaviours/zero-shot-ner.ts';

/** What users can rely on: an id, where it is promised, and the promise. `coverage.test.ts` counts tests both ways. */
export const BEHAVIOURS = {
  ...BUILD,
  ...FIRST_STEPS,
  ...HUB,
  ...INFER,
  ...LOST_OUTPUT,
  ...BENCH,
  ...SENTENCE,
  ...ZERO_SHOT,
  ...SPARSE,
  ...FILL_MASK,
  ...MULTI_VECTOR,
  ...M3,
  ...QUESTIONS,
  ...ZERO_SHOT_NER,
  ...EXECUTABLE,
  ...SERVE,
  ...SERVE_PROCESS,
  ...HTTP,
  ...HTTP_ROUTES,
  ...GRPC,
  ...MCP,
  ...GATEWAY_CLI,
  ...GATEWAY_COMPLETIONS,
  ...GATEWAY_DATASETS,
  ...GATEWAY_HTTP,
  ...GATEWAY_LEDGER,
  ...GATEWAY_PROCESS,
  ...GATEWAY_WORKFLOWS,
  ...MANAGER_CLI,
  ...MANAGER_HTTP,
  ...MANAGER_MCP,
  ...MANAGER_PROCESS,
  ...MANAGER_REAL,
  ...MANAGER_WAYS,
} as const;

export type BehaviourId = keyof typeof BEHAVIOURS;
