import type { TSchema } from 'typebox';
import type { ErrorStatus } from './statuses.ts';

/** One route in the OpenAPI document. Its schemas also validate requests. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path in OpenAPI notation: `/v1/models/{id}`. */
  readonly path: string;
  /** Operation id, used by client generators. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content & { readonly optional?: boolean };
  readonly answer: (Content & Answer) | (Answer & { readonly empty: true });
  /** Success statuses. Default: 200, or 204 for an empty response. */
  readonly statuses?: readonly (200 | 201 | 202 | 204 | 206)[];
  /** The response in other media types that clients can request. */
  readonly otherAnswers?: readonly Content[];
  readonly errors: readonly ErrorStatus[];
  /** Error statuses whose responses have their own format. */
  readonly ownErrors?: Readonly<Partial<Record<ErrorStatus, Content & Answer>>>;
  /** Whether errors have OpenAI's format instead of the format that is set for the document. */
  readonly openAiErrors?: boolean;
  /** Whether the operation can be called without an API key. */
  readonly open?: boolean;
}

interface Answer {
  readonly description: string;
  readonly headers?: readonly AnswerHeader[];
}

export interface Content {
  /** Media type. Default: `application/json`. */
  readonly mediaType?: string;
  readonly schema: TSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  /** Location of the parameter. Default: `path`. */
  readonly in?: 'path' | 'query' | 'header';
  /** Whether a query parameter or a header is required. Default: false. */
  readonly required?: boolean;
  /**
   * Whether the parameter is a list, so that a query can contain it several times. Default: false,
   * which means that such a query is rejected.
   */
  readonly isList?: boolean;
  readonly description: string;
  readonly example: string | number | boolean;
  /** Schema of the parameter, or of a single list item. Default: a string. */
  readonly schema?: TSchema;
}

export interface AnswerHeader {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'integer';
}
