import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentOf, HubRepository } from './hub-repository.ts';
import { type Fault, sendContent, sendFault, sendStatus } from './hub-responses.ts';

/** A request received by the server. `host` is `hub`, or `cdn` for the host to which large files are redirected. */
export interface HubRequest {
  readonly host: 'hub' | 'cdn';
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
}

/** Changes the response to matching requests, `times` times. */
interface PlannedFault {
  readonly match: RegExp;
  readonly fault: Fault;
  times: number;
}

/**
 * A local hub with the API, redirects, headers and errors of huggingface.co. Large files use another host name: `localhost` instead of
 * `127.0.0.1`, with another port.
 */
export class HubServer {
  readonly requests: HubRequest[] = [];
  readonly #repositories = new Map<string, HubRepository>();
  readonly #renamed = new Map<string, string>();
  /** Tokens, and the private or gated repositories that they can access. */
  readonly #tokens = new Map<string, readonly string[]>();
  readonly #faults: PlannedFault[] = [];
  readonly #hub: Server;
  readonly #cdn: Server;
  /** Number of files per page of a list. */
  pageSize = 1000;
  /** Whether ETags are weak, as if a proxy had changed the response. */
  weakEtags = false;

  constructor() {
    this.#hub = createServer((request, response) => this.#receive('hub', request, response));
    this.#cdn = createServer((request, response) => this.#receive('cdn', request, response));
  }

  static async start(): Promise<HubServer> {
    const server = new HubServer();
    for (const one of [server.#hub, server.#cdn]) {
      one.listen(0);
      await once(one, 'listening');
    }
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${portOf(this.#hub)}`;
  }

  get port(): number {
    return portOf(this.#hub);
  }

  add(id: string, repository: HubRepository): HubRepository {
    this.#repositories.set(id, repository);
    return repository;
  }

  rename(from: string, to: string): void {
    this.#renamed.set(from, to);
  }

  addToken(token: string, ...repositories: string[]): void {
    this.#tokens.set(token, repositories);
  }

  /** Sets a fault for requests whose `METHOD host path` matches. */
  plan(match: RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ match, fault, times });
  }

  paths(host: 'hub' | 'cdn' = 'hub'): string[] {
    return this.requests.filter((request) => request.host === host).map(({ path }) => path);
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  #receive(host: 'hub' | 'cdn', request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/' } = request;
    const { authorization, range } = request.headers;
    this.requests.push({ host, method, path, authorization, range });
    const planned = this.#faults.find((one) => one.times > 0 && one.match.test(`${method} ${host} ${path}`));
    if (planned) planned.times -= 1;
    const fault = planned?.fault ?? {};
    if (sendFault(response, fault)) return;
    if (host === 'cdn') this.#answerCdn(request, response, fault);
    else this.#answer(request, response, fault);
  }

  #answerCdn(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const [, hash = ''] = /^\/blobs\/([0-9a-f]{64})\?/.exec(request.url ?? '') ?? [];
    const files = [...this.#repositories.values()].flatMap((repository) => repository.files());
    const file = files.find(({ sha256 }) => sha256 === hash);
    if (file) sendContent(request, response, contentOf(file), fault);
    else sendStatus(response, 403);
  }

  #answer(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const url = new URL(request.url ?? '/', this.endpoint);
    const route = routeOf(url.pathname);
    if (!route) return sendStatus(response, 404);
    const token = request.headers.authorization?.replace(/^Bearer /, '');
    if (token !== undefined && !this.#tokens.has(token)) {
      return sendStatus(response, 401, { 'x-error-message': 'Invalid credentials in Authorization header' });
    }
    const target = this.#renamed.get(route.id);
    if (target !== undefined) {
      const location = `${url.pathname.replace(route.id, target)}${url.search}`;
      return sendStatus(response, 307, { location });
    }
    const repository = this.#repositories.get(route.id);
    const canRead = token !== undefined && this.#tokens.get(token)?.includes(route.id);
    if (!repository || (repository.access === 'private' && !canRead)) {
      const headers = { 'x-error-code': 'RepoNotFound', 'x-error-message': 'Repository not found' };
      return sendStatus(response, token === undefined ? 401 : 404, headers);
    }
    if (repository.access === 'disabled') {
      return sendStatus(response, 403, { 'x-error-message': 'Access to this resource is disabled.' });
    }
    const commit = repository.resolve(route.revision);
    if (commit === undefined) return sendStatus(response, 404, { 'x-error-code': 'RevisionNotFound' });
    if (route.kind === 'revision') return sendJson(response, describe(route.id, repository, commit));
    if (route.kind === 'tree') return this.#sendTree(url, response, repository, commit);
    if (repository.access === 'gated' && !canRead) {
      return sendStatus(response, token === undefined ? 401 : 403, { 'x-error-code': 'GatedRepo' });
    }
    const file = repository.files(commit).find(({ path }) => path === route.path);
    const headers = { 'x-repo-commit': commit };
    if (!file) return sendStatus(response, 404, { ...headers, 'x-error-code': 'EntryNotFound' });
    if (file.sha256 !== undefined) {
      return sendStatus(response, 302, {
        ...headers,
        location: `http://localhost:${portOf(this.#cdn)}/blobs/${file.sha256}?signature=1`,
        etag: `"${file.oid}"`,
        'x-linked-etag': `"${file.sha256}"`,
        'x-linked-size': String(file.content.length),
      });
    }
    const etag = `${this.weakEtags ? 'W/' : ''}"${file.oid}"`;
    if (route.kind === 'resolve') {
      const location = `/api/resolve-cache/models/${route.id}/${commit}/${encodeURI(file.path)}`;
      const linked = { 'x-linked-etag': etag, 'x-linked-size': String(file.content.length) };
      return sendStatus(response, 307, { ...headers, ...linked, location });
    }
    sendContent(request, response, contentOf(file), fault, { ...headers, etag });
  }

  #sendTree(url: URL, response: ServerResponse, repository: HubRepository, commit: string): void {
    const entries = repository.tree(commit);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const next = from + this.pageSize;
    const more = new URL(url);
    more.searchParams.set('cursor', String(next));
    const link: Record<string, string> = next < entries.length ? { link: `<${more.href}>; rel="next"` } : {};
    sendJson(response, entries.slice(from, next), link);
  }
}

interface Route {
  readonly kind: 'revision' | 'tree' | 'resolve' | 'cached';
  readonly id: string;
  readonly revision: string;
  readonly path: string;
}

const ROUTES: readonly (readonly [Route['kind'], RegExp])[] = [
  ['revision', /^\/api\/models\/(.+?)\/revision\/([^/]+)$/],
  ['tree', /^\/api\/models\/(.+?)\/tree\/([^/]+)\/?$/],
  ['cached', /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/],
  ['resolve', /^\/([^/]+(?:\/[^/]+)?)\/resolve\/([^/]+)\/(.+)$/],
  ['revision', /^\/api\/models\/([^/]+\/[^/]+)$/],
];

function routeOf(path: string): Route | undefined {
  for (const [kind, pattern] of ROUTES) {
    const [matched, id = '', revision = 'main', file = ''] = pattern.exec(path) ?? [];
    if (matched === undefined) continue;
    return { kind, id, revision: decodeURIComponent(revision), path: decodeURIComponent(file) };
  }
  return undefined;
}

const describe = (id: string, repository: HubRepository, sha: string): Record<string, unknown> => ({
  _id: '000000000000000000000000',
  id,
  modelId: id,
  private: repository.access === 'private',
  gated: repository.access === 'gated' ? 'manual' : false,
  disabled: false,
  sha,
  tags: [],
  downloads: 0,
  likes: 0,
  siblings: repository.files(sha).map(({ path }) => ({ rfilename: path })),
});

function sendJson(response: ServerResponse, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
