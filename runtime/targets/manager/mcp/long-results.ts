import { Counter, type Registry } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ToolCaller } from '../access/caller.ts';
import { RESOURCE_NOT_FOUND } from '../calls/run-call.ts';
import { createKeptResults, type KeptPart, type ResultOwner } from '../long-results/kept-results.ts';
import { idOfResultUri, limitResult, pageOfText, READ_MORE } from '../long-results/limit-result.ts';
import { jsonSize } from '../shared/json-size.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type McpCall, type Method, optionalObject, requiredParam } from './mcp-call.ts';

/** The limits for the results that clients receive, and the parts that were cut from longer ones. */
export interface LongResults {
  /** The caller's limit in characters of JSON; undefined if its results are not limited. */
  limitOf(caller: ToolCaller): number | undefined;
  /** Shortens a tool's result for the client of a call. */
  limit(call: McpCall, result: ToolResult, source: ResultSource): ToolResult;
  /** Adds the tool and the resources with which limited clients read the rest of a result. */
  extend(methods: ReadonlyMap<string, Method>, endpoint: string | undefined): ReadonlyMap<string, Method>;
  /** Drops what was kept for a session. */
  drop(session: object): void;
}

interface ResultSource {
  /** What the result is from. */
  readonly sources: KeptPart['sources'];
  /** The tool's `outputSchema`; undefined without one. */
  readonly outputSchema?: unknown;
  /** The server in the client's path; undefined for all servers. */
  readonly endpoint: string | undefined;
  /** Whether the client's lists contain the tool. */
  readonly isListed: boolean;
}

interface LongResultsParts {
  readonly clock: Clock;
  readonly metrics: Registry;
  /** The limit of callers without their own; undefined for no limit. */
  readonly resultLimit: number | undefined;
}

const READ_MORE_TOOL = {
  name: READ_MORE,
  title: 'Read more of a result',
  description:
    'Returns the next part of a tool result that was too long. Call it only with the arguments that such a result names.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'ID that the result names.' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'Character to start at.' },
    },
    required: ['id'],
  },
  annotations: {
    title: 'Read more of a result',
    readOnlyHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
};

export function createLongResults({ clock, metrics, resultLimit }: LongResultsParts): LongResults {
  const kept = createKeptResults(clock);
  const shortened = countShortened(metrics);
  const limitOf = ({ resultLimit: own = resultLimit }: ToolCaller): number | undefined =>
    own === 0 ? undefined : own;
  /** Returns a kept part, if its owner can still use what it is from. */
  const read = (call: McpCall, endpoint: string | undefined, id: string): KeptPart | undefined => {
    const part = kept.read(ownerOf(call, endpoint), id);
    const { caller } = call;
    const isAllowed = part?.sources.every(({ server, kind, name }) =>
      kind === 'tool' ? caller.canUse(server, name) : caller.canRead(server, kind, name),
    );
    return isAllowed ? part : undefined;
  };
  const readMore = (call: McpCall, endpoint: string | undefined, limit: number): ShapeOfParams => {
    const args = optionalObject(call.params, 'arguments');
    const { data } = read(call, endpoint, requiredParam(args, 'id')) ?? {};
    if (typeof data !== 'string') throw new RpcError(RPC_CODE.invalidParams, UNKNOWN_ID);
    const offset = offsetIn(args, data.length);
    const { page, next } = pageOfText(data, offset, limit);
    const range = `Characters ${offset} to ${offset + page.length} of ${data.length}.`;
    const more =
      next === undefined
        ? 'This is the end.'
        : `Continue with ${READ_MORE} ${JSON.stringify({ id: args['id'], offset: next })}.`;
    return {
      content: [
        { type: 'text', text: page },
        { type: 'text', text: `[${range} ${more}]` },
      ],
    };
  };

  return {
    limitOf,
    limit(call, result, { sources, outputSchema, endpoint, isListed }) {
      const maxCharacters = limitOf(call.caller);
      if (maxCharacters === undefined) return result;
      const limited = limitResult(result, {
        maxCharacters,
        outputSchema,
        isListed,
        keep: (data) => kept.keep(ownerOf(call, endpoint), { sources, data, size: jsonSize(data) }),
      });
      if (limited !== result) shortened.inc();
      return limited;
    },
    extend(methods, endpoint) {
      const method = (
        name: string,
        own: (call: McpCall, limit: number, next: Method) => ReturnType<Method>,
      ) => {
        const next = methods.get(name);
        return next
          ? ([
              [
                name,
                (call: McpCall) => {
                  const limit = limitOf(call.caller);
                  return limit === undefined ? next(call) : own(call, limit, next);
                },
              ],
            ] as const)
          : [];
      };
      return new Map<string, Method>([
        ...methods,
        ...method('tools/list', async (call, _limit, next) => withReadMore(await next(call), call)),
        ...method('tools/call', (call, limit, next) =>
          call.params['name'] === READ_MORE
            ? Promise.resolve().then(() => readMore(call, endpoint, limit))
            : next(call),
        ),
        ...method('resources/read', async (call, _limit, next) => {
          const uri = requiredParam(call.params, 'uri');
          const id = idOfResultUri(uri);
          if (id === undefined) return await next(call);
          const { data } = read(call, endpoint, id) ?? {};
          if (typeof data === 'object') return { contents: [{ uri, ...data }] };
          throw new RpcError(RESOURCE_NOT_FOUND, `Resource not found: ${UNKNOWN_ID}`, { data: { uri } });
        }),
      ]);
    },
    drop: (session) => kept.drop(session),
  };
}

const SHORTENED = 'mcp_results_shortened_total';

/** Returns the counter, which all endpoints of a manager share. */
function countShortened(metrics: Registry): Pick<Counter, 'inc'> {
  const known = metrics.getSingleMetric(SHORTENED);
  if (known instanceof Counter) return known;
  return new Counter({
    name: SHORTENED,
    help: 'Tool results that were shortened for the limit of a client.',
    registers: [metrics],
  });
}

const UNKNOWN_ID =
  'unknown or expired ID of a result. IDs are valid for ten minutes after their last use, in the session that received them.';

/** Adds the tool to the first page. It takes the place of a server's tool with the same name. */
function withReadMore(listed: ShapeOfParams, { params }: McpCall): ShapeOfParams {
  const { tools } = listed;
  if (params['cursor'] !== undefined || !Array.isArray(tools)) return listed;
  const others = tools.filter((tool) => (tool as ShapeOfParams)['name'] !== READ_MORE);
  return { ...listed, tools: [...others, READ_MORE_TOOL] };
}

function offsetIn(args: ShapeOfParams, length: number): number {
  const offset = args['offset'] ?? 0;
  if (typeof offset === 'number' && Number.isInteger(offset) && offset >= 0 && offset < length) return offset;
  throw new RpcError(
    RPC_CODE.invalidParams,
    `\`offset\` must be a whole number from 0 to ${length - 1}, the length of the text.`,
  );
}

/** Identifies the client: its key and path, and its session if it has one. */
const ownerOf = ({ caller, session }: McpCall, endpoint: string | undefined): ResultOwner => ({
  key: JSON.stringify([caller.name, caller.user, caller.grants]),
  path: JSON.stringify([caller.group, endpoint]),
  session,
});
