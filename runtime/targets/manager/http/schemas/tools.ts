import { Type } from 'typebox';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { listOrNull, metaObject, optionalTextMember, struct } from './struct.ts';

const jsonSchema = closed(
  'JSONSchema',
  {
    type: Type.String(),
    properties: Type.Optional(anyObject('Schema of each property, with references resolved.')),
    required: Type.Optional(listOrNull(Type.String())),
  },
  'The main keywords of a JSON Schema. If the server’s schema has others, `_meta` contains the original as `mcp-manager/inputSchema` or `mcp-manager/outputSchema`.',
);

const hint = (description: string) => Type.Optional(Type.Boolean({ description }));
const toolAnnotations = closed(
  'ToolAnnotations',
  {
    title: optionalTextMember('Display name of the tool.'),
    destructiveHint: hint('Whether the tool can perform destructive changes.'),
    idempotentHint: hint('Whether repeated calls with the same arguments have no additional effect.'),
    openWorldHint: hint('Whether the tool interacts with systems outside of its server.'),
    readOnlyHint: hint('Whether the tool does not modify anything.'),
  },
  'The server’s hints about the tool. They are not verified.',
);

const name = Type.String({ description: 'Name of the tool as spelled by the server.' });
const title = optionalTextMember('Display name of the tool.');
const description = Type.String({ description: 'Description of the tool.' });

const tool = closed('Tool', {
  name,
  description,
  title,
  inputSchema: Type.Optional(jsonSchema),
  outputSchema: Type.Optional(jsonSchema),
  annotations: Type.Optional(toolAnnotations),
  _meta: metaObject,
});
const toolSummary = closed('ToolSummary', { name, title, description });
const toolMinimal = closed('ToolMinimal', { name, title });

export const toolsBody = struct('ToolsResponseBodyTool', { tools: listOrNull(tool) });
export const toolSummariesBody = struct('ToolsResponseBodyToolSummary', { tools: listOrNull(toolSummary) });
export const minimalToolsBody = struct('ToolsResponseBodyToolMinimal', { tools: listOrNull(toolMinimal) });

/** The arguments for `tools/call`. The server validates them against the tool's schema. */
export const toolArguments = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'an object of arguments',
  description: 'Arguments that match the tool’s `inputSchema`.',
});

export const toolTextSchema = Type.String({
  description:
    'Text parts of the result, joined with line breaks. Without text parts, the structured content as JSON; without either, the content as JSON.',
});

export const toolResultSchema = Type.Unsafe({
  type: 'object',
  additionalProperties: true,
  description: 'The server’s complete result: `content`, `structuredContent`, `isError`, `_meta`.',
});
