import { AppError } from '../../../contract/errors.ts';
import { parseLossless } from '../../../core/json/lossless-json.ts';
import { createBodyParser } from '../../../serve/http/body.ts';
import { answerJson } from '../../../serve/http/direct-json.ts';
import {
  createDirectListener,
  type DirectListener,
  type DirectRoute,
} from '../../../serve/http/direct-route.ts';
import type { Caller } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { TOOL_ROUTE } from './routes/tools.ts';
import { toolArguments } from './schemas/tools.ts';
import { textOfCall } from './tool-answer.ts';

/** Calls of tools and messages of MCP as nearly all clients send them; the rest, and everything with plugins, is the app's. */
export function directCalls(
  context: ManagerContext,
  options: ManagerAppOptions,
  mcp: readonly DirectRoute[] = [],
): DirectListener | undefined {
  const { plugins } = options;
  if (plugins?.has('request') === true || plugins?.has('response') === true) return undefined;
  return createDirectListener(context.kernel, [toolCalls(context, options), ...mcp]);
}

function toolCalls({ kernel, calls }: ManagerContext, options: ManagerAppOptions): DirectRoute {
  const { redact } = options;
  const bodies = bodyOptions(options);
  const parse = createBodyParser({ ...bodies, parse: parseLossless });
  return {
    route: TOOL_ROUTE,
    path: /^\/api\/v1\/servers\/([\w.-]+)\/tools\/([\w.-]+)$/,
    accepts: ANY_JSON,
    maxBodyBytes: bodies.maxBodyBytes,
    hostRules: { ...options.hostRules, allowedOrigins: options.cors?.origins },
    answer: answerJson(kernel, {
      bodyTimeoutMs: bodies.timeoutMs,
      async answer({ requestId, caller, parts: [server = '', tool = ''], body, signal }) {
        const args = parse(body, toolArguments);
        if (!caller) throw new AppError('InternalError', 'a tool was called by nobody');
        const call = { caller: caller as Caller, server, tool, args, requestId, signal };
        return JSON.stringify(textOfCall({ server, tool, redact }, await calls.callTool(call)));
      },
    }),
  };
}

const ANY_JSON: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/json, */*']);
