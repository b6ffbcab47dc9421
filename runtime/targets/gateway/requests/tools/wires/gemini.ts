import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { pushAll } from '#core/values/push-all.ts';
import { eventText } from '../../../providers/streams/stream.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import {
  argumentsOf,
  callItem,
  eventData,
  isServerTool,
  listIn,
  objectsIn,
  serverOf,
  sumUsage,
  textIn,
} from './members.ts';
import type { Composer, ComposerParts, FunctionCall, RequestedServer, Stop, ToolWire } from './wire.ts';

// Google accepts two spellings of each name.
const DECLARATIONS = ['functionDeclarations', 'function_declarations'];
const SERVERS = ['mcpServers', 'mcp_servers'];
const SEARCHES = ['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval'];
const CONFIGS = ['toolConfig', 'tool_config'];
const CALLINGS = ['functionCallingConfig', 'function_calling_config'];

/** Gemini's API. Calls are in `mcpCalls` of a candidate, which clients of this API ignore. */
export const geminiTools: ToolWire = {
  carriesResults: false,
  functionNames: ({ tools }) =>
    objectsIn(tools).flatMap((tool) =>
      DECLARATIONS.flatMap((member) => objectsIn(tool[member]).flatMap(({ name }) => textIn(name) ?? [])),
    ),
  read: ({ tools }) => ({
    servers: objectsIn(tools).flatMap((tool) =>
      isServerTool(tool)
        ? [serverOf(tool)]
        : SERVERS.flatMap((member) => objectsIn(tool[member]).map(connectorServer)),
    ),
    hasSearch: objectsIn(tools).some((tool) => SEARCHES.some((name) => name in tool)),
  }),
  withTools(body, { tools, kept, search }) {
    const own = listIn(body['tools']).flatMap((tool) => {
      if (!isObject(tool)) return [tool];
      if (isServerTool(tool)) return kept.has(tool) ? [tool] : [];
      const left = Object.entries(tool).flatMap(([name, value]) => {
        if (search && SEARCHES.includes(name)) return [];
        if (!SERVERS.includes(name)) return [[name, value] as const];
        const servers = listIn(value).filter((server) => kept.has(server));
        return servers.length === 0 ? [] : [[name, servers] as const];
      });
      return left.length === 0 ? [] : [Object.fromEntries(left)];
    });
    const functionDeclarations = tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      parametersJsonSchema: parameters,
    }));
    return { ...body, tools: [...own, ...(tools.length > 0 ? [{ functionDeclarations }] : [])] };
  },
  withHistory: (body) => body,
  allowsCalls: (body) => modeOf(body) !== 'NONE',
  next(body, { response, steps }) {
    const { content } = membersOf(listIn(response['candidates'])[0]);
    const parts = steps.map(({ id, name, output, isError }) => ({
      functionResponse: {
        ...(!id.startsWith(NO_ID) && { id }),
        name,
        response: isError ? { error: output } : { output },
      },
    }));
    return {
      ...withoutForcedCalls(body),
      contents: [
        ...contentsOf(body['contents']),
        { role: 'model', ...membersOf(content) },
        { role: 'user', parts },
      ],
    };
  },
  compose: composeGemini,
};

/** Begins the IDs of calls that the model did not give one. */
const NO_ID = 'call-';

const contentsOf = (contents: unknown): readonly unknown[] =>
  Array.isArray(contents) ? (contents as readonly unknown[]) : [contents];

function connectorServer(server: Json): RequestedServer {
  const transport = membersOf(server['streamableHttpTransport'] ?? server['streamable_http_transport']);
  return {
    label: textIn(server['name']),
    url: textIn(transport['url']),
    allowedTools: undefined,
    approval: undefined,
    written: server,
  };
}

function modeOf(body: Json): string {
  const configs = CONFIGS.flatMap((name) => CALLINGS.map((calling) => membersOf(body[name])[calling]));
  return (textIn(membersOf(configs.find(isObject))['mode']) ?? '').toUpperCase();
}

function withoutForcedCalls(body: Json): Json {
  if (modeOf(body) !== 'ANY') return body;
  return { ...body, toolConfig: { functionCallingConfig: { mode: 'AUTO' } }, tool_config: undefined };
}

function composeGemini({ names }: ComposerParts): Composer {
  const items: Json[] = [];
  let rounds = 0;
  const shown: unknown[] = [];
  let first: Json | undefined;
  let last: Json = {};
  let usage: unknown;
  let round: Json[] = [];
  let failed = false;
  let ids = 0;
  const isRun = (part: unknown): boolean =>
    names.byFunction.has(String(membersOf(membersOf(part)['functionCall'])['name']));

  const take = (response: Json): { calls: FunctionCall[]; hasOwnCalls: boolean } => {
    rounds += 1;
    first ??= response;
    last = response;
    usage = sumUsage(usage, response['usageMetadata']);
    const parts = partsOf(response);
    pushAll(
      shown,
      parts.filter((part) => !isRun(part)),
    );
    const called = parts.filter((part) => isObject(part['functionCall']));
    return {
      calls: called.filter(isRun).map((part) => {
        const { id, name, args } = membersOf(part['functionCall']);
        return {
          id: textIn(id) ?? `${NO_ID}${(ids += 1)}`,
          name: String(name),
          args: JSON.stringify(args ?? {}),
        };
      }),
      hasOwnCalls: called.some((part) => !isRun(part)),
    };
  };
  const ending = (stop: Stop | undefined): Json => ({
    finishReason: stop ? 'TOO_MANY_TOOL_CALLS' : candidateOf(last)['finishReason'],
    ...(stop && { finishMessage: stop.message }),
    ...(items.length > 0 && { mcpCalls: items }),
  });

  return {
    whole: take,
    event(_name, data) {
      const event = eventData(data);
      if (event === undefined) return '';
      if (event['error'] !== undefined) {
        failed = true;
        return eventText(event);
      }
      round.push(event);
      const parts = partsOf(event).filter((part) => !isRun(part));
      if (parts.length === 0) return '';
      const { usageMetadata: _usage, ...rest } = event;
      const { finishReason: _reason, ...candidate } = candidateOf(event);
      const content = { ...membersOf(candidate['content']), parts };
      return eventText({
        ...rest,
        ...(first?.['responseId'] !== undefined && { responseId: first['responseId'] }),
        candidates: [{ ...candidate, content }],
      });
    },
    endOfRound() {
      const chunks = round;
      round = [];
      const end = chunks.findLast((chunk) => candidateOf(chunk)['finishReason'] !== undefined);
      if (failed || !end) return undefined;
      const counted = chunks.findLast((chunk) => chunk['usageMetadata'] !== undefined);
      const parts = chunks.flatMap(partsOf);
      const response = {
        ...end,
        ...(counted && { usageMetadata: counted['usageMetadata'] }),
        candidates: [{ ...candidateOf(end), content: { role: 'model', parts } }],
      };
      return { ...take(response), response };
    },
    starting: () => '',
    ended(steps) {
      for (const step of steps) {
        const { arguments: args, ...item } = callItem(step, rounds);
        items.push({ ...item, arguments: argumentsOf(String(args)) });
      }
      return '';
    },
    finish(stop) {
      if (failed) return '';
      const { candidates: _candidates, ...rest } = last;
      return eventText({
        ...rest,
        ...(first?.['responseId'] !== undefined && { responseId: first['responseId'] }),
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, ...ending(stop) }],
        ...(usage !== undefined && { usageMetadata: usage }),
      });
    },
    finishWhole: (stop) => ({
      ...last,
      ...(first?.['responseId'] !== undefined && { responseId: first['responseId'] }),
      candidates: [{ ...candidateOf(last), content: { role: 'model', parts: shown }, ...ending(stop) }],
      ...(usage !== undefined && { usageMetadata: usage }),
    }),
  };
}

const candidateOf = (response: Json): Json => membersOf(listIn(response['candidates'])[0]);

const partsOf = (response: Json): readonly Json[] =>
  objectsIn(membersOf(candidateOf(response)['content'])['parts']);
