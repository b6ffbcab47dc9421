import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterAll } from 'vitest';
import { z } from 'zod';
import { createSettings } from './tool-settings.ts';
import type { ToolServer, ToolSettings } from '#gateway/shared/tool-settings.ts';
import type { ModelsConfig } from '#gateway/requests/models/models-config.ts';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { type RunningTestGateway, priced, runGateway } from '../completions/running-gateway.ts';

/** What the model of the fixture has counted. */
interface Book {
  readonly answers: number;
  readonly refused: readonly string[];
  readonly prompt: number;
  readonly completion: number;
  readonly tools: readonly string[];
  readonly repeated: number;
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

/** A model behind the APIs of four providers, which is as strict as they are and counts tokens. */
interface StrictModel {
  readonly url: string;
  book(model: string): Promise<Book>;
}

export async function startStrictModel(): Promise<StrictModel> {
  const child = spawn(process.execPath, [join(FIXTURES, 'providers', 'agents.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, KEEP_REQUESTS: '1' },
  });
  afterAll(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    book: async (model) => (await (await fetch(`${url}/books?model=${model}`)).json()) as Book,
  };
}

/** A real MCP server over HTTP, with sessions. */
interface DeskServer {
  readonly url: string;
  /** The calls so far, as `tool argument`. */
  readonly calls: string[];
  /** Headers of the requests so far. */
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Forgets all sessions, like a server that was restarted. */
  forget(): void;
}

/** The tools that the model of the fixture knows: it reads twice, edits and stamps the notes. */
export async function startDesk(fixedPort = 0, hasSeal = false): Promise<DeskServer> {
  const calls: string[] = [];
  const headers: Readonly<Record<string, unknown>>[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new McpServer({ name: 'desk', version: '1.0.0' });
    const path = { path: z.string() };
    const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
    server.registerTool('read_file', { description: 'Reads a file.', inputSchema: path }, (args) => {
      calls.push(`read_file ${args.path}`);
      return text('The colour is red.');
    });
    server.registerTool('edit_file', { description: 'Edits a file.', inputSchema: path }, (args) => {
      calls.push(`edit_file ${args.path}`);
      return { ...text('The file is read-only.'), isError: true };
    });
    server.registerTool('stamp', { description: 'Stamps the notes.', inputSchema: path }, (args) => {
      calls.push(`stamp ${args.path}`);
      return text('stamped '.repeat(10));
    });
    if (hasSeal)
      server.registerTool('seal', { description: 'Seals the notes.', inputSchema: {} }, () => {
        calls.push('seal');
        return text('The notes have a seal.');
      });
    server.registerTool('view', { description: 'Waits.', inputSchema: {} }, async (_args, { signal }) => {
      calls.push('view');
      await sleep(60_000, undefined, { signal }).catch(() => calls.push('view canceled'));
      return text('waited');
    });
    await server.connect(transport);
    return transport;
  };
  const listener = createServer((request, response) => {
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (typeof id === 'string' && !known) {
      response.writeHead(404).end();
      return;
    }
    void (async () => {
      await (known ?? (await open())).handleRequest(request, response);
    })();
  });
  listener.listen(fixedPort, '127.0.0.1');
  await once(listener, 'listening');
  afterAll(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    headers,
    forget: () => sessions.clear(),
  };
}

interface ToolGateway {
  readonly model: StrictModel;
  readonly desk: DeskServer;
  readonly gateway: RunningTestGateway;
  /** A new user with a key. */
  readonly someone: (
    fields?: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly userId: string; readonly secret: string }>;
}

interface ToolGatewayOptions {
  /** Whether the server has a tool that the model calls together with others. */
  readonly hasSeal?: boolean;
  readonly server?: Partial<ToolServer>;
  readonly tools?: Partial<ToolSettings>;
  readonly models?: Partial<ModelsConfig>;
  /** Further providers. */
  readonly providers?: ModelsConfig['providers'];
}

/** A gateway in front of the model, with one MCP server that has the label `desk`. */
export async function startToolGateway({
  hasSeal = false,
  server = {},
  tools = {},
  models = {},
  providers = [],
}: ToolGatewayOptions = {}): Promise<ToolGateway> {
  const [model, desk] = await Promise.all([startStrictModel(), startDesk(0, hasSeal)]);
  const provider = (name: 'openai' | 'anthropic' | 'gemini', path: string) =>
    ({
      name,
      type: name,
      baseUrl: `${model.url}${path}`,
      apiKey: 'the-key-of-the-provider',
      local: true,
      ...(name === 'openai' && { dialect: { hasResponses: true } }),
    }) as const;
  const gateway = await runGateway({
    models: {
      providers: [provider('openai', '/v1'), provider('anthropic', ''), provider('gemini', ''), ...providers],
      pricing: ['openai', 'anthropic', 'gemini'].flatMap((name) =>
        MODELS.map((id) => priced(`${name}:${id}`, 10, 30)),
      ),
      routing: { retry: { ...RETRY_POLICY, retries: 0 } },
      tools: createSettings({ desk: { url: desk.url, ...server } }, tools),
      ...models,
    },
  });
  afterAll(() => gateway.stop());
  let users = 0;
  return {
    model,
    desk,
    gateway,
    async someone(fields = {}) {
      const userId = `user-${(users += 1)}`;
      await gateway.user(userId);
      return { userId, secret: await gateway.key({ user_id: userId, ...fields }) };
    },
  };
}

/** Models whose books the tests compare; each test has its own. */
const MODELS = Array.from({ length: 40 }, (_, at) => `model-${at}`);
