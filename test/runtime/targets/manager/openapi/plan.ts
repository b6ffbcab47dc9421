import type { ApiPlan, ApiTool, Schema } from '#manager/openapi/plan.ts';
import { readPlan } from '#manager/openapi/read-plan.ts';
import { apiSettings } from '../upstream/api/recording-server.ts';

type Settings = Partial<Parameters<typeof apiSettings>[0]>;

/** Reads a document that is a value, as if it were a file. */
export const planOf = (document: object, settings: Settings = {}, server = 'api'): ApiPlan =>
  readPlan({
    server,
    text: JSON.stringify(document),
    settings: apiSettings({
      document: '/documents/openapi.json',
      baseUrl: 'https://api.example',
      ...settings,
    }),
    ownHeaders: [],
  });

/** Reads the only operation of a document: a POST with these members. */
export function toolOf(operation: object, document: object = {}): ApiTool {
  const paths = { '/x': { post: { operationId: 'x', responses: {}, ...operation } } };
  const plan = planOf({ openapi: '3.1.0', info: {}, paths, ...document });
  const [tool] = plan.tools;
  if (!tool) throw new Error(plan.dropped[0]?.reason ?? 'no tool');
  return tool;
}

/** Converts the schema of a request body. */
export function convert(
  schema: unknown,
  { openapi = '3.1.0', ...schemas }: Record<string, unknown> = {},
): Schema {
  const requestBody = { content: { 'application/json': { schema } } };
  const { inputSchema } = toolOf({ requestBody }, { openapi, components: { schemas } }).definition;
  const { body } = inputSchema['properties'] as { readonly body: Schema };
  const { $defs } = inputSchema;
  return $defs === undefined ? body : { ...body, $defs };
}
