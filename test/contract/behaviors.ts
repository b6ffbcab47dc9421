import { BENCH } from './behaviors/bench.ts';
import { BUILD } from './behaviors/build.ts';
import { DETECTION } from './behaviors/detection.ts';
import { EXECUTABLE } from './behaviors/executable.ts';
import { FILL_MASK } from './behaviors/fill-mask.ts';
import { FIRST_STEPS } from './behaviors/first-steps.ts';
import { GATEWAY_CLI } from './behaviors/gateway-cli.ts';
import { GATEWAY_COMPLETIONS } from './behaviors/gateway-completions.ts';
import { GATEWAY_DATASETS } from './behaviors/gateway-datasets.ts';
import { GATEWAY_HTTP } from './behaviors/gateway-http.ts';
import { GATEWAY_LEDGER } from './behaviors/gateway-ledger.ts';
import { GATEWAY_PROCESS } from './behaviors/gateway-process.ts';
import { GATEWAY_TOOLS } from './behaviors/gateway-tools.ts';
import { GATEWAY_WORKFLOWS } from './behaviors/gateway-workflows.ts';
import { GRPC } from './behaviors/grpc.ts';
import { HTTP_ROUTES } from './behaviors/http-routes.ts';
import { HTTP } from './behaviors/http.ts';
import { HUB } from './behaviors/hub.ts';
import { IMAGES } from './behaviors/images.ts';
import { INFER } from './behaviors/infer.ts';
import { LIBRARY } from './behaviors/library.ts';
import { LOST_OUTPUT } from './behaviors/lost-output.ts';
import { M3 } from './behaviors/m3.ts';
import { MANAGER_CLI } from './behaviors/manager-cli.ts';
import { MANAGER_HTTP } from './behaviors/manager-http.ts';
import { MANAGER_MCP } from './behaviors/manager-mcp.ts';
import { MANAGER_PROCESS } from './behaviors/manager-process.ts';
import { MANAGER_REAL } from './behaviors/manager-real.ts';
import { MANAGER_WAYS } from './behaviors/manager-ways.ts';
import { MCP } from './behaviors/mcp.ts';
import { MULTI_VECTOR } from './behaviors/multi-vector.ts';
import { QUESTIONS } from './behaviors/questions.ts';
import { SENTENCE } from './behaviors/sentence.ts';
import { SPARSE } from './behaviors/sparse.ts';
import { SERVE_PROCESS } from './behaviors/serve-process.ts';
import { SERVE } from './behaviors/serve.ts';
import { CAUSAL_RERANKERS } from './behaviors/causal-rerankers.ts';
import { STAGES } from './behaviors/stages.ts';
import { STATIC } from './behaviors/static.ts';
import { TOWERS } from './behaviors/towers.ts';
import { ZERO_SHOT } from './behaviors/zero-shot.ts';
import { ZERO_SHOT_NER } from './behaviors/zero-shot-ner.ts';

/**
 * The behaviors that users can rely on: for each, its ID, the page that documents it, and its description. `coverage.test.ts` compares them with the tests.
 */
export const BEHAVIORS = {
  ...BUILD,
  ...FIRST_STEPS,
  ...HUB,
  ...INFER,
  ...LIBRARY,
  ...LOST_OUTPUT,
  ...BENCH,
  ...SENTENCE,
  ...CAUSAL_RERANKERS,
  ...STATIC,
  ...IMAGES,
  ...DETECTION,
  ...TOWERS,
  ...STAGES,
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
  ...GATEWAY_TOOLS,
  ...GATEWAY_WORKFLOWS,
  ...MANAGER_CLI,
  ...MANAGER_HTTP,
  ...MANAGER_MCP,
  ...MANAGER_PROCESS,
  ...MANAGER_REAL,
  ...MANAGER_WAYS,
} as const;

export type BehaviorId = keyof typeof BEHAVIORS;
