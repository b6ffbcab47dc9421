import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { ManagerContext } from '../context.ts';
import type { McpParts } from './parts.ts';
import { toRpcError } from './rpc-failure.ts';

/** Answers one request, over whatever it came. */
export const createDispatch =
  ({ kernel }: ManagerContext): McpParts['dispatch'] =>
  async (methods, method, call) => {
    const answer = methods.get(method);
    if (!answer) throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
    let leave: (() => void) | undefined;
    try {
      leave = kernel.lifecycle.enter();
      return await answer(call);
    } catch (error) {
      throw toRpcError(error);
    } finally {
      leave?.();
    }
  };
