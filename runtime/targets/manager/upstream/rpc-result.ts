import { isDeeperThan } from './value-depth.ts';
import { Malformed, type Params } from '../shapes/shape.ts';
import { isRecord, record } from '../shapes/values.ts';
import { RpcFailure } from './connection.ts';
import type { RpcMessage } from './rpc-message.ts';

/** Of these requests only the fact matters that they were answered, and some servers answer with something other than `{}`. */
const ACKNOWLEDGED = new Set(['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** The same as for requests. Functions that call themselves for each level fail some thousand levels down. */
const MAX_LEVELS = 500;

/** The result in an answer. Throws an RpcFailure for an error, and a Malformed for what is neither a result nor an error. */
export function rpcResult(method: string, { result, error }: Pick<RpcMessage, 'result' | 'error'>): Params {
  if (error !== undefined && error !== null) throw rpcFailure(error);
  if (isDeeperThan(result, MAX_LEVELS)) throw new Malformed('', `is nested deeper than ${MAX_LEVELS} levels`);
  if (isRecord(result)) return result;
  return ACKNOWLEDGED.has(method) ? {} : record(result);
}

const INTERNAL_ERROR = -32_603;

/** An error as the server wrote it, as far as it follows JSON-RPC: clients refuse a code that is no integer. */
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
