import { lookup } from '#core/values/lookup.ts';
import { isObject } from '#core/json/is-object.ts';
import type { ApiSettings } from '../config/spec.ts';
import { matchesOperation } from './filter.ts';
import { outputSchemaOf } from './output-schema.ts';
import { pageHint } from './pages.ts';
import {
  type ApiPlan,
  type ApiTool,
  type DroppedOperation,
  type Schema,
  type SecurityScheme,
  UnusableOperation,
} from './plan.ts';
import { readBody } from './read-body.ts';
import { readParameters } from './read-parameters.ts';
import { type Located, type References, shown, tableOf } from './references.ts';
import { SchemaConverter } from './schema-converter.ts';
import { readSchemes, readSecurity, schemesOf } from './security.ts';
import { type ApiServers, readServers } from './servers.ts';
import { MAX_DESCRIPTION, shortened, textOf } from './text-limits.ts';
import { ArgumentNames, ToolNames } from './tool-names.ts';

/** Methods whose operations are tools, with what clients learn about their effects. */
const METHODS = lookup<Schema>({
  get: { readOnlyHint: true },
  query: { readOnlyHint: true },
  post: { readOnlyHint: false },
  put: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  patch: { readOnlyHint: false, destructiveHint: true },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
});

/** Maximum number of tools of a server in the manager. */
const MAX_TOOLS = 5000;
/** Maximum length of a tool's schema as JSON, because clients and models read all of them. */
const MAX_SCHEMA_CHARACTERS = 32_768;
const MAX_SCHEMAS = 600;

export interface OperationsOptions {
  /** The server's name, with which clients see the tools. */
  readonly server: string;
  readonly settings: ApiSettings;
  readonly references: References;
  /** Headers that the configuration sets, which callers cannot override. */
  readonly ownHeaders: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

/** The operation that is being read. */
interface Current {
  readonly method: string;
  readonly path: string;
  readonly operation: Located<Members>;
  readonly item: Located<Members>;
}

/** Makes tools of a document's operations. A problem with an operation only leaves out this operation. */
export function readOperations(
  document: Members,
  options: OperationsOptions,
): Omit<ApiPlan, 'files' | 'problems'> {
  const { settings, references, server } = options;
  const reader = new OperationReader(document, options);
  const names = new ToolNames(server);
  const tools: ApiTool[] = [];
  const dropped: DroppedOperation[] = [];
  let operations = 0;
  for (const [path, value] of Object.entries(tableOf(document['paths']))) {
    if (!path.startsWith('/')) continue;
    let item: Located<Members>;
    try {
      item = references.follow(value, '', 'the path');
    } catch (error) {
      dropped.push(droppedBecause(error, path));
      continue;
    }
    for (const method of Object.keys(METHODS)) {
      const written = item.value[method];
      if (written === undefined) continue;
      operations += 1;
      const label = `${method.toUpperCase()} ${path}`;
      try {
        const operation = references.follow(written, item.file, 'the operation');
        const { operationId, tags } = operation.value;
        const filtered = {
          method,
          path,
          operationId: textOf(operationId),
          tags: Array.isArray(tags) ? tags.map(textOf) : [],
        };
        if (!matchesOperation(settings.include, filtered)) continue;
        if (matchesOperation(settings.exclude, filtered)) continue;
        if (tools.length >= MAX_TOOLS)
          throw new UnusableOperation(`the API has more than ${MAX_TOOLS} tools`);
        const read = reader.read({ method, path, operation, item });
        const name = names.choose({ operationId, method, path });
        tools.push({ ...read, definition: { ...read.definition, name } });
      } catch (error) {
        dropped.push(droppedBecause(error, label));
      }
    }
  }
  const { title, version } = tableOf(document['info']);
  return {
    title: textOf(title) || 'API',
    version: typeof version === 'number' ? String(version) : textOf(version),
    specification: textOf(document['openapi']),
    tools,
    dropped,
    operations,
    schemes: reader.schemes,
    baseUrl: tools.length > 0 ? reader.baseUrl() : undefined,
  };
}

function droppedBecause(error: unknown, operation: string): DroppedOperation {
  if (error instanceof UnusableOperation) return { operation, reason: error.message };
  // A document can be invalid in ways that the reader does not know, such as too much nesting.
  const reason = error instanceof Error ? error.message : String(error);
  return { operation, reason: `it cannot be read: ${reason}` };
}

class OperationReader {
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly #document: Members;
  readonly #options: OperationsOptions;
  readonly #servers: ApiServers;
  readonly #isOld: boolean;

  constructor(document: Members, options: OperationsOptions) {
    const { references, settings } = options;
    this.#document = document;
    this.#options = options;
    this.#servers = readServers(document['servers'], settings);
    this.#isOld = textOf(document['openapi']).startsWith('3.0');
    this.schemes = readSchemes(tableOf(document['components'])['securitySchemes'], references);
  }

  baseUrl(): string | undefined {
    try {
      return this.#servers.base();
    } catch {
      return undefined;
    }
  }

  read(current: Current): ApiTool {
    for (let maxSchemas = MAX_SCHEMAS; ; maxSchemas = Math.floor(maxSchemas / 3)) {
      const tool = this.#read(current, maxSchemas);
      const size = JSON.stringify(tool.definition.inputSchema).length;
      if (size <= MAX_SCHEMA_CHARACTERS) return tool;
      if (maxSchemas < 10) throw new UnusableOperation('its arguments are too large for a tool');
    }
  }

  #read({ method, path, operation, item }: Current, maxSchemas: number): ApiTool {
    const { references, settings, ownHeaders } = this.#options;
    const { value, file } = operation;
    const security = readSecurity(value['security'] ?? this.#document['security']);
    const converter = new SchemaConverter(references, { isOld: this.#isOld, maxSchemas });
    const names = new ArgumentNames();
    const context = { references, converter, names };
    const parameters = readParameters(
      path,
      [
        { value: item.value['parameters'], file: item.file },
        { value: value['parameters'], file },
      ],
      {
        ...context,
        fixed: settings.fixed,
        pathSlashes: new Set(settings.pathSlashes),
        isCredential: (place, name) =>
          (place === 'header' && ownHeaders.some((own) => own.toLowerCase() === name.toLowerCase())) ||
          [...schemesOf({ security })].some((scheme) => {
            const { kind, name: own } = this.#scheme(scheme);
            return kind === place && own.toLowerCase() === name.toLowerCase();
          }),
      },
    );
    const requestBody = value['requestBody'];
    const body = requestBody === undefined ? undefined : readBody({ value: requestBody, file }, context);
    const properties = [
      ...parameters.flatMap(({ parameter, schema }) =>
        schema === undefined ? [] : [[parameter.argument, schema] as const],
      ),
      ...(body ? [[body.body.argument, body.schema] as const] : []),
    ];
    const required = [
      ...parameters.flatMap(({ parameter, schema }) =>
        parameter.required && schema !== undefined ? [parameter.argument] : [],
      ),
      ...(body?.body.required === true ? [body.body.argument] : []),
    ];
    const inputSchema = converter.complete({
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    });
    const responses = this.#responses(value['responses'], file);
    const summary = textOf(value['summary']).trim();
    const outputSchema = responses.schema && outputSchemaOf(responses.schema, references);
    const description = describe(value, {
      place: `${method.toUpperCase()} ${path}`,
      hint: pageHint(
        parameters.map(({ parameter }) => parameter),
        outputSchema,
      ),
    });
    return {
      definition: {
        name: '',
        ...(summary === '' ? {} : { title: shortened(summary, MAX_TITLE) }),
        description,
        inputSchema,
        ...(outputSchema ? { outputSchema } : {}),
        annotations: { ...METHODS[method], openWorldHint: true },
      },
      operation: {
        method: method.toUpperCase(),
        server: this.#server(value['servers'] ?? item.value['servers']),
        path,
        parameters: parameters.map(({ parameter }) => parameter),
        body: body?.body,
        accept: responses.accept,
        security,
      },
    };
  }

  #server(own: unknown): string {
    return Array.isArray(own) && own.length > 0 ? this.#servers.own(own) : this.#servers.base();
  }

  #scheme(name: string): SecurityScheme {
    return (Object.hasOwn(this.schemes, name) ? this.schemes[name] : undefined) ?? UNKNOWN;
  }

  /** Returns the schema of a successful JSON response, and the media types of all successful responses. */
  #responses(
    responses: unknown,
    file: string,
  ): { readonly schema: Located | undefined; readonly accept: string } {
    const { references } = this.#options;
    const types = new Set<string>();
    let schema: Located | undefined;
    const statuses = Object.keys(tableOf(responses))
      .filter((status) => /^2(?:\d\d|XX)$/i.test(status))
      .toSorted();
    for (const status of statuses.length > 0 ? statuses : ['default']) {
      const written = tableOf(responses)[status];
      if (!isObject(written)) continue;
      const response = found(() => references.follow(written, file, 'a response'));
      for (const [type, media] of Object.entries(tableOf(response?.value['content']))) {
        const plain = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
        if (!/^[\w.+-]+\/[\w.+-]+$/.test(plain)) continue;
        types.add(plain);
        const content = tableOf(media)['schema'];
        if (schema === undefined && isJson(plain) && isObject(content)) {
          schema = { value: content, file: response?.file ?? '' };
        }
      }
    }
    const sorted = [...types]
      .toSorted((a, b) => Number(isJson(b)) - Number(isJson(a)))
      .slice(0, MAX_ACCEPTED);
    return {
      schema,
      accept: [...sorted, sorted.length > 0 ? '*/*;q=0.1' : 'application/json, */*;q=0.5'].join(', '),
    };
  }
}

const UNKNOWN: SecurityScheme = { kind: 'unsupported', name: '' };
const MAX_ACCEPTED = 4;
const MAX_TITLE = 100;

const isJson = (type: string): boolean => /[/+]json$/.test(type);

/** Returns undefined for a response that cannot be read, because the operation works without it. */
function found<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableOperation) return undefined;
    throw error;
  }
}

/** The tool's description: what the document states, how lists continue, and the method with the path. */
function describe(
  { summary, description, deprecated }: Members,
  { place, hint }: { readonly place: string; readonly hint: string | undefined },
): string {
  const title = textOf(summary).trim();
  const text = textOf(description).trim();
  const own = [title, text.startsWith(title) || text === '' ? text.slice(title.length).trim() : text].filter(
    (part) => part !== '',
  );
  const end = [...(hint === undefined ? [] : [hint]), `(${shortened(place, 200)})`].join('\n');
  const start = `${deprecated === true ? 'Deprecated. ' : ''}${own.join('\n\n')}`;
  const room = MAX_DESCRIPTION - end.length - 1;
  const begin = shortened(start, room);
  return begin === '' ? end : `${begin}\n${end}`;
}

/** Returns an error sentence for a document that is not an OpenAPI 3 document. */
export function versionProblem(document: unknown): string | undefined {
  if (!isObject(document))
    return 'The document is not an OpenAPI document: it must be an object with `openapi` and `paths`.';
  const { openapi, swagger, asyncapi } = document;
  if (typeof openapi === 'string' && /^3\.\d/.test(openapi)) return undefined;
  if (swagger !== undefined)
    return `The document uses Swagger ${shown(textOf(swagger))}; OpenAPI 3 is required. Convert it, for example with \`npx swagger2openapi\`.`;
  if (asyncapi !== undefined) return 'The document is an AsyncAPI document. Specify an OpenAPI 3 document.';
  return openapi === undefined
    ? 'The document is not an OpenAPI document: `openapi` is missing.'
    : `The document uses OpenAPI ${shown(textOf(openapi))}; version 3 is required.`;
}
