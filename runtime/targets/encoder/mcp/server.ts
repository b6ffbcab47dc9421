import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { FallbackServer } from '../../../serve/mcp/fallback-server.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { EncoderContext } from '../context.ts';
import { createEncoderTool, type EncoderTool } from './run-encoder.ts';

/** Returns what makes the MCP server of one client: tools only, and of those one. */
export function encoderMcpServers(context: EncoderContext): () => Server {
  const tool = createEncoderTool(context);
  const options = {
    capabilities: { tools: {} },
    instructions: instructions(context),
    // Of no use here; but without one, every server would make its own.
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
  };
  const info = serverInfo(context);
  return () => {
    const server = new FallbackServer(info, options);
    server.fallbackRequestHandler = async (request, { signal }) => {
      try {
        return await answer(tool, request, signal);
      } catch (error) {
        throw RpcError.from(error);
      }
    };
    server.onerror = (error) => context.kernel.log.debug({ err: error }, 'MCP');
    return server;
  };
}

async function answer(
  tool: EncoderTool,
  { method, params }: JSONRPCRequest,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  switch (method) {
    case 'tools/list':
      return { tools: [tool.definition] };
    case 'tools/call':
      requireTool(params?.['name'], tool);
      return tool.call(params?.['arguments'] ?? {}, signal);
    default:
      throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
  }
}

function requireTool(name: unknown, { definition }: EncoderTool): void {
  if (name === definition.name) return;
  const given = typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'no name';
  throw new RpcError(RPC_CODE.invalidParams, `Unknown tool: ${given}. The only tool is ${definition.name}.`);
}

function serverInfo({
  engine: { manifest },
  runtime,
}: EncoderContext): ConstructorParameters<typeof Server>[0] {
  return {
    name: 'encoderfile',
    title: 'encoderfile',
    version: runtime.version,
    description: `${manifest.name} ${manifest.version}: a ${manifest.modelType} model.`,
  };
}

/** What the protocol has no field for: the model, and what the executable is made of. */
function instructions({ engine: { manifest }, runtime }: EncoderContext): string {
  return [
    `This server runs one model, ${manifest.name} ${manifest.version} (${manifest.modelType}), with its tool run_encoder.`,
    `Its build: encoderfile ${runtime.version}, Node ${runtime.node}, ONNX Runtime ${runtime.onnxruntime},`,
    `tokenizers ${runtime.tokenizers}, ${runtime.platform}.`,
  ].join(' ');
}
