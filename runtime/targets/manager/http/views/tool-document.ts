import { isObject } from '#core/json/is-object.ts';
import type { UpstreamTool } from '../../calls/call.ts';
import { toolName } from '../../calls/tool-catalog.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import type { OpenApiSchema } from './openapi-schema.ts';

export interface ToolDocumentOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Base URL of the operations. */
  readonly url: string;
  readonly needsKey: boolean;
  readonly schemaOf: OpenApiSchema;
  /** The schema of all errors, and the named schemas that it references. */
  readonly problem: ShapeOfParams;
  readonly schemas: Readonly<Record<string, ShapeOfParams>>;
}

/** Creates a server's OpenAPI document, with one operation per tool. */
export function toolDocument(tools: readonly UpstreamTool[], options: ToolDocumentOptions): ShapeOfParams {
  const { title, version, description, url, needsKey, schemas } = options;
  return {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: [{ url }],
    paths: Object.fromEntries(
      [...pathNames(tools)].map(([name, tool]) => [`/${name}`, { post: operation(name, tool, options) }]),
    ),
    components: {
      schemas,
      ...(needsKey ? { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(needsKey ? { security: [{ apiKey: [] }] } : {}),
  };
}

/**
 * The tools, keyed by a name that is one path segment. A tool whose own name equals another tool's mapped
 * name comes first.
 */
function pathNames(tools: readonly UpstreamTool[]): ReadonlyMap<string, UpstreamTool> {
  const isOwn = (tool: UpstreamTool): boolean => toolName(tool.name) === tool.name;
  const ordered = [...tools.filter((tool) => !isOwn(tool)), ...tools.filter(isOwn)];
  const taken = new Map(ordered.map((tool) => [toolName(tool.name), tool]));
  return new Map(
    tools.flatMap((tool) => {
      const name = toolName(tool.name);
      return taken.get(name) === tool ? [[name, tool] as const] : [];
    }),
  );
}

function operation(
  name: string,
  tool: UpstreamTool,
  { schemaOf, problem }: ToolDocumentOptions,
): ShapeOfParams {
  const { title, description, annotations, inputSchema, outputSchema } = tool;
  const input = schemaOf(isObject(inputSchema) ? inputSchema : { type: 'object' });
  const required = input['required'];
  const output = isObject(outputSchema) ? schemaOf(outputSchema) : undefined;
  const label = [title, isObject(annotations) ? annotations['title'] : undefined].find(isText);
  return {
    operationId: name,
    summary: label ?? name,
    ...(isText(description) ? { description } : {}),
    ...(name === tool.name ? {} : { 'x-mcp-tool': tool.name }),
    requestBody: {
      required: Array.isArray(required) && required.length > 0,
      content: { 'application/json': { schema: input } },
    },
    responses: {
      200: {
        description:
          'The result. JSON text is parsed, an image becomes a data URL, and several parts become a list.',
        // The text of a result can differ from its structured content.
        content: { 'application/json': { schema: output ? { anyOf: [output, {}] } : {} } },
      },
      default: {
        description: 'Any error.',
        content: { 'application/problem+json': { schema: problem } },
      },
    },
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
