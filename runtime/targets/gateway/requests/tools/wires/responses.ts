import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { pushAll } from '#core/values/push-all.ts';
import { eventText } from '../../../providers/streams/stream.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { approvalItem } from './approvals.ts';
import {
  callItem,
  eventData,
  isServerTool,
  itemId,
  listIn,
  objectsIn,
  openAiFunction,
  serverOf,
  sumUsage,
  textIn,
} from './members.ts';
import { clientCallsIn, itemsWithoutTools, listId } from './response-items.ts';
import { withRememberedItems } from './remembered-items.ts';
import { laterChoice, withAllowedFunctions } from './tool-choices.ts';
import type { Composer, ComposerParts, NamedTool, RoundCalls, Stop, ToolWire } from './wire.ts';

/** OpenAI's Responses API, whose own MCP tools have the same items and events. */
export const responsesTools: ToolWire = {
  functionNames: ({ tools }) =>
    objectsIn(tools).flatMap(({ name, tools: inNamespace }) =>
      [name, ...objectsIn(inNamespace).map((tool) => tool['name'])].flatMap((one) => textIn(one) ?? []),
    ),
  read({ tools }) {
    const listed = listIn(tools);
    return { servers: listed.filter(isServerTool).map(serverOf), hasSearch: listed.some(isSearch) };
  },
  withTools(body, { tools, kept, search }) {
    const own = listIn(body['tools']).filter(
      (tool) => (!isServerTool(tool) || kept.has(tool)) && !(search && isSearch(tool)),
    );
    const added = tools.map((tool) => ({ type: 'function', ...openAiFunction(tool), strict: false }));
    const { tool_choice: choice } = body;
    const found = isServerTool(choice)
      ? tools.find(({ label, tool }) => label === choice['server_label'] && tool === choice['name'])
      : undefined;
    const allowed = withAllowedFunctions(choice, tools, kept, chosenFunction);
    const isReplaced = isServerTool(choice) || (search && isSearch(choice));
    return {
      ...body,
      tools: [...own, ...added],
      ...(isReplaced && { tool_choice: found ? chosenFunction(found.name) : 'required' }),
      ...(allowed && { tool_choice: allowed }),
    };
  },
  withHistory(body, names, recall) {
    const { input } = body;
    const restored = withRememberedItems(listIn(input), names, recall);
    if (!objectsIn(restored).some(({ type }) => MCP_ITEMS.has(type)))
      return restored === input || restored.length === 0 ? body : { ...body, input: restored };
    return { ...body, input: itemsWithoutTools(restored, names) };
  },
  turnsOf: ({ input }) => (typeof input === 'string' ? [{ role: 'user', content: input }] : listIn(input)),
  next(body, { response, steps, isRequired }) {
    const { tool_choice: choice } = body;
    return {
      ...body,
      ...(choice !== undefined && { tool_choice: laterChoice(choice, isRequired) }),
      input: [
        ...responsesTools.turnsOf(body),
        ...listIn(response['output']),
        ...steps.map(({ id, output }) => ({ type: 'function_call_output', call_id: id, output })),
      ],
    };
  },
  compose: composeResponses,
};

const chosenFunction = (name: string): Json => ({ type: 'function', name });

const isSearch = (tool: unknown): boolean =>
  isObject(tool) && typeof tool['type'] === 'string' && /^web_search(?:_|$)/.test(tool['type']);

const MCP_ITEMS = new Set<unknown>(['mcp_list_tools', 'mcp_call', 'mcp_approval_request', 'item_reference']);

/** Events that contain the whole response, and how the response has ended. */
const LAST_EVENTS = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

function composeResponses({ names, request, listed }: ComposerParts): Composer {
  const output: Json[] = listItems(request, listed);
  let first: Json | undefined;
  let last: Json = {};
  let usage: unknown;
  let sequence = 0;
  let hasListed = false;
  let failed = false;
  /** Positions of this round's items in the client's response; undefined for calls that the gateway runs. */
  let positions = new Map<unknown, number | undefined>();
  let end: { readonly type: string; readonly response: Json } | undefined;
  let done: unknown[] = [];
  let nextIndex = output.length;
  let rounds = 0;

  const send = (type: string, data: Json): string =>
    eventText({ ...data, type, sequence_number: sequence++ }, type);
  // A function in a namespace is the client's, even if its name is that of a tool.
  const toolOf = ({ type, name, namespace }: Json): NamedTool | undefined =>
    type === 'function_call' && typeof namespace !== 'string'
      ? names.byFunction.get(String(name))
      : undefined;
  /** The response as the client sees it: with the client's own tools, and one ID for all rounds. */
  const view = (response: Json): Json => ({
    ...response,
    ...(first?.['id'] !== undefined && { id: first['id'] }),
    ...(response['tools'] !== undefined && { tools: request['tools'] ?? [] }),
    ...(response['tool_choice'] !== undefined && { tool_choice: request['tool_choice'] ?? 'auto' }),
  });
  const take = (response: Json): RoundCalls => {
    rounds += 1;
    first ??= response;
    last = response;
    usage = sumUsage(usage, response['usage']);
    const items = objectsIn(response['output']);
    pushAll(
      output,
      items.filter((item) => !toolOf(item)),
    );
    return {
      calls: items.filter(toolOf).map((item) => ({
        id: String(item['call_id']),
        name: String(item['name']),
        args: textIn(item['arguments']) ?? '',
      })),
      ownCalls: clientCallsIn(items.filter((item) => !toolOf(item))),
    };
  };
  const final = (stop: Stop | undefined): Json => ({
    ...view(last),
    output,
    ...(usage !== undefined && { usage }),
    ...(stop && { status: 'incomplete', incomplete_details: { reason: stop.reason, message: stop.message } }),
  });
  /** The events of an item that is complete. */
  const whole = (item: Json): string => {
    const at = nextIndex++;
    return (
      send('response.output_item.added', { output_index: at, item }) +
      send('response.output_item.done', { output_index: at, item })
    );
  };
  const listEvents = (): string => {
    if (hasListed) return '';
    hasListed = true;
    return objectsIn(output)
      .map((item, at) => {
        const place = { output_index: at, item_id: item['id'] };
        const isList = item['type'] === 'mcp_list_tools';
        const started = isList ? { ...item, tools: [] } : { ...item, output: null, status: 'in_progress' };
        const name = isList ? 'mcp_list_tools' : 'mcp_call';
        const result = item['error'] === null ? 'completed' : 'failed';
        return (
          send('response.output_item.added', { output_index: at, item: started }) +
          send(`response.${name}.in_progress`, place) +
          send(`response.${name}.${result}`, place) +
          send('response.output_item.done', { output_index: at, item })
        );
      })
      .join('');
  };
  const callPositions = new Map<string, number>();

  return {
    whole: take,
    event(name, data) {
      const event = eventData(data);
      if (event === undefined) return '';
      const type = textIn(event['type']) ?? name ?? '';
      const response = membersOf(event['response']);
      if (LAST_EVENTS.has(type)) {
        end = { type, response };
        return '';
      }
      if (type === 'error') {
        failed = true;
        return send(type, event);
      }
      if (isObject(event['response'])) {
        if (first !== undefined) return '';
        const sent = send(type, { ...event, response: view(response) });
        return type === 'response.in_progress' ? sent + listEvents() : sent;
      }
      const before = listEvents();
      const { output_index: given } = event;
      if (given === undefined) return before + send(type, event);
      if (type === 'response.output_item.added') {
        const isRun = toolOf(membersOf(event['item'])) !== undefined;
        positions.set(given, isRun ? undefined : nextIndex++);
      }
      if (type === 'response.output_item.done') done.push(event['item']);
      const at = positions.get(given);
      return at === undefined ? before : before + send(type, { ...event, output_index: at });
    },
    endOfRound() {
      const ended = end;
      const items = done;
      end = undefined;
      done = [];
      positions = new Map();
      if (failed || !ended) return undefined;
      const listedOutput = listIn(ended.response['output']);
      const response = { ...ended.response, output: listedOutput.length > 0 ? listedOutput : items };
      return { ...take(response), response };
    },
    starting(calls) {
      return calls
        .filter(({ tool }) => !tool.isHidden)
        .map(({ call, tool }) => {
          const at = nextIndex++;
          callPositions.set(call.id, at);
          const item = {
            ...callItem({ ...call, tool, output: '', isError: false }, rounds),
            arguments: '',
            output: null,
            status: 'in_progress',
          };
          const place = { output_index: at, item_id: itemId(rounds, call.id) };
          return (
            send('response.output_item.added', { output_index: at, item }) +
            send('response.mcp_call_arguments.delta', { ...place, delta: call.args }) +
            send('response.mcp_call_arguments.done', { ...place, arguments: call.args }) +
            send('response.mcp_call.in_progress', place)
          );
        })
        .join('');
    },
    ended(steps) {
      return steps
        .filter(({ tool }) => !tool.isHidden)
        .map((step) => {
          const item: Json = {
            ...callItem(step, rounds),
            status: step.isError ? 'failed' : 'completed',
          };
          output.push(item);
          const at = callPositions.get(step.id);
          if (at === undefined && first === undefined) {
            nextIndex = output.length;
            return '';
          }
          if (at === undefined) return whole(item);
          const place = { output_index: at, item_id: item['id'] };
          return (
            send(`response.mcp_call.${step.isError ? 'failed' : 'completed'}`, place) +
            send('response.output_item.done', { output_index: at, item })
          );
        })
        .join('');
    },
    approvals(requests) {
      return requests
        .map((one) => {
          const item = approvalItem(one);
          output.push(item);
          return whole(item);
        })
        .join('');
    },
    finish(stop) {
      if (failed) return '';
      const type = stop ? 'response.incomplete' : typeOf(last);
      return send(type, { response: final(stop) });
    },
    finishWhole: final,
  };
}

/** The last event of a stream whose response has this status. */
const typeOf = ({ status }: Json): string =>
  status === 'incomplete' || status === 'failed' ? `response.${status}` : 'response.completed';

/** The tools of each server, unless the request already contains them. */
function listItems(request: Json, listed: ComposerParts['listed']): Json[] {
  const known = new Set(
    objectsIn(request['input'])
      .filter(({ type }) => type === 'mcp_list_tools')
      .map(({ server_label: label }) => label),
  );
  return [...listed]
    .filter(([label]) => !known.has(label))
    .map(([label, tools]) => ({
      type: 'mcp_list_tools',
      id: listId(label),
      server_label: label,
      tools: tools.map(({ tool, description, parameters }) => ({
        name: tool,
        description: description ?? null,
        input_schema: parameters,
        annotations: null,
      })),
      error: null,
    }));
}
