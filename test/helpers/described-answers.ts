import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

interface Described {
  readonly content?: Record<string, { readonly schema: object }>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: Record<string, Described>;
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface DescribedAnswers {
  /** The only operation for the path. */
  readonly operationOf: (method: string, url: string) => Operation;
  /** All operations of the document. */
  readonly operations: readonly Operation[];
  /** Fails unless the document describes such responses. */
  readonly expectDescribed: (method: string, url: string, answer: Answer) => void;
}

/** Compares real responses with their description in an OpenAPI 3.1 document. */
export function describedAnswers(document: OpenApiDocument): DescribedAnswers {
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/);
  ajv.addFormat('int64', true);
  ajv.addFormat('binary', true);
  ajv.addSchema(document, 'api');

  const operationOf = (method: string, url: string): Operation => {
    const [path = ''] = url.split('?');
    const fits = Object.keys(document.paths)
      .filter((template) => document.paths[template]?.[method.toLowerCase()])
      .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '.+')}$`).test(path));
    // The operation with the longest fixed part of the path.
    const [best = ''] = fits.sort((one, other) => literal(other).length - literal(one).length);
    const operation = document.paths[best]?.[method.toLowerCase()];
    if (!operation) throw new Error(`the document has no ${method} ${path}`);
    return operation;
  };

  return {
    operationOf,
    operations: Object.values(document.paths).flatMap((item) => Object.values(item)),
    expectDescribed(method, url, { status, headers, text, body }) {
      const { responses } = operationOf(method, url);
      const described = responses[status] ?? responses['default'];
      if (described && !described.content) {
        expect([url, text]).toEqual([url, '']);
        return;
      }
      const type = headers.get('Content-Type')?.split(';')[0] ?? '';
      const { schema } = described?.content?.[type] ?? {};
      if (!schema)
        throw new Error(`${method} ${url} answers ${status} as ${type}, which the document does not say`);
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
      const value: unknown = type.endsWith('json') ? body : text;
      expect([url, value, validate(value) || validate.errors]).toEqual([url, value, true]);
    },
  };
}

const literal = (template: string): string => template.replaceAll(/\{\w+\}/g, '');
