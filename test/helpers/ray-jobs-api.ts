import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from './ray.ts';

export interface Submission {
  readonly submission_id: string;
  readonly entrypoint: string;
  readonly runtime_env: { readonly env_vars: Readonly<Record<string, string>> };
}

interface Answer {
  readonly status: number;
  readonly body: string | object;
}

/** A recorded version of the Jobs API of Ray 2.60, without a cluster: tests determine the outcome of jobs. */
export interface RayJobsApi {
  readonly address: string;
  readonly submissions: readonly Submission[];
  /** No server listens before this call. */
  listen(): Promise<void>;
  close(): Promise<void>;
}

export interface RayJobsApiOptions {
  /** Ray's response to the nth submission, starting from 1. */
  readonly submitted?: (submission: Submission, number: number) => Promise<Answer | undefined>;
  readonly shown?: (id: string) => Answer;
}

const JOBS = '/api/jobs/';
export const SUCCEEDED: Answer = {
  status: 200,
  body: { status: 'SUCCEEDED', message: 'Job finished successfully.', error_type: null },
};

export async function createRayJobsApi({
  submitted,
  shown = () => SUCCEEDED,
}: RayJobsApiOptions): Promise<RayJobsApi> {
  const port = await freePort();
  const submissions: Submission[] = [];
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const { method, url = '' } = request;
    const body = await text(request);
    if (method === 'POST' && url === JOBS) {
      const submission = JSON.parse(body) as Submission;
      submissions.push(submission);
      const { submission_id: id } = submission;
      const accepted = { status: 200, body: { job_id: id, submission_id: id } };
      return (await submitted?.(submission, submissions.length)) ?? accepted;
    }
    if (url.endsWith('/stop')) return { status: 200, body: { stopped: true } };
    if (url.endsWith('/logs')) return { status: 200, body: { logs: '' } };
    return shown(url.slice(JOBS.length));
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answerTo(request);
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  return {
    address: `http://127.0.0.1:${port}`,
    submissions,
    async listen() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}
