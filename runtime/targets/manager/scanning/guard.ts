import { AppError } from '#contract/errors.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { DEFAULT_SCAN, type ScanPolicy } from '../config/tool-policy.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type PeerInfo, type Requester, RpcFailure } from '../upstream/connection.ts';
import type { Classify } from './classify.ts';
import { ScannedDefinitions } from './definitions.ts';
import { type Finding, SCAN_RULES, type ScanRule } from './finding.ts';
import type { Releases } from './releases.ts';
import { type ReportParts, type ReportedFinding, rulesOf, type ScannedKind, ScanReports } from './reports.ts';
import { scanValue } from './scan-value.ts';

/** A server whose texts are scanned. */
export interface ScannedServer {
  readonly name: string;
  spec(): ServerSpec;
}

/** A request to a server, for the texts that belong to it. */
export interface ScannedRequest {
  readonly server: ScannedServer;
  readonly method: string;
  /** The tool, prompt or resource. */
  readonly name: string;
  /** Receives the rules that found something in the result. */
  readonly onFindings?: ((rules: readonly ScanRule[]) => void) | undefined;
}

interface GuardParts extends ReportParts {
  readonly releases: Releases;
  readonly classify?: Classify | undefined;
}

type Params = ShapeOfParams;

/**
 * The one place through which the texts of servers reach clients: lists, results, errors, progress, notifications, requests to clients, and the
 * server's own description.
 */
export class ScanGuard {
  readonly #definitions: ScannedDefinitions;
  readonly #reports: ScanReports;
  readonly #classify: Classify | undefined;

  constructor({ releases, classify, ...parts }: GuardParts) {
    this.#reports = new ScanReports(parts);
    this.#classify = classify;
    this.#definitions = new ScannedDefinitions({ reports: this.#reports, releases, classify });
  }

  /** Scans a list if necessary, and returns the items that clients get. */
  async items(
    server: ScannedServer,
    list: ListName,
    items: readonly Params[],
    { isWhole }: { readonly isWhole: boolean },
  ): Promise<readonly Params[]> {
    const known = this.knownItems(server, list, items, { isWhole });
    if (known) return known;
    const spec = server.spec();
    await this.#definitions.scan(spec, policyOf(spec).definitions, list, items);
    return this.knownItems(server, list, items, { isWhole }) ?? [];
  }

  /** Returns the items that clients get; undefined if the list must be scanned first. */
  knownItems(
    server: ScannedServer,
    list: ListName,
    items: readonly Params[],
    { isWhole }: { readonly isWhole: boolean },
  ): readonly Params[] | undefined {
    const spec = server.spec();
    return this.#definitions.visible({ spec, action: policyOf(spec).definitions, list, items, isWhole });
  }

  /** Rejects the use of an item that clients do not get. */
  requireVisible({ name: server }: ScannedServer, list: ListName, name: string): void {
    const item = this.#definitions.withheld(server, list, name);
    if (!item) return;
    const wayOut =
      item.outcome === 'held'
        ? `Review it with \`mcp-manager findings ${server}\`, then release it with \`mcp-manager release ${server} ${name}\`.`
        : `See \`mcp-manager findings ${server}\`.`;
    throw new AppError(
      'ForbiddenError',
      `${NOUNS[list]} ${item.outcome}: ${server}/${name}: its definition contains ${SCAN_RULES[item.rule]}. ${wayOut}`,
    );
  }

  /** Whether results of a server are scanned. */
  scansResults(server: ScannedServer): boolean {
    return policyOf(server.spec()).results !== 'off';
  }

  /** Returns a result, or what clients get instead of it. */
  async result(request: ScannedRequest, result: Params): Promise<Params> {
    const text = await this.#check(request, 'result', result);
    if (text === undefined) return result;
    if (request.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true };
    throw new AppError('UpstreamError', text);
  }

  /** Returns the error of a request, or what clients get instead of it. */
  async error(request: ScannedRequest, error: unknown): Promise<unknown> {
    if (!(error instanceof RpcFailure)) return error;
    const text = await this.#check(request, 'error', { message: error.message, data: error.data });
    return text === undefined ? error : new RpcFailure(error.code, text);
  }

  /** Returns a client that only gets the server's requests in which nothing was found. */
  requester(request: ScannedRequest, requester: Requester): Requester {
    return {
      ...requester,
      request: async (method, params, signal) => {
        const text = await this.#check({ ...request, name: method }, 'request', params);
        if (text !== undefined) throw new RpcError(RPC_CODE.invalidRequest, text);
        return await requester.request(method, params, signal);
      },
    };
  }

  /** Forwards progress and notifications in which nothing was found, in their order. */
  forward(request: ScannedRequest, params: Params | undefined, forward: () => void): void {
    void this.#forward(request, params, forward);
  }

  /** Returns what clients get of the server's own description. */
  async peer(server: ScannedServer, peer: PeerInfo): Promise<PeerInfo> {
    const { definitions } = policyOf(server.spec());
    if (definitions === 'off') return peer;
    const { title, instructions } = peer;
    const found = await scanValue({ title, instructions }, 'definition');
    const isWithheld = definitions === 'block' || definitions === 'quarantine';
    const outcome = isWithheld ? 'blocked' : 'reported';
    const common = { server: server.name, kind: 'instructions', name: '', outcome } as const;
    this.#reports.replace(
      server.name,
      'instructions',
      found.map((finding) => ({ ...common, ...finding })),
    );
    if (found.length === 0 || !isWithheld) return peer;
    const { title: _title, instructions: _instructions, ...rest } = peer;
    return rest;
  }

  findings(server: string): readonly ReportedFinding[] {
    return this.#reports.of(server);
  }

  /** Returns the findings in the current definitions of a server, which its health contains. */
  definitionFindings(server: string): readonly ReportedFinding[] {
    return this.#reports.definitionsOf(server);
  }

  /** Releases a held item. Returns whether it was held. */
  release(server: string, list: ListName, name: string): Promise<boolean> {
    return this.#definitions.release(server, list, name);
  }

  /** Reads the releases again. Returns the servers whose lists can have changed. */
  refresh(): Promise<readonly string[]> {
    return this.#definitions.refresh();
  }

  /** Drops everything about servers that were removed. */
  keep(servers: readonly string[]): void {
    for (const server of this.#reports.servers()) {
      if (servers.includes(server)) continue;
      this.#reports.forget(server);
      this.#definitions.forget(server);
    }
  }

  async #forward(request: ScannedRequest, params: Params | undefined, forward: () => void): Promise<void> {
    if ((await this.#check(request, 'notification', params)) === undefined) forward();
  }

  /** Scans a message, and reports what was found. Returns the sentence that replaces it; undefined if clients get it. */
  async #check(
    { server, name, onFindings }: ScannedRequest,
    kind: ScannedKind,
    value: unknown,
  ): Promise<string | undefined> {
    const { results } = policyOf(server.spec());
    if (results === 'off') return undefined;
    const scanned = scanValue(value, 'content');
    let found: readonly Finding[] = scanned instanceof Promise ? await scanned : scanned;
    if (found.length === 0 && this.#classify) found = await this.#classify(value);
    const [first] = found;
    if (!first) return undefined;
    // A result can contain texts of others, such as a web page, so that holding the tool would let them disable it.
    const outcome = results === 'warn' ? 'reported' : 'blocked';
    this.#reports.add(
      server.name,
      found.map((finding) => ({ server: server.name, kind, name, outcome, ...finding })),
    );
    onFindings?.(rulesOf(found));
    if (outcome === 'reported') return undefined;
    return `mcp-manager withheld this ${kind} of ${server.name}/${name}: it contains ${SCAN_RULES[first.rule]} (${first.rule}).`;
  }
}

const policyOf = ({ scan }: ServerSpec): ScanPolicy => scan ?? DEFAULT_SCAN;

const NOUNS: Readonly<Record<ListName, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};
