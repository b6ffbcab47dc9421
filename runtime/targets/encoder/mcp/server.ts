import type { SessionRequest, SessionServer } from '#serve/mcp/session-server.ts';
import { withArticle } from '#core/text/with-article.ts';
import { answerTraced } from '#serve/telemetry/mcp-request.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { EncoderContext } from '../context.ts';
import { createEncoderTool, type EncoderTool } from './run-encoder.ts';

/**
 * The protocol version that the contract requires. Clients that request another known version get
 * the version that they request.
 */
export const OFFERED_VERSION = '2025-06-18';

/** The MCP server for one client session. It offers exactly one tool, and no prompts or resources. */
export function encoderMcpServer(context: EncoderContext): SessionServer<void> {
  const tool = createEncoderTool(context);
  return {
    info: serverInfo(context),
    capabilities: { tools: {} },
    instructions: instructions(context),
    answer: (request) => answerTraced(context.kernel.tracer, request, () => answer(tool, request)),
  };
}

async function answer(
  tool: EncoderTool,
  { method, params, signal }: SessionRequest<void>,
): Promise<Record<string, unknown>> {
  switch (method) {
    case 'tools/list':
      return { tools: [tool.definition] };
    case 'tools/call':
      requireTool(params['name'], tool);
      return tool.call(params['arguments'] ?? {}, signal);
    default:
      throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
  }
}

function requireTool(name: unknown, { definition }: EncoderTool): void {
  if (name === definition.name) return;
  const given = typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'no name';
  throw new RpcError(RPC_CODE.invalidParams, `Unknown tool: ${given}. The only tool is ${definition.name}.`);
}

function serverInfo({ engine: { manifest }, runtime }: EncoderContext): SessionServer<void>['info'] {
  return {
    name: 'encoderfile',
    title: 'encoderfile',
    version: runtime.version,
    description: `${manifest.name} ${manifest.version}, ${withArticle(manifest.modelType)} model.`,
  };
}

/**
 * Describes the model and the components of the executable, because the protocol has no separate
 * fields for them.
 */
function instructions({ engine: { manifest }, runtime }: EncoderContext): string {
  return [
    `This server runs one model, ${manifest.name} ${manifest.version} (${manifest.modelType}), as the tool run_encoder.`,
    `Build: encoderfile ${runtime.version}, Node ${runtime.node}, ONNX Runtime ${runtime.onnxruntime},`,
    `tokenizers ${runtime.tokenizers}, ${runtime.platform}.`,
  ].join(' ');
}
