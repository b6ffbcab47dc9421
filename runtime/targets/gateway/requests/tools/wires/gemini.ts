import { randomUUID } from 'node:crypto';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { pushAll } from '#core/values/push-all.ts';
import { eventText } from '../../../providers/streams/stream.ts';
import { FOREIGN_SIGNATURE } from '../../../providers/wires/thought-signatures.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import {
  argumentsOf,
  callItem,
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
  Stop,
  ToolWire,
} from './wire.ts';

// Google accepts two spellings of each name.
const DECLARATIONS = ['functionDeclarations', 'function_declarations'];
const SERVERS = ['mcpServers', 'mcp_servers'];
const SEARCHES = ['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval'];
const CONFIGS = ['toolConfig', 'tool_config'];
const CALLINGS = ['functionCallingConfig', 'function_calling_config'];

/** Gemini's API. Calls are in `mcpCalls` of a candidate, which clients of this API ignore. */
export const geminiTools: ToolWire = {
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
    return {
      ...withAllowedHidden(body, tools),
      tools: [...own, ...(tools.length > 0 ? [{ functionDeclarations }] : [])],
    };
  },
  withHistory(body, _names, recall) {
    const contents = contentsOf(body['contents']);
    const turns = contents.map((content) => recalledBy(clientCallsIn(partsIn(content)), recall));
    const isKnown = turns.some((one) => one !== undefined);
    if (!isKnown && !contents.some((content) => partsIn(content).some(hasGiven))) return body;
    const restored = contents.flatMap((content, at) => turns[at] ?? [withoutGiven(content)]);
    return { ...body, contents: isKnown ? withPairedResults(restored) : restored };
  },
  turnsOf: ({ contents }) => contentsOf(contents),
  next(body, { response, steps, isRequired }) {
    const { content } = membersOf(listIn(response['candidates'])[0]);
    const parts = steps.map(({ id, name, output, isError }) => ({
      functionResponse: {
        ...(!id.startsWith(NO_ID) && { id }),
        name,
        response: isError ? { error: output } : { output },
      },
    }));
    return {
      ...(isRequired ? body : withoutForcedCalls(body)),
      contents: [
        ...contentsOf(body['contents']),
        { role: 'model', ...membersOf(content) },
        ...(parts.length > 0 ? [{ role: 'user', parts }] : []),
      ],
    };
  },
  compose: composeGemini,
};

/** Begins the IDs of calls that the model did not give one. */
const NO_ID = 'call-';
/** Begins the IDs that the gateway gives to calls of the client, by which it recognizes them in the next request. */
const GIVEN_ID = 'gateway-call-';
/**
 * Begins the signatures that the gateway gives to calls that follow a call of its own, which has the model's signature.
 * Some agents remove IDs, but all have to return signatures.
 */
export const GIVEN_SIGNATURE = Buffer.from('gateway-call').toString('base64');

const CALLS = ['functionCall', 'functionResponse'] as const;

const partsIn = (content: unknown): readonly Json[] => objectsIn(membersOf(content)['parts']);

const isGiven = (id: unknown): boolean => typeof id === 'string' && id.startsWith(GIVEN_ID);

const isGivenSignature = (signature: unknown): boolean =>
  typeof signature === 'string' && signature.startsWith(GIVEN_SIGNATURE);

const hasGiven = (part: Json): boolean =>
  CALLS.some((name) => isGiven(membersOf(part[name])['id'])) || isGivenSignature(part['thoughtSignature']);

/** A content without what only the gateway knows. */
function withoutGiven(content: unknown): unknown {
  if (!isObject(content) || !partsIn(content).some(hasGiven)) return content;
  const parts = listIn(content['parts']).map((part) => {
    if (!isObject(part) || !hasGiven(part)) return part;
    const calls = CALLS.filter((name) => isGiven(membersOf(part[name])['id'])).map((name) => {
      const { id: _id, ...call } = membersOf(part[name]);
      return [name, call] as const;
    });
    return {
      ...part,
      ...Object.fromEntries(calls),
      // The model's signature belongs to a call that the gateway no longer knows.
      ...(isGivenSignature(part['thoughtSignature']) && { thoughtSignature: FOREIGN_SIGNATURE }),
    };
  });
  return { ...content, parts };
}

const clientCallsIn = (parts: readonly Json[]): readonly OwnCall[] =>
  parts.flatMap(({ functionCall: call, thoughtSignature: signature }) =>
    isObject(call) ? [{ id: textIn(call['id']) ?? '', itemId: textIn(signature) }] : [],
  );

/** Adds the client's results to those of the gateway, because all results of a turn must be in one content. */
function withPairedResults(contents: readonly unknown[]): unknown[] {
  const merged: unknown[] = [];
  for (const content of contents) {
    const before = merged.at(-1);
    const isResult = (one: unknown): boolean =>
      partsIn(one).some((part) => isObject(part['functionResponse']));
    if (isResult(before) && isResult(content)) {
      const parts = [...partsIn(before), ...partsIn(content)];
      merged[merged.length - 1] = { ...membersOf(before), parts };
    } else merged.push(content);
  }
  return merged;
}

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

/** How functions can be called: the mode, and the names of the allowed functions. */
function callingOf(body: Json): { readonly mode: string; readonly names: readonly unknown[] } {
  const configs = CONFIGS.flatMap((name) => CALLINGS.map((calling) => membersOf(body[name])[calling]));
  const config = membersOf(configs.find(isObject));
  return {
    mode: (textIn(config['mode']) ?? '').toUpperCase(),
    names: listIn(config['allowedFunctionNames'] ?? config['allowed_function_names']),
  };
}

const withCalling = (body: Json, functionCallingConfig: Json): Json => ({
  ...body,
  toolConfig: { functionCallingConfig },
  tool_config: undefined,
});

/** A client cannot allow the default tools of the key, because it does not know them. */
function withAllowedHidden(body: Json, tools: readonly NamedTool[]): Json {
  const { mode, names } = callingOf(body);
  const hidden = tools.filter(({ isHidden }) => isHidden).map(({ name }) => name);
  if (names.length === 0 || hidden.length === 0) return body;
  return withCalling(body, { ...(mode !== '' && { mode }), allowedFunctionNames: [...names, ...hidden] });
}

function withoutForcedCalls(body: Json): Json {
  const { mode, names } = callingOf(body);
  if (mode !== 'ANY') return body;
  // Google accepts names only in modes other than AUTO.
  return withCalling(
    body,
    names.length === 0 ? { mode: 'AUTO' } : { mode: 'VALIDATED', allowedFunctionNames: names },
  );
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

  /** The parts for the client, by the parts of the model. */
  const given = new Map<Json, Json>();
  /** Whether this round has a call of the client. */
  let hasShownCall = false;
  const shownPart = (part: Json): Json => {
    const { functionCall: call, thoughtSignature: signature } = part;
    if (!isObject(call)) return part;
    const known = given.get(part);
    if (known) return known;
    const id = GIVEN_ID + randomUUID();
    const isUnsigned = signature === undefined || signature === FOREIGN_SIGNATURE;
    const made = {
      ...part,
      functionCall: { ...call, ...(typeof call['id'] !== 'string' && { id }) },
      ...(!hasShownCall && isUnsigned && { thoughtSignature: Buffer.from(id).toString('base64') }),
    };
    hasShownCall = true;
    given.set(part, made);
    return made;
  };

  const take = (response: Json): RoundCalls => {
    rounds += 1;
    first ??= response;
    last = response;
    usage = sumUsage(usage, response['usageMetadata']);
    const parts = partsOf(response);
    const left = parts.filter((part) => !isRun(part)).map(shownPart);
    pushAll(shown, left);
    hasShownCall = false;
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
      ownCalls: clientCallsIn(left),
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
      const parts = partsOf(event)
        .filter((part) => !isRun(part))
        .map(shownPart);
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
