import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

interface Entry {
  readonly key: string;
  readonly value: unknown;
}

interface Run {
  readonly id: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly params: Record<string, unknown>;
  readonly metrics: Record<string, unknown>;
  readonly artifacts: Record<string, string>;
  status: string;
}

interface MlflowServer {
  readonly url: string;
  /** Names of the experiments. */
  readonly experiments: readonly string[];
  /** The runs that are not deleted. */
  readonly runs: () => readonly Run[];
  /** Credentials of the requests. */
  readonly credentials: ReadonlySet<string | undefined>;
}

interface Body {
  readonly name: string;
  readonly run_name: string;
  readonly run_id: string;
  readonly filter: string;
  readonly status: string;
  readonly tags?: readonly Entry[];
  readonly params?: readonly Entry[];
  readonly metrics?: readonly Entry[];
}

const API = '/api/2.0/mlflow/';
const ARTIFACTS = '/api/2.0/mlflow-artifacts/artifacts/1/';
const named = (entries: readonly Entry[] = []) =>
  Object.fromEntries(entries.map(({ key, value }) => [key, value]));

/**
 * The part of MLflow's REST API that an export calls, in memory, for the tests of the file; `npm run test:datasets` exports to a real server.
 * @see https://mlflow.org/docs/latest/rest-api.html
 */
export async function startMlflow(): Promise<MlflowServer> {
  const experiments: string[] = [];
  const runs = new Map<string, Run>();
  const credentials = new Set<string | undefined>();
  let created = 0;
  const runOf = ({ run_id: id }: Pick<Body, 'run_id'>): Run => {
    const run = runs.get(id);
    if (!run) throw new Error(`no run ${id}`);
    return run;
  };
  const routes: Readonly<Record<string, (body: Body) => object>> = {
    'experiments/search': ({ filter }) => ({
      experiments: experiments
        .filter((name) => filter === `name = '${name}'`)
        .map(() => ({ experiment_id: '1', lifecycle_stage: 'active' })),
    }),
    'experiments/create': ({ name }) => ({ experiment_id: String(experiments.push(name)) }),
    'runs/search': ({ filter }) => ({
      runs: [...runs.values()]
        .filter(
          ({ tags }) => filter === `tags."gateway.workflow_id" = '${String(tags['gateway.workflow_id'])}'`,
        )
        .map(({ id }) => ({ info: { run_id: id } })),
    }),
    'runs/create': ({ run_name: name, tags }) => {
      const id = `run${(created += 1)}`;
      runs.set(id, {
        id,
        name,
        tags: named(tags),
        params: {},
        metrics: {},
        artifacts: {},
        status: 'RUNNING',
      });
      return { run: { info: { run_id: id, artifact_uri: `mlflow-artifacts:/1/${id}/artifacts` } } };
    },
    'runs/delete': (body) => ({ deleted: runs.delete(runOf(body).id) }),
    'runs/log-batch': (body) => {
      Object.assign(runOf(body).params, named(body.params));
      Object.assign(runOf(body).metrics, named(body.metrics));
      return {};
    },
    'runs/update': (body) => Object.assign(runOf(body), { status: body.status }),
  };
  const answer = async (request: IncomingMessage): Promise<object> => {
    const { url = '', headers } = request;
    credentials.add(headers.authorization);
    const body = await text(request);
    if (request.method === 'PUT' && url.startsWith(ARTIFACTS)) {
      const [run_id = '', , name = ''] = url.slice(ARTIFACTS.length).split('/');
      runOf({ run_id }).artifacts[name] = body;
      return {};
    }
    const route = routes[url.slice(API.length)];
    if (!route) throw new Error(`no route ${url}`);
    return route(JSON.parse(body) as Body);
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (found) => response.setHeader('content-type', 'application/json').end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    experiments,
    runs: () => [...runs.values()],
    credentials,
  };
}
