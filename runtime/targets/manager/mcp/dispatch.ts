import { answerTraced } from '#serve/telemetry/mcp-request.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { runAdmitted } from '#serve/run-admitted.ts';
import type { ManagerContext } from '../context.ts';
import type { McpParts } from './parts.ts';
import { toRpcError } from './rpc-failure.ts';

/** Creates the function that runs the method of a request. */
export const createDispatch =
  ({ kernel }: ManagerContext): McpParts['dispatch'] =>
  async (methods, method, call) => {
    const handler = methods.get(method);
    if (!handler) throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
    return await answerTraced(kernel.tracer, { method, params: call.params }, async () => {
      try {
        return await runAdmitted(kernel.lifecycle, () => handler(call));
      } catch (error) {
        throw toRpcError(error);
      }
    });
  };
