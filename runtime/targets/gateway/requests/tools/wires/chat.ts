import { isObject } from '#core/json/is-object.ts';
import { pushAll } from '#core/values/push-all.ts';
import { memberOf } from '#core/values/member-of.ts';
import { membersOf } from '#core/json/members-of.ts';
import { DONE_TEXT, eventText } from '../../../providers/streams/stream.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import {
  callItem,
  eventData,
  isServerTool,
  listIn,
  objectsIn,
  openAiFunction,
  recalledBy,
  roundsOf,
  serverOf,
  sumUsage,
  textIn,
} from './members.ts';
import { laterChoice, withAllowedFunctions } from './tool-choices.ts';
import type {
  Composer,
  ComposerParts,
  NamedTool,
  OwnCall,
  RoundCalls,
  Step,
  Stop,
  ToolNames,
  ToolWire,
} from './wire.ts';

/** Between the texts of two rounds. */
const BREAK = '\n\n';

/** OpenAI's Chat Completions API. Calls are in `mcp_calls`, which clients of this API ignore. */
export const chatTools: ToolWire = {
  functionNames: ({ tools }) =>
    objectsIn(tools).flatMap((tool) => textIn(memberOf(tool['function'] ?? tool['custom'], 'name')) ?? []),
  read: ({ tools, web_search_options: search }) => ({
    servers: listIn(tools).filter(isServerTool).map(serverOf),
    hasSearch: isObject(search),
  }),
  withTools(body, { tools, kept, search }) {
    const { web_search_options: options, ...rest } = body;
    const own = listIn(body['tools']).filter((tool) => !isServerTool(tool) || kept.has(tool));
    const added = tools.map((tool) => ({ type: 'function', function: openAiFunction(tool) }));
    return {
      ...(search || options === undefined ? rest : body),
      tools: [...own, ...added],
      ...chosen(body['tool_choice'], tools, kept),
    };
  },
  withHistory(body, names, recall) {
    const messages = listIn(body['messages']);
    const turns = messages.map((message) =>
      isObject(message) && Array.isArray(message['mcp_calls'])
        ? historyOf(message, names)
        : recalledBy(clientCallsIn(message), recall),
    );
    if (turns.every((one) => one === undefined)) return body;
    return { ...body, messages: messages.flatMap((message, at) => turns[at] ?? [message]) };
  },
  turnsOf: ({ messages }) => listIn(messages),
  next(body, { response, steps, isRequired }) {
    const { choices } = response;
    const message = membersOf(membersOf(listIn(choices)[0])['message']);
    const { mcp_calls: _calls, ...own } = message;
    return {
      ...body,
      ...(body['tool_choice'] !== undefined && {
        tool_choice: laterChoice(body['tool_choice'], isRequired),
      }),
      messages: [...listIn(body['messages']), own, ...steps.map(resultMessage)],
    };
  },
  compose: composeChat,
};

/** A server as the tool choice means that a function must be called. */
const chosen = (choice: unknown, tools: readonly NamedTool[], kept: ReadonlySet<unknown>): Json => {
  const allowed = withAllowedFunctions(choice, tools, kept, chosenFunction);
  if (allowed) return { tool_choice: allowed };
  if (!isServerTool(choice)) return {};
  const found = tools.find(({ label, tool }) => label === choice['server_label'] && tool === choice['name']);
  return { tool_choice: found ? chosenFunction(found.name) : 'required' };
};

const chosenFunction = (name: string): Json => ({ type: 'function', function: { name } });

const resultMessage = ({ id, output }: Pick<Step, 'id' | 'output'>): Json => ({
  role: 'tool',
  tool_call_id: id,
  content: output,
});

/** A client that sends a message back as it received it also sends the calls and their results. */
function historyOf(message: Json, names: ToolNames): unknown[] {
  const { mcp_calls: calls, mcp_stop: _stop, ...own } = message;
  const turns = roundsOf(objectsIn(calls)).flatMap((round) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: round.map(({ id, label, tool, args }) => ({
        id,
        type: 'function',
        function: { name: names.functionOf(label, tool), arguments: args },
      })),
    },
    ...round.map(resultMessage),
  ]);
  return [...turns, own];
}

const clientCallsIn = (message: unknown): readonly OwnCall[] =>
  objectsIn(membersOf(message)['tool_calls']).map(({ id }) => ({ id: String(id) }));

function composeChat({ names, request }: ComposerParts): Composer {
  const items: Json[] = [];
  let rounds = 0;
  const texts: string[] = [];
  let first: Json | undefined;
  let usage: unknown;
  let last: Json = {};
  let round = openRound(names);
  let ownCalls: readonly Json[] = [];
  let hasText = false;
  let template: Json = {};
  let failed = false;

  const take = (response: Json): RoundCalls => {
    rounds += 1;
    first ??= response;
    last = response;
    usage = sumUsage(usage, response['usage']);
    const message = membersOf(membersOf(listIn(response['choices'])[0])['message']);
    const all = objectsIn(message['tool_calls']);
    const isRun = (call: Json): boolean => names.byFunction.has(nameOf(call));
    ownCalls = all.filter((call) => !isRun(call));
    const { content } = message;
    if (typeof content === 'string' && content !== '') texts.push(content);
    return {
      calls: all.filter(isRun).map((call) => ({
        id: String(call['id']),
        name: nameOf(call),
        args: textIn(memberOf(call['function'], 'arguments')) ?? '',
      })),
      ownCalls: clientCallsIn({ tool_calls: ownCalls }),
    };
  };
  const chunk = (delta: Json, finish: unknown = null, logprobs?: unknown): string => {
    const more = logprobs === undefined ? {} : { logprobs };
    return eventText({ ...template, choices: [{ index: 0, delta, ...more, finish_reason: finish }] });
  };

  return {
    whole: take,
    event(_name, data) {
      const value = eventData(data);
      if (value === undefined) return '';
      if (value['error'] !== undefined) {
        failed = true;
        return eventText(value);
      }
      if (first === undefined && Object.keys(template).length === 0) {
        const { choices: _choices, usage: _usage, ...rest } = value;
        template = rest;
      }
      const delta = round.push(value);
      if (!delta) return '';
      const { role, content, ...rest } = delta;
      const isNew = first === undefined;
      const isText = typeof content === 'string' && content !== '';
      const text = isText && !isNew && hasText && !round.hasText() ? BREAK + content : content;
      if (isText) {
        round.noteText();
        hasText = true;
      }
      const sent = {
        ...(role !== undefined && isNew && { role }),
        ...(content !== undefined && (isText || isNew) && { content: text }),
        ...rest,
      };
      const { logprobs } = membersOf(listIn(value['choices'])[0]);
      return Object.keys(sent).length === 0 ? '' : chunk(sent, null, logprobs);
    },
    endOfRound() {
      const response = failed ? undefined : round.response();
      round = openRound(names);
      return response && { ...take(response), response };
    },
    starting: () => '',
    ended(steps) {
      const from = items.length;
      const added = steps.map((step) => callItem(step, rounds));
      pushAll(items, added);
      if (added.length === 0) return '';
      // Clients that merge lists in deltas need the index.
      return chunk({ mcp_calls: added.map((item, at) => ({ index: from + at, ...item })) });
    },
    finish(stop) {
      if (failed) return DONE_TEXT;
      const includesUsage = memberOf(request['stream_options'], 'include_usage') === true;
      const end = chunk(stop ? { mcp_stop: stop } : {}, finishOf(last, stop));
      const counted = includesUsage && usage ? eventText({ ...template, choices: [], usage }) : '';
      return end + counted + DONE_TEXT;
    },
    finishWhole(stop) {
      const [choice] = listIn(last['choices']);
      const { tool_calls: _calls, ...message } = membersOf(membersOf(choice)['message']);
      return {
        ...last,
        ...(first?.['id'] !== undefined && { id: first['id'] }),
        choices: [
          {
            ...membersOf(choice),
            message: {
              ...message,
              ...(texts.length > 0 && { content: texts.join(BREAK) }),
              ...(ownCalls.length > 0 && { tool_calls: ownCalls }),
              ...(items.length > 0 && { mcp_calls: items }),
              ...(stop && { mcp_stop: stop }),
            },
            finish_reason: finishOf(last, stop),
          },
        ],
        ...(usage !== undefined && { usage }),
      };
    },
  };
}

/** A response that a limit ended is incomplete, for which this API has the word `length`. */
const finishOf = (response: Json, stop: Stop | undefined): unknown =>
  stop ? 'length' : membersOf(listIn(response['choices'])[0])['finish_reason'];

const nameOf = (call: Json): string => textIn(memberOf(call['function'], 'name')) ?? '';

/** The response of a round, collected from its chunks. */
interface Round {
  /** Takes a chunk; returns the part of its delta that the client receives. */
  push(chunk: Json): Json | undefined;
  response(): Json | undefined;
  readonly hasText: () => boolean;
  readonly noteText: () => void;
}

function openRound({ byFunction }: ToolNames): Round {
  const message: Record<string, unknown> = {};
  const calls = new Map<
    number,
    { call: Record<string, unknown>; args: string; name: string; shown: number }
  >();
  let shown = 0;
  let finish: unknown;
  let base: Json = {};
  let usage: unknown;
  let hasText = false;

  /** Takes parts of calls; returns those of the client's functions, with their own indexes. */
  const takeCalls = (parts: readonly Json[]): Json[] =>
    parts.flatMap((part) => {
      const index = typeof part['index'] === 'number' ? part['index'] : calls.size;
      const { name, arguments: args } = membersOf(part['function']);
      let known = calls.get(index);
      if (!known) {
        known = { call: { ...part, index: undefined }, args: '', name: '', shown: -1 };
        calls.set(index, known);
      }
      if (known.name === '' && typeof name === 'string') {
        known.name = name;
        if (!byFunction.has(name)) known.shown = shown++;
      }
      if (typeof part['id'] === 'string') known.call['id'] = part['id'];
      if (typeof args === 'string') known.args += args;
      return known.shown === -1 ? [] : [{ ...part, index: known.shown }];
    });

  return {
    push(chunk) {
      if (chunk['usage'] !== undefined && chunk['usage'] !== null) usage = chunk['usage'];
      const { choices, ...rest } = chunk;
      const choice = membersOf(listIn(choices)[0]);
      if (Object.keys(base).length === 0) base = rest;
      if (choice['finish_reason'] !== undefined && choice['finish_reason'] !== null)
        finish = choice['finish_reason'];
      if (!isObject(choice['delta'])) return undefined;
      const { tool_calls: parts, ...delta } = choice['delta'];
      for (const [name, value] of Object.entries(delta)) {
        const before = message[name];
        const isText = typeof value === 'string' && typeof before === 'string' && name !== 'role';
        const isList = Array.isArray(value) && Array.isArray(before);
        message[name] = isText ? before + value : isList ? [...before, ...value] : (value ?? before);
      }
      const own = takeCalls(objectsIn(parts));
      return { ...delta, ...(own.length > 0 && { tool_calls: own }) };
    },
    response() {
      if (finish === undefined) return undefined;
      const toolCalls = [...calls.values()].map(({ call, name, args }) => ({
        ...call,
        type: 'function',
        function: { name, arguments: args },
      }));
      const { usage: _usage, ...rest } = base;
      return {
        ...rest,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              content: null,
              ...message,
              role: 'assistant',
              ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
            },
            finish_reason: finish,
          },
        ],
        ...(usage !== undefined && { usage }),
      };
    },
    hasText: () => hasText,
    noteText: () => void (hasText = true),
  };
}
