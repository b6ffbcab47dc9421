import { isObject } from '../../../core/json/is-object.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { Asker } from './connection.ts';
import type { Params } from '../shapes/shape.ts';

/** What servers may ask clients, and what a client that can answer says it can do. */
const ABILITIES: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** All that some client might be able to do: servers hear it once, before there is any client. */
export const ALL_ABILITIES: Params = { sampling: {}, elicitation: {}, roots: {} };

/** Of what a client says it can do, that which servers may make use of. */
export const abilitiesOf = ({ capabilities }: Pick<Asker, 'capabilities'>): Params =>
  Object.fromEntries(Object.entries(capabilities).filter(([name]) => Object.hasOwn(ALL_ABILITIES, name)));

/** What a client has to be able to do to answer all of these. */
export const capabilitiesFor = (questions: readonly Pick<Question, 'method'>[]): Params =>
  Object.fromEntries(questions.flatMap(({ method }) => ABILITIES[method] ?? []).map((name) => [name, {}]));

export interface Question {
  readonly method: string;
  readonly params: Params | undefined;
}

/** Whose question it is: the client's with the one request that it is about, or else the only client there is. */
export function chooseAsker(method: string, related: Asker | undefined, inFlight: Iterable<Asker>): Asker {
  if (!Object.hasOwn(ABILITIES, method)) {
    throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
  }
  const candidates = related ? [related] : [...inFlight];
  const [first] = candidates;
  const last = candidates.at(-1);
  if (!first || !last) {
    throw new RpcError(
      RPC_CODE.methodNotFound,
      `${method} is passed on to a client during a call of it, and there is no call now.`,
    );
  }
  if (candidates.every(({ client }) => client === first.client)) return last;
  throw new RpcError(
    RPC_CODE.invalidRequest,
    `${method} cannot be passed on: calls of several clients run, and nothing tells which of them it is about.`,
  );
}

/** Asks the client, if it can answer that. Rejects with what the server is to be told. */
export async function askClient(
  asker: Asker,
  { method, params }: Question,
  signal: AbortSignal,
): Promise<Params> {
  if (!canAnswer(asker.capabilities, method, params)) {
    throw new RpcError(RPC_CODE.methodNotFound, `The client that made the call does not support ${method}.`);
  }
  return asker.ask(method, withoutToken(params), signal);
}

function canAnswer(capabilities: Params, method: string, params: Params | undefined): boolean {
  const ability = capabilities[ABILITIES[method] ?? ''];
  if (!isObject(ability)) return false;
  if (method === 'elicitation/create') {
    const mode = params?.['mode'] === 'url' ? 'url' : 'form';
    // A client that names no modes means forms.
    return isObject(ability[mode]) || (mode === 'form' && !isObject(ability['url']));
  }
  const usesTools = params?.['tools'] !== undefined || params?.['toolChoice'] !== undefined;
  return method !== 'sampling/createMessage' || !usesTools || isObject(ability['tools']);
}

/** Progress of a client's work is not passed on, and the token might be another server's too. */
function withoutToken(params: Params | undefined): Params | undefined {
  if (!isObject(params?.['_meta'])) return params;
  const { progressToken: _, ..._meta } = params['_meta'];
  return { ...params, _meta };
}
