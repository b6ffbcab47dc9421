import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { createJsonClient } from '#serve/client/json-client.ts';
import type { RayResources } from '../../../config/spec.ts';
import { memberOf } from '#core/values/member-of.ts';

export interface RayClient {
  submit(job: RayJob): Promise<void>;
  status(id: string): Promise<RayStatus>;
  stop(id: string): Promise<void>;
  logs(id: string): Promise<string>;
  /** The live nodes. */
  nodes(): Promise<readonly RayNode[]>;
  close(): Promise<void>;
}

interface RayJob {
  readonly id: string;
  /** Shell command that starts the worker. */
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
  readonly resources: RayResources;
  /** Labels of the nodes that can run the worker. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface RayNode {
  /** Amounts by Ray resource name, for example `CPU`. */
  readonly resources: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RayStatus {
  readonly status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
  readonly message: string;
  /** Ray's `JobErrorType`; empty for jobs that have not failed. */
  readonly errorType: string;
}

interface RayAnswer {
  readonly status?: RayStatus['status'];
  readonly message?: string | null;
  readonly error_type?: string | null;
}

interface NodesAnswer {
  readonly data?: {
    readonly result?: {
      readonly result?: readonly {
        readonly state?: string;
        readonly resources_total?: RayNode['resources'];
        readonly labels?: RayNode['labels'];
      }[];
    };
  };
}

export const FINAL_RAY_STATUSES: ReadonlySet<RayStatus['status']> = new Set([
  'STOPPED',
  'SUCCEEDED',
  'FAILED',
]);

const JOBS = '/api/jobs/';
const NODES = '/api/v0/nodes?limit=10000';

/** Connection timeout, kept short because a job cannot be canceled while its submission is connecting. */
const CONNECT_MS = 4000;
const RESPONSE_MS = 30_000;

/**
 * Client for Ray's job submission API. @see
 * https://docs.ray.io/en/latest/cluster/running-applications/job-submission/rest.html
 */
export function createRayClient(address: string, token: string | undefined): RayClient {
  const client = createJsonClient(address, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    connections: 4,
    connectMs: CONNECT_MS,
    answerMs: RESPONSE_MS,
  });
  const request = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const { status, text } = await send(method, path, body);
    if (status < 300) return parseJsonText(text);
    const detail = text.trim().split('\n').at(-1)?.slice(0, 500) ?? '';
    const code = isTemporary(status, text) ? 'UnavailableError' : 'InputError';
    throw new AppError(code, `Ray at ${address} returned status ${status}: ${detail}`, {
      reason: `ray_${status}`,
    });
  };
  const send = async (method: 'GET' | 'POST', path: string, body: object | undefined) => {
    try {
      return await client.ask({ method, path, body: body && JSON.stringify(body) });
    } catch (error) {
      throw new AppError('UnavailableError', `Cannot reach Ray at ${address}: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  };
  return {
    submit: async ({ id, entrypoint, env, resources, labels }) =>
      void (await request('POST', JOBS, {
        submission_id: id,
        entrypoint,
        runtime_env: { env_vars: env },
        entrypoint_num_cpus: resources.cpus,
        entrypoint_num_gpus: resources.gpus,
        entrypoint_memory: resources.memory,
        entrypoint_resources: resources.custom,
        // Clusters before Ray 2.49 do not support label selectors.
        ...(Object.keys(labels).length === 0 ? {} : { entrypoint_label_selector: labels }),
      })),
    async status(id) {
      const answer = (await request('GET', `${JOBS}${id}`)) as RayAnswer;
      return {
        status: answer.status ?? 'PENDING',
        message: answer.message ?? '',
        errorType: answer.error_type ?? '',
      };
    },
    stop: async (id) => void (await request('POST', `${JOBS}${id}/stop`)),
    async logs(id) {
      const logs = memberOf(await request('GET', `${JOBS}${id}/logs`), 'logs');
      return typeof logs === 'string' ? logs : '';
    },
    async nodes() {
      const { data } = (await request('GET', NODES)) as NodesAnswer;
      return (data?.result?.result ?? [])
        .filter(({ state }) => state === 'ALIVE')
        .map(({ resources_total: resources, labels }) => ({
          resources: resources ?? {},
          labels: labels ?? {},
        }));
    },
    close: () => client.close(),
  };
}

/**
 * Matches a dashboard response with status 500 that reports a rejection by the agent on the head node;
 * retrying does not help.
 */
const AGENT_REFUSAL = /Request failed with status code 4\d\d/;

const isTemporary = (status: number, text: string): boolean =>
  status === 408 || status === 429 || (status >= 500 && !AGENT_REFUSAL.test(text));
