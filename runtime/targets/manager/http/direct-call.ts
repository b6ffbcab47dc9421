import { AppError } from '../../../contract/errors.ts';
import { parseLossless } from '../../../core/lossless-json.ts';
import { createBodyParser } from '../../../serve/http/body.ts';
import { createDirectListener, type DirectListener } from '../../../serve/http/direct-route.ts';
import type { Caller } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { TOOL_ROUTE } from './routes/tools.ts';
import { toolArguments } from './schemas/tools.ts';
import { textOfCall } from './tool-answer.ts';

/** Calls of tools as nearly all clients send them; the rest, and everything with plugins, goes through the app. */
export function directToolCalls(
  { kernel, calls }: ManagerContext,
  options: ManagerAppOptions,
): DirectListener | undefined {
  const { plugins, redact } = options;
  if (plugins?.has('request') === true || plugins?.has('response') === true) return undefined;
  const bodies = bodyOptions(options);
  const parse = createBodyParser({ ...bodies, parse: parseLossless });
  return createDirectListener(kernel, {
    route: TOOL_ROUTE,
    path: /^\/api\/v1\/servers\/([\w.-]+)\/tools\/([\w.-]+)$/,
    maxBodyBytes: bodies.maxBodyBytes,
    bodyTimeoutMs: bodies.timeoutMs,
    hostRules: { ...options.hostRules, allowedOrigins: options.cors?.origins },
    async answer({ requestId, caller, parts: [server = '', tool = ''], body, signal }) {
      const args = parse(body, toolArguments);
      if (!caller) throw new AppError('InternalError', 'a tool was called by nobody');
      const call = { caller: caller as Caller, server, tool, args, requestId, signal };
      return JSON.stringify(textOfCall({ server, tool, redact }, await calls.callTool(call)));
    },
  });
}
