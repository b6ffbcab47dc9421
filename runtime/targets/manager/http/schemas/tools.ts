import { Type } from 'typebox';
import { anyObject, closed } from '../../../../serve/http/schemas.ts';
import { listOrNull, metaObject, optionalText, struct } from './struct.ts';

const jsonSchema = closed(
  'JSONSchema',
  {
    type: Type.String(),
    properties: Type.Optional(anyObject('The schema of each member; references are written out.')),
    required: Type.Optional(listOrNull(Type.String())),
  },
  'What every schema of a tool has. Where the server says more, its own schema is in `_meta`, as `mcp-manager/inputSchema` and `mcp-manager/outputSchema`.',
);

const hint = (description: string) => Type.Optional(Type.Boolean({ description }));
const toolAnnotations = closed(
  'ToolAnnotations',
  {
    title: optionalText('A title for people.'),
    destructiveHint: hint('It may destroy something.'),
    idempotentHint: hint('Calling it again with the same arguments changes nothing more.'),
    openWorldHint: hint('It deals with things outside of its server.'),
    readOnlyHint: hint('It changes nothing.'),
  },
  'What the server says of the tool; nobody has checked that it is so.',
);

const name = Type.String({ description: 'As the server writes it.' });
const title = optionalText('A name for people.');
const description = Type.String({ description: 'What the tool does.' });

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

/** What `tools/call` takes: whatever the tool's own schema says. */
export const toolArguments = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  title: 'an object of arguments',
  description: 'The arguments, as the tool’s `inputSchema` wants them.',
});

export const toolText = Type.String({
  description:
    'The texts of the result, one after the other with line breaks between them. If it has none: its structured content as JSON; if there is none either, all of its content as JSON.',
});

export const toolResult = Type.Unsafe({
  type: 'object',
  additionalProperties: true,
  description: 'The whole result as the server sent it: `content`, `structuredContent`, `isError`, `_meta`.',
});
