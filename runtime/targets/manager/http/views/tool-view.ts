import { inlineRefs } from './inline-refs.ts';
import type { UpstreamTool } from '../../calls/call.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { compact } from './compact.ts';
import { isObject } from '#core/json/is-object.ts';

export const DETAILS = ['minimal', 'summary', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** Converts a tool to the members in the API contract. Complete schemas with other keywords are kept in `_meta`. */
export const TOOL_VIEWS: Record<Detail, (tool: UpstreamTool) => ShapeOfParams> = {
  minimal: (tool) => ({ name: tool.name, ...title(tool) }),
  summary: (tool) => ({ name: tool.name, ...title(tool), description: description(tool) }),
  full(tool) {
    const schemas = Object.entries({
      inputSchema: asObject(tool['inputSchema']) ?? {},
      outputSchema: asObject(tool['outputSchema']),
    });
    const views = schemas.map(([key, schema]) => [key, schema && schemaView(schema)] as const);
    const originals = schemas.flatMap(([key, schema]) =>
      schema && isReduced(schema) ? [[`mcp-manager/${key}`, schema]] : [],
    );
    return {
      name: tool.name,
      description: description(tool),
      ...title(tool),
      ...compact(Object.fromEntries(views)),
      ...compact({
        annotations: annotations(tool),
        _meta: { ...asObject(tool['_meta']), ...Object.fromEntries(originals) },
      }),
    };
  },
};

const description = (tool: UpstreamTool): string => text(tool['description']) ?? '';

function title(tool: UpstreamTool): ShapeOfParams {
  return compact({ title: text(tool['title']) ?? text(asObject(tool['annotations'])?.['title']) });
}

const HINTS = ['destructiveHint', 'idempotentHint', 'openWorldHint', 'readOnlyHint'];

function annotations(tool: UpstreamTool): ShapeOfParams {
  const own = asObject(tool['annotations']) ?? {};
  const hints = HINTS.map((name) => [name, typeof own[name] === 'boolean' ? own[name] : undefined] as const);
  return compact({ title: text(own['title']), ...Object.fromEntries(hints) });
}

/** Reduces a schema to the three keywords in the API contract, with all references resolved. */
function schemaView(schema: ShapeOfParams): ShapeOfParams {
  const { type, properties, required } = inlineRefs(schema);
  return {
    type: text(type) ?? 'object',
    ...compact({ properties: asObject(properties), required: Array.isArray(required) ? required : [] }),
  };
}

const KEPT = new Set(['type', 'properties', 'required']);

/** Whether the view differs from the schema. */
const isReduced = (schema: ShapeOfParams): boolean =>
  Object.keys(schema).some((keyword) => !KEPT.has(keyword)) || JSON.stringify(schema).includes('"$ref"');

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const asObject = (value: unknown): ShapeOfParams | undefined => (isObject(value) ? value : undefined);
