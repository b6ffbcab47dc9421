import { AppError } from '#contract/errors.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { TaskCall } from './call.ts';
import type { RunCall } from './run-call.ts';

/** Requests the state of a task. It is requested often, so it is not audited. */
const UNAUDITED: TaskCall['method'] = 'tasks/get';

/**
 * Creates the function for requests about tasks. They do not wait in the queue: they are short, except for
 * `tasks/result`, during which the server works on the task and not on the request.
 */
export const taskCalls =
  (runCall: RunCall) =>
  (call: TaskCall): Promise<ShapeOfParams> => {
    const { method, taskId, tool, params } = call;
    const audited = method === UNAUDITED ? undefined : { name: method, args: params ?? {}, tool };
    const info = {
      kind: 'task',
      takesTurn: false,
      ...(audited && { audited }),
      texts: (server: string) => ({
        title: 'MCP server error handling a task',
        detail: `${method} failed: ${server}/${tool}`,
      }),
    } as const;
    return runCall(call, info, (context) => {
      const { server } = context;
      if (!call.caller.canUse(server.name, tool))
        throw new AppError('ForbiddenError', `tool not allowed: ${server.name}/${tool}`);
      return context.request(method, { ...params, taskId });
    });
  };
