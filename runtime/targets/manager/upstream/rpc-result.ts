import { Malformed, type Params } from '../shapes/shape.ts';
import { isRecord, record } from '../shapes/values.ts';
import { RpcFailure } from './connection.ts';
import type { RpcMessage } from './rpc-message.ts';

/** Requests whose result is `{}`. Some servers return something else, which is ignored. */
const WITHOUT_RESULT = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Maximum nesting of results, as for requests. Recursive functions fail at a depth of some thousand levels. */
const MAX_LEVELS = 500;

/** Returns the result in a response. Throws an RpcFailure for an error, and Malformed for an invalid response. */
export function rpcResult(method: string, { result, error }: Pick<RpcMessage, 'result' | 'error'>): Params {
  if (error !== undefined && error !== null) throw rpcFailure(error);
  if (isDeeperThan(result, MAX_LEVELS)) throw new Malformed('', `is nested deeper than ${MAX_LEVELS} levels`);
  if (isRecord(result)) return result;
  return WITHOUT_RESULT.has(method) ? {} : record(result);
}

const INTERNAL_ERROR = -32_603;

/** Converts an error of the server. Parts that violate JSON-RPC are replaced: clients reject a code that is not an integer. */
export function rpcFailure(error: unknown): RpcFailure {
  const { code, message, data } = isRecord(error) ? error : { message: error };
  return new RpcFailure(
    Number.isSafeInteger(code) ? Number(code) : INTERNAL_ERROR,
    typeof message === 'string' && message !== ''
      ? message
      : 'The server reported an error without a message.',
    isDeeperThan(data, MAX_LEVELS) ? undefined : data,
  );
}

/** Whether lists and objects are nested deeper than `levels`. Stops at that depth. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeperThan(item, levels - 1));
}
