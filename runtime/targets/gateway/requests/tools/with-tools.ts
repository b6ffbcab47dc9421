import { isDeepStrictEqual } from 'node:util';
import { AppError, inputError } from '#contract/errors.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { lookup } from '#core/values/lookup.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Json, Wire } from '../../providers/shapes/chat.ts';
import type { ToolSettings } from '../../shared/tool-settings.ts';
import type { CompletionRequest, Completions } from '../completions/completion.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import type { Telemetry } from '../completions/telemetry.ts';
import { createRequestReader } from '../completions/read-request.ts';
import type { CurrentModels } from '../models/model-set.ts';
import type { Policy } from '../policy/policy.ts';
import { createAdmitApproved } from './admit-approved.ts';
import type { McpTool } from './mcp-client.ts';
import {
  chooseServers,
  planTools,
  requireChosen,
  requireUser,
  searchServer,
  toolUserOf,
  type ToolUser,
} from './plan-tools.ts';
import { bytesOf, runToolLoop } from './tool-loop.ts';
import type { ToolMemory } from './tool-memory.ts';
import { createToolServers, type ToolServers } from './tool-servers.ts';
import type { UserTokens } from './user-tokens.ts';
import { chatTools } from './wires/chat.ts';
import { geminiTools, GIVEN_SIGNATURE } from './wires/gemini.ts';
import { messagesTools } from './wires/messages.ts';
import { responsesTools } from './wires/responses.ts';
import { listIn } from './wires/members.ts';
import type { ToolNames, ToolWire } from './wires/wire.ts';

interface ToolParts {
  readonly completions: Completions;
  readonly models: CurrentModels;
  readonly policy: Pick<Policy, 'screen'>;
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'objects'>;
  readonly memory: ToolMemory;
  readonly userTokens: UserTokens;
  readonly telemetry: Pick<Telemetry, 'toolCalled'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly version: string;
}

/** Answers requests with tools that the gateway runs. */
export interface ToolRequests {
  answer(request: CompletionRequest, settings: ToolSettings): ReturnType<Completions['answer']>;
  close(): Promise<void>;
}

const WIRES = lookup<{ readonly name: Wire; readonly wire: ToolWire }>({
  '/v1/chat/completions': { name: 'chat', wire: chatTools },
  '/v1/messages': { name: 'messages', wire: messagesTools },
  '/v1/responses': { name: 'responses', wire: responsesTools },
  '/v1beta/models/{model}:generateContent': { name: 'gemini', wire: geminiTools },
  '/v1beta/models/{model}:streamGenerateContent': { name: 'gemini', wire: geminiTools },
});

export function createToolRequests(parts: ToolParts): ToolRequests {
  const { completions, models, memory, userTokens, telemetry, clock, log, version } = parts;
  const { objects } = parts.state;
  const read = createRequestReader();
  const admit = createAdmitApproved(parts);
  let current: { readonly settings: ToolSettings; readonly servers: ToolServers } | undefined;

  /** The connections for the current settings. Those for earlier settings are closed later, for calls in flight. */
  const serversFor = (settings: ToolSettings): ToolServers => {
    if (current?.settings === settings) return current.servers;
    // A reload creates new settings, which are often the same.
    const before = current?.servers;
    if (before && isDeepStrictEqual(before.settings, settings)) {
      current = { settings, servers: before };
      return before;
    }
    if (before) clock.after(settings.maxMs, () => void before.close());
    const servers = createToolServers(settings, { clock, version, userTokens });
    current = { settings, servers };
    return servers;
  };

  /** Whether no provider that can respond has its own search in this API. */
  const lacksSearch = (model: string, wire: Wire, { webSearch }: ToolSettings): boolean => {
    const held = models.hold();
    try {
      const { targets } = held.set.router.resolve(model);
      return targets.some(({ key, provider }) =>
        webSearch?.models ? matchesAny(webSearch.models, key) : provider.speaks?.(wire) !== true,
      );
    } catch {
      // The request itself reports the unknown model.
      return false;
    } finally {
      held.release();
    }
  };

  /** Looks up only what the request refers to, because the memory can be in another thread. */
  const withHistory = async (body: Json, wire: ToolWire, names: ToolNames, owner: string): Promise<Json> => {
    const ids = new Set<string>();
    const plain = wire.withHistory(body, names, (id) => {
      ids.add(id);
      return undefined;
    });
    if (ids.size === 0) return plain;
    const asked = [...ids];
    const found = await memory.find(owner, asked);
    const known = new Map(
      found.flatMap((kept, at) => {
        const turns = kept && { calls: kept.calls, turns: listIn(parseLossless(kept.turns)) };
        return turns ? [[asked[at] ?? '', turns] as const] : [];
      }),
    );
    return known.size === 0 ? plain : wire.withHistory(body, names, (id) => known.get(id));
  };

  return {
    async answer(request, settings) {
      const { endpoint, caller, signal } = request;
      const found = WIRES[endpoint];
      if (!found) return await completions.answer(request);
      const user = toolUserOf(caller, undefined);
      if (user.defaults.length === 0 && !mentionsTools(request.bytes, settings))
        return await completions.answer(request);
      const { wire } = found;
      const rules = ENDPOINTS[endpoint];
      const { body: written, model } = await read(request, rules.schema, request.inPath);
      const requested = wire.read(written);
      const chosen = chooseServers(requested.servers, settings, user);
      const search =
        requested.hasSearch && settings.webSearch && lacksSearch(model, found.name, settings)
          ? searchServer(settings, user)
          : undefined;
      const servers = serversFor(settings);
      const { userId } = user.isMaster ? toolUserOf(caller, rules.user(written, caller)) : user;
      const asUser = { ...user, userId };
      requireUser([...chosen.run.map(({ server }) => server), ...(search ? [search.server] : [])], asUser);
      const [listed, searched] = await Promise.all([
        Promise.all(
          chosen.run.map(async (one) => ({
            ...one,
            tools: await servers.list(one.server, asUser.userId, signal),
          })),
        ),
        search && searchTool(servers, search, asUser, signal),
      ]);
      const removed = { kept: chosen.kept, search: searched !== undefined };
      const plan = planTools(
        wire,
        wire.withTools(written, { ...removed, tools: [] }),
        listed,
        searched,
        settings,
      );
      requireChosen(written['tool_choice'], plan, settings);
      const owner = JSON.stringify([found.name, user.isMaster, userId]);
      const body = await withHistory(await continued(written, objects), found.wire, plan.names, owner);
      const isRun = listed.length > 0 || searched !== undefined;
      if (!isRun && body === written) return await completions.answer(request);
      if (!isRun) return await completions.answer({ ...request, bytes: bytesOf(body, request) });
      requireSingle(written);
      const { byLabel: offered, names, tools } = plan;
      const labels = new Set(listed.filter(({ isHidden }) => !isHidden).map(({ server }) => server.label));
      return await runToolLoop({
        completions,
        original: request,
        request: written,
        body: wire.withTools(body, { ...removed, tools }),
        wire,
        names,
        listed: new Map([...offered].filter(([label]) => labels.has(label))),
        servers,
        userId: asUser.userId,
        admit: (args) => admit({ request, body: written, model, args }),
        telemetry,
        clock,
        log,
        onEnd: async (first, last) => await noteContinuation(objects, first, last),
        onOwnCalls: async ({ calls, turns }) =>
          await memory.keep(owner, { calls, turns: JSON.stringify(turns) }),
      });
    },
    async close() {
      await current?.servers.close();
    },
  };
}

/**
 * Whether a body can contain something for the gateway to run. Other requests are not read here. Escapes of the
 * letters are read as well, so that a client cannot hide a server from the check of its label.
 */
function mentionsTools(bytes: Uint8Array, { webSearch }: ToolSettings): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return MENTIONS.some((word) => text.includes(word)) || (webSearch !== undefined && text.includes('earch'));
}

const MENTIONS = ['mcp', 'previous_response_id', GIVEN_SIGNATURE, '\\u006', '\\u007', '\\u004', '\\u005'];

async function searchTool(
  servers: ToolServers,
  { server, tool }: NonNullable<ReturnType<typeof searchServer>>,
  { userId }: ToolUser,
  signal: AbortSignal,
): Promise<{ readonly server: typeof server; readonly tool: McpTool }> {
  const found = (await servers.list(server, userId, signal)).find(({ name }) => name === tool);
  if (found) return { server, tool: found };
  throw new AppError(
    'UpstreamError',
    `MCP server '${server.label}' has no tool '${tool}', which \`tools.web_search\` refers to.`,
    { reason: 'mcp_server_unavailable' },
  );
}

/** Throws for requests whose responses cannot be continued with the results of tools. */
function requireSingle(body: Json): void {
  const config = membersOf(body['generationConfig'] ?? body['generation_config']);
  const counts = [body['n'], config['candidateCount'], config['candidate_count']];
  if (counts.some((count) => typeof count === 'number' && count > 1))
    throw inputError('A request with MCP servers can have only one choice. Remove `n` or `candidateCount`.');
  if (body['background'] === true)
    throw new AppError(
      'NotImplementedError',
      'Tools of MCP servers do not run in background responses. Remove `background`.',
    );
}

type ToolObjects = Pick<ToolParts['state']['objects'], 'find' | 'update'>;

/** Name of the member with the ID of the response that continues a stored one. */
const CONTINUED = 'gateway_continued_by';

/**
 * Clients know a response by the ID of its first round. The provider stores each round, so requests that continue
 * the response refer to the last one. Whether the caller owns it is checked like for any other ID.
 */
async function continued(body: Json, objects: ToolObjects): Promise<Json> {
  const { previous_response_id: id } = body;
  if (typeof id !== 'string') return body;
  const last = (await objects.find('response', id))?.content[CONTINUED];
  return typeof last === 'string' ? { ...body, previous_response_id: last } : body;
}

async function noteContinuation(objects: ToolObjects, first: string, last: string): Promise<void> {
  const object = await objects.find('response', first);
  if (object) await objects.update(object, { ...object.content, [CONTINUED]: last });
}
