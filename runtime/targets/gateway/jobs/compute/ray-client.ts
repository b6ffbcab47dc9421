import { Pool } from 'undici';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import { parseJsonText } from '../../../../core/json-text.ts';

export interface RayClient {
  submit(job: RayJob): Promise<void>;
  status(id: string): Promise<RayStatus>;
  stop(id: string): Promise<void>;
  logs(id: string): Promise<string>;
  close(): Promise<void>;
}

interface RayJob {
  readonly id: string;
  /** As a shell reads it. */
  readonly entrypoint: string;
  readonly env: Readonly<Record<string, string>>;
}

interface RayStatus {
  readonly status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
  readonly message: string;
}

export const RAY_IS_OVER: ReadonlySet<RayStatus['status']> = new Set(['STOPPED', 'SUCCEEDED', 'FAILED']);

const ANSWER_MS = 30_000;

/** @see https://docs.ray.io/en/latest/cluster/running-applications/job-submission/rest.html */
export function createRayClient(address: string, token: string | undefined): RayClient {
  const { origin, pathname } = new URL(address);
  const prefix = `${pathname.replace(/\/+$/, '')}/api/jobs/`;
  const pool = new Pool(origin, { connections: 4, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS });
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const { status, text } = await answerTo(method, path, body);
    if (status < 300) return parseJsonText(text);
    const detail = text.trim().split('\n').at(-1)?.slice(0, 500) ?? '';
    throw new AppError(
      status < 500 ? 'InputError' : 'UnavailableError',
      `Ray answered ${status}: ${detail}`,
      { reason: `ray_${status}` },
    );
  };
  const answerTo = async (method: 'GET' | 'POST', path: string, body: object | undefined) => {
    const sent = body === undefined ? null : JSON.stringify(body);
    try {
      const answer = await pool.request({ path: prefix + path, method, headers, body: sent });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (error) {
      throw new AppError('UnavailableError', `Ray at ${address} cannot be reached: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  };
  return {
    submit: async ({ id, entrypoint, env }) =>
      void (await ask('POST', '', {
        submission_id: id,
        entrypoint,
        runtime_env: { env_vars: env },
      })),
    async status(id) {
      const { status, message } = (await ask('GET', id)) as Partial<RayStatus>;
      return { status: status ?? 'PENDING', message: message ?? '' };
    },
    stop: async (id) => void (await ask('POST', `${id}/stop`)),
    logs: async (id) => ((await ask('GET', `${id}/logs`)) as { readonly logs?: string }).logs ?? '',
    close: () => pool.destroy(),
  };
}
