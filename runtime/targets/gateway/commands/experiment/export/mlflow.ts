import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import { type ClientRequest, createJsonClient, type JsonClient } from '#serve/client/json-client.ts';
import type { GatewayClient } from '../gateway-client.ts';
import { namedNumbers } from './named-numbers.ts';
import type { Exported, ExportedModel } from './read-exported.ts';

interface MlflowAccess {
  readonly url: string;
  readonly token: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const API = '/api/2.0/mlflow';
const ARTIFACTS = '/api/2.0/mlflow-artifacts/artifacts';
/** Limits for one request that logs values. @see https://mlflow.org/docs/latest/rest-api.html#log-batch */
const MAX_PARAMS = 100;
const MAX_METRICS = 1000;
const MAX_PARAM_LENGTH = 6000;

/**
 * Creates an MLflow run for each model, with its settings, metrics, cost and outputs. Runs from an earlier
 * export of the same workflow are deleted. Resolves with the run IDs.
 */
export async function exportToMlflow(
  gateway: GatewayClient,
  exported: Exported,
  { url, token }: MlflowAccess,
): Promise<readonly string[]> {
  const client = createJsonClient(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    maxRedirects: 5,
  });
  try {
    const server = createServer(client, url);
    const experimentId = await experimentOf(server, exported);
    const runs: string[] = [];
    for (const model of exported.models)
      runs.push(await exportRun(gateway, server, { exported, model, experimentId }));
    return runs;
  } finally {
    await client.close();
  }
}

interface Server {
  post(path: string, body: Json): Promise<Json>;
  put(path: string, text: string): Promise<void>;
}

function createServer(client: JsonClient, url: string): Server {
  const send = async (request: ClientRequest): Promise<Json> => {
    const { status, text } = await client.ask(request).catch((error: unknown) => {
      throw new AppError('UpstreamError', `Cannot reach MLflow at ${url}: ${messageOf(error)}.`, {
        cause: error,
      });
    });
    if (status < 300) return text === '' ? {} : (parseJsonText(text) as Json);
    throw new AppError(
      'UpstreamError',
      `MLflow responded to ${request.path} with status ${status}: ${text.slice(0, 500)}`,
    );
  };
  return {
    post: (path, body) => send({ method: 'POST', path: `${API}/${path}`, body: JSON.stringify(body) }),
    async put(path, body) {
      await send({ method: 'PUT', path, body, headers: { 'content-type': 'application/octet-stream' } });
    },
  };
}

/** The experiment with this name, created if missing, restored if deleted. */
async function experimentOf(server: Server, { id, name, description, tags }: Exported): Promise<string> {
  const filter = `name = '${name.replaceAll("'", String.raw`\'`)}'`;
  const found = await server.post('experiments/search', { max_results: 1, view_type: 'ALL', filter });
  const experiment = memberOf(found['experiments'], '0');
  if (experiment === undefined) {
    const own = [
      { key: 'mlflow.note.content', value: description },
      { key: 'gateway.experiment_id', value: id },
      ...tags.map((tag) => ({ key: `tag.${tag}`, value: 'true' })),
    ];
    return String((await server.post('experiments/create', { name, tags: own }))['experiment_id']);
  }
  const experimentId = String(memberOf(experiment, 'experiment_id'));
  if (memberOf(experiment, 'lifecycle_stage') === 'deleted')
    await server.post('experiments/restore', { experiment_id: experimentId });
  return experimentId;
}

interface RunParts {
  readonly exported: Exported;
  readonly model: ExportedModel;
  readonly experimentId: string;
}

async function exportRun(
  gateway: GatewayClient,
  server: Server,
  { exported, model: { workflow, compared }, experimentId }: RunParts,
): Promise<string> {
  const earlier = await server.post('runs/search', {
    experiment_ids: [experimentId],
    filter: `tags."gateway.workflow_id" = '${workflow.id}'`,
  });
  for (const run of Array.isArray(earlier['runs']) ? (earlier['runs'] as unknown[]) : [])
    await server.post('runs/delete', { run_id: memberOf(memberOf(run, 'info'), 'run_id') });
  const created = await server.post('runs/create', {
    experiment_id: experimentId,
    run_name: workflow.name,
    start_time: Date.parse(workflow.created_at),
    tags: [
      { key: 'gateway.workflow_id', value: workflow.id },
      { key: 'gateway.experiment_id', value: exported.id },
      { key: 'gateway.dataset_id', value: exported.dataset },
      ...workflow.tags.map((tag) => ({ key: `tag.${tag}`, value: 'true' })),
      ...(workflow.error === null ? [] : [{ key: 'gateway.error', value: workflow.error.slice(0, 5000) }]),
    ],
  });
  const info = memberOf(memberOf(created, 'run'), 'info');
  const runId = String(memberOf(info, 'run_id'));
  const ended = Date.parse(workflow.updated_at ?? workflow.created_at);
  const params = paramsOf(exported, workflow);
  const metrics = Object.entries(compared ? namedNumbers(compared) : {}).map(([key, value]) => ({
    key: keyOf(key),
    value,
    timestamp: ended,
    step: 0,
  }));
  for (let at = 0; at < params.length; at += MAX_PARAMS)
    await server.post('runs/log-batch', { run_id: runId, params: params.slice(at, at + MAX_PARAMS) });
  for (let at = 0; at < metrics.length; at += MAX_METRICS)
    await server.post('runs/log-batch', { run_id: runId, metrics: metrics.slice(at, at + MAX_METRICS) });
  await exportArtifacts(server, String(memberOf(info, 'artifact_uri')), {
    'comparison.md': exported.report,
    'answers.csv': await gateway.text(`/api/v1/workflows/${workflow.id}/rows`),
  });
  const status = workflow.status === 'succeeded' ? 'FINISHED' : 'FAILED';
  await server.post('runs/update', { run_id: runId, status, end_time: ended });
  return runId;
}

function paramsOf(
  { task }: Exported,
  { model, provider, parameters }: ExportedModel['workflow'],
): readonly { readonly key: string; readonly value: string }[] {
  const all = { model, provider, ...flat('', task), ...flat('', parameters ?? {}) };
  return Object.entries(all).map(([key, value]) => ({
    key: keyOf(key),
    value: value.slice(0, MAX_PARAM_LENGTH),
  }));
}

/** Flattens objects by prefixing their members with the object names. Lists and strings are values. */
function flat(prefix: string, value: Json): Readonly<Record<string, string>> {
  const members = Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (member === null || member === undefined) return [];
    if (typeof member === 'object' && !Array.isArray(member))
      return Object.entries(flat(`${prefix}${name}.`, member as Json));
    return [[`${prefix}${name}`, typeof member === 'string' ? member : JSON.stringify(member)]];
  });
  return Object.fromEntries(members);
}

/** MLflow allows letters, digits and some punctuation in names. */
const keyOf = (name: string): string => name.replaceAll(/[^\w\-. /]/g, '_').slice(0, 250);

/** Uploads files through the server. This does not work with servers that store artifacts elsewhere. */
async function exportArtifacts(
  server: Server,
  uri: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const [, path] = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/.exec(uri) ?? [];
  if (path === undefined) {
    throw new AppError(
      'UpstreamError',
      `MLflow stores artifacts at ${uri.slice(0, 200)}. This program cannot write there; start the MLflow server with --serve-artifacts.`,
    );
  }
  for (const [name, content] of Object.entries(files))
    await server.put(`${ARTIFACTS}/${path.split('/').map(encodeURIComponent).join('/')}/${name}`, content);
}
