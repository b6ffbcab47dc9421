import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { eventText } from '../../../providers/streams/stream.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import {
  argumentsOf,
  eventData,
  isServerTool,
  listIn,
  objectsIn,
  recalledBy,
  serverOf,
  sumUsage,
  textIn,
} from './members.ts';
import type {
  Composer,
  ComposerParts,
  NamedTool,
  OwnCall,
  RequestedServer,
  RoundCalls,
  Step,
  Stop,
  ToolNames,
  ToolWire,
} from './wire.ts';

/** Prefix of the IDs of calls that the gateway runs, as in Anthropic's API. */
const ID_PREFIX = 'mcptoolu_';

const TOOLSET = 'mcp_toolset';

/** Anthropic's Messages API, with the blocks of Anthropic's MCP connector. */
export const messagesTools: ToolWire = {
  functionNames: ({ tools }) => objectsIn(tools).flatMap(({ name }) => textIn(name) ?? []),
  read(body) {
    const tools = listIn(body['tools']);
    return {
      servers: [
        ...objectsIn(body['mcp_servers']).map((server) => connectorServer(server, objectsIn(tools))),
        ...tools.filter(isServerTool).map(serverOf),
      ],
      hasSearch: tools.some(isSearch),
    };
  },
  withTools(body, { tools, kept, search }) {
    const { mcp_servers: servers, ...rest } = body;
    const left = listIn(servers).filter((server) => kept.has(server));
    const names = new Set(objectsIn(left).map(({ name }) => name));
    const own = listIn(body['tools']).filter(
      (tool) =>
        (!isServerTool(tool) || kept.has(tool)) &&
        (!isToolset(tool) || names.has(tool['mcp_server_name'])) &&
        !(search && isSearch(tool)),
    );
    const added = tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: parameters,
    }));
    const { tool_choice: choice } = body;
    const found = isServerTool(choice)
      ? tools.find(({ label, tool }) => label === choice['server_label'] && tool === choice['name'])
      : undefined;
    return {
      ...rest,
      ...(left.length > 0 && { mcp_servers: left }),
      tools: [...own, ...added],
      ...(isServerTool(choice) && {
        tool_choice: found ? { type: 'tool', name: found.name } : { type: 'any' },
      }),
    };
  },
  withHistory(body, names, recall) {
    const messages = listIn(body['messages']);
    const turns = messages.map((message) => {
      const blocks = objectsIn(membersOf(message)['content']);
      const own = blocks.filter(isOwnBlock);
      const paired = pairedIn(own);
      const isComplete = own.length > 0 && own.every((block) => paired.has(ownIdOf(block)));
      const recalled = isComplete ? undefined : recalledBy(clientCallsIn(blocks), recall);
      return recalled ?? (own.length > 0 ? historyOf(message, names, paired) : undefined);
    });
    if (turns.every((one) => one === undefined)) return body;
    return { ...body, messages: withPairedResults(messages.flatMap((one, at) => turns[at] ?? [one])) };
  },
  turnsOf: ({ messages }) => listIn(messages),
  next(body, { response, steps, isRequired }) {
    const { tool_choice: choice, ...rest } = body;
    const { type, disable_parallel_tool_use: isSingle } = membersOf(choice);
    const isKept = type === 'none' || (isRequired && type === 'any');
    return {
      ...rest,
      ...(isKept
        ? { tool_choice: choice }
        : isSingle !== undefined && {
            tool_choice: { type: 'auto', disable_parallel_tool_use: isSingle },
          }),
      messages: [
        ...listIn(body['messages']),
        { role: 'assistant', content: response['content'] },
        ...(steps.length > 0 ? [{ role: 'user', content: steps.map(resultBlock) }] : []),
      ],
    };
  },
  compose: composeMessages,
};

const isSearch = (tool: unknown): boolean =>
  isObject(tool) && typeof tool['type'] === 'string' && tool['type'].startsWith('web_search_');

const isToolset = (tool: unknown): tool is Json => isObject(tool) && tool['type'] === TOOLSET;

/** A server in `mcp_servers`. Its tools are selected there, or by an `mcp_toolset`. */
function connectorServer(server: Json, tools: readonly Json[]): RequestedServer {
  const { name, url, tool_configuration: configuration } = server;
  const toolset = tools.find((tool) => isToolset(tool) && tool['mcp_server_name'] === name);
  const { allowed_tools: allowed, enabled } = membersOf(configuration);
  const isListed = Array.isArray(allowed);
  return {
    label: textIn(name),
    url: textIn(url),
    allowedTools:
      enabled === false
        ? []
        : isListed
          ? allowed.filter((one) => typeof one === 'string')
          : toolset && enabledTools(toolset),
    approval: undefined,
    written: server,
  };
}

/** The tools that a toolset enables; undefined for all. */
function enabledTools({ default_config: defaults, configs }: Json): readonly string[] | undefined {
  if (membersOf(defaults)['enabled'] !== false) return undefined;
  return Object.entries(membersOf(configs))
    .filter(([, config]) => membersOf(config)['enabled'] === true)
    .map(([name]) => name);
}

const isOwnBlock = ({ type, id, tool_use_id: of }: Json): boolean =>
  (type === 'mcp_tool_use' && String(id).startsWith(ID_PREFIX)) ||
  (type === 'mcp_tool_result' && String(of).startsWith(ID_PREFIX));

const plainId = (id: unknown): string => String(id).slice(ID_PREFIX.length);

const ownIdOf = ({ type, id, tool_use_id: of }: Json): string => String(type === 'mcp_tool_use' ? id : of);

/** IDs of calls that are present with their results. Some clients send back only one of the blocks. */
function pairedIn(own: readonly Json[]): ReadonlySet<string> {
  const idsOf = (type: string): string[] => own.filter((block) => block['type'] === type).map(ownIdOf);
  return new Set(idsOf('mcp_tool_use')).intersection(new Set(idsOf('mcp_tool_result')));
}

const clientCallsIn = (blocks: readonly Json[]): readonly OwnCall[] =>
  blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => ({ id: String(id) }));

/** Splits an earlier response into the messages that the model received while the calls ran. */
function historyOf(message: unknown, names: ToolNames, paired: ReadonlySet<string>): unknown[] {
  const { role, content } = membersOf(message);
  const blocks = objectsIn(content).filter((block) => !isOwnBlock(block) || paired.has(ownIdOf(block)));
  const messages: Json[] = [];
  let said: Json[] = [];
  let results: Json[] = [];
  const flush = (): void => {
    if (said.length > 0) messages.push({ role, content: said });
    if (results.length > 0) messages.push({ role: 'user', content: results });
    [said, results] = [[], []];
  };
  for (const block of blocks) {
    if (isOwnBlock(block) && block['type'] === 'mcp_tool_result') {
      results.push({
        type: 'tool_result',
        tool_use_id: plainId(block['tool_use_id']),
        content: block['content'],
        ...(block['is_error'] === true && { is_error: true }),
      });
      continue;
    }
    if (results.length > 0) flush();
    said.push(
      isOwnBlock(block)
        ? {
            type: 'tool_use',
            id: plainId(block['id']),
            name: names.functionOf(String(block['server_name']), String(block['name'])),
            input: block['input'] ?? {},
          }
        : block,
    );
  }
  flush();
  return messages;
}

/** Adds results to the client's results of the same turn, because all results must be in one message. */
function withPairedResults(messages: readonly unknown[]): unknown[] {
  const merged: Json[] = [];
  for (const message of messages.map(membersOf)) {
    const before = merged.at(-1);
    const isResult = (one: Json | undefined): boolean =>
      one?.['role'] === 'user' && objectsIn(one['content']).some(({ type }) => type === 'tool_result');
    if (before && isResult(before) && message['role'] === 'user') {
      const { content } = message;
      const added = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content);
      merged[merged.length - 1] = { ...before, content: [...listIn(before['content']), ...added] };
    } else merged.push(message);
  }
  return merged;
}

const resultBlock = ({ id, output, isError }: Step): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content: output,
  ...(isError && { is_error: true }),
});

const useBlock = (id: unknown, tool: NamedTool, input: unknown): Json => ({
  type: 'mcp_tool_use',
  id: ID_PREFIX + String(id),
  name: tool.tool,
  server_name: tool.label,
  input,
});

const shownResult = ({ id, output, isError }: Step): Json => ({
  type: 'mcp_tool_result',
  tool_use_id: ID_PREFIX + id,
  is_error: isError,
  content: [{ type: 'text', text: output }],
});

/** As Anthropic's API ends a response whose server tools have reached a limit. The client can continue it. */
const PAUSED = 'pause_turn';
/** For clients that do not know of the calls: they would continue without the results. */
const CUT_OFF = 'max_tokens';

function composeMessages({ names }: ComposerParts): Composer {
  const content: unknown[] = [];
  let first: Json | undefined;
  let last: Json = {};
  let usage: unknown;
  let round = openRound();
  /** Index of the next block that the client receives. */
  let index = 0;
  let failed = false;
  const toolOf = ({ type, name }: Json): NamedTool | undefined =>
    type === 'tool_use' ? names.byFunction.get(String(name)) : undefined;

  const take = (response: Json): RoundCalls => {
    first ??= response;
    last = response;
    usage = sumUsage(usage, response['usage']);
    const blocks = objectsIn(response['content']);
    for (const block of blocks) {
      const tool = toolOf(block);
      if (tool?.isHidden !== true)
        content.push(tool ? useBlock(block['id'], tool, block['input'] ?? {}) : block);
    }
    return {
      calls: blocks
        .filter((block) => toolOf(block) !== undefined)
        .map(({ id, name, input }) => ({
          id: String(id),
          name: String(name),
          args: JSON.stringify(input ?? {}),
        })),
      ownCalls: clientCallsIn(blocks.filter((block) => !toolOf(block))),
    };
  };
  const send = (data: Json): string => eventText(data, String(data['type']));
  const sendBlock = (event: Json): string => {
    const shown = round.shownIndex(event['index']);
    return shown === undefined ? '' : send({ ...event, index: shown });
  };
  const hidesAll = [...names.byFunction.values()].every(({ isHidden }) => isHidden);
  const stopOf = (stop: Stop | undefined): unknown =>
    stop ? (hidesAll ? CUT_OFF : PAUSED) : last['stop_reason'];

  return {
    whole: take,
    event(name, data) {
      const event = eventData(data);
      if (event === undefined) return '';
      switch (textIn(event['type']) ?? name ?? '') {
        case 'message_start':
          round.begin(membersOf(event['message']));
          return first === undefined ? send(event) : '';
        case 'content_block_start': {
          const block = membersOf(event['content_block']);
          const tool = toolOf(block);
          round.open(event['index'], block, tool?.isHidden === true ? undefined : index++);
          return sendBlock({ ...event, content_block: tool ? useBlock(block['id'], tool, {}) : block });
        }
        case 'content_block_delta':
          round.add(event['index'], membersOf(event['delta']));
          return sendBlock(event);
        case 'content_block_stop':
          return sendBlock(event);
        case 'message_delta':
          round.end(membersOf(event['delta']), event['usage']);
          return '';
        case 'message_stop':
          return '';
        case 'error':
          failed = true;
          return send(event);
        default:
          return send(event);
      }
    },
    endOfRound() {
      const response = failed ? undefined : round.response();
      round = openRound();
      return response && { ...take(response), response };
    },
    starting: () => '',
    ended(steps) {
      let events = '';
      for (const step of steps) {
        if (step.tool.isHidden) continue;
        const block = shownResult(step);
        content.push(block);
        events += send({ type: 'content_block_start', index, content_block: block });
        events += send({ type: 'content_block_stop', index });
        index += 1;
      }
      return events;
    },
    finish(stop) {
      if (failed) return '';
      const delta = {
        stop_reason: stopOf(stop),
        stop_sequence: last['stop_sequence'] ?? null,
        ...(stop && { mcp_stop: stop }),
      };
      return send({ type: 'message_delta', delta, usage }) + send({ type: 'message_stop' });
    },
    finishWhole: (stop) => ({
      ...last,
      ...(first?.['id'] !== undefined && { id: first['id'] }),
      content,
      stop_reason: stopOf(stop),
      ...(stop && { mcp_stop: stop }),
      ...(usage !== undefined && { usage }),
    }),
  };
}

/** The response of a round, collected from its events. */
interface Round {
  begin(message: Json): void;
  open(index: unknown, block: Json, shown: number | undefined): void;
  add(index: unknown, delta: Json): void;
  end(delta: Json, usage: unknown): void;
  /** The block's index for the client; undefined for a hidden block. */
  readonly shownIndex: (index: unknown) => number | undefined;
  response(): Json | undefined;
}

/** The members of a block that deltas extend. */
const EXTENDED = [
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
] as const;

function openRound(): Round {
  let message: Json = {};
  let usage: unknown;
  let end: Json | undefined;
  const blocks = new Map<
    unknown,
    { block: Record<string, unknown>; json: string; shown: number | undefined }
  >();
  return {
    begin(started) {
      message = started;
      usage = started['usage'];
    },
    open: (index, block, shown) => void blocks.set(index, { block: { ...block }, json: '', shown }),
    add(index, delta) {
      const known = blocks.get(index);
      if (!known) return;
      const { block } = known;
      const { type } = delta;
      if (type === 'input_json_delta') known.json += textIn(delta['partial_json']) ?? '';
      const [, member] = EXTENDED.find(([kind]) => kind === type) ?? [];
      if (member !== undefined) block[member] = (textIn(block[member]) ?? '') + (textIn(delta[member]) ?? '');
      if (type === 'citations_delta') block['citations'] = [...listIn(block['citations']), delta['citation']];
    },
    end(delta, counted) {
      end = delta;
      usage = isObject(usage) && isObject(counted) ? { ...usage, ...counted } : (counted ?? usage);
    },
    shownIndex: (index) => blocks.get(index)?.shown,
    response() {
      if (end === undefined) return undefined;
      const content = [...blocks.values()].map(({ block, json }) =>
        json === '' ? block : { ...block, input: argumentsOf(json) },
      );
      return { ...message, ...end, content, ...(usage !== undefined && { usage }) };
    },
  };
}
