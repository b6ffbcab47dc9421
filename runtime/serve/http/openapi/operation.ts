import type { TSchema } from 'typebox';
import type { ErrorStatus } from './statuses.ts';

/** One route as the OpenAPI document tells it. Its schemas are the ones that check requests. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/v1/models/{id}`. */
  readonly path: string;
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content;
  readonly answer: Content & { readonly description: string; readonly headers?: readonly AnswerHeader[] };
  /** The answer in other media types, for those who ask for one. */
  readonly otherAnswers?: readonly Content[];
  readonly errors: readonly ErrorStatus[];
  /** Errors are JSON as OpenAI's API has them; else they are what the document says of all. */
  readonly openAiErrors?: boolean;
  /** Needs no API key. */
  readonly open?: boolean;
}

export interface Content {
  /** `application/json` unless said otherwise. */
  readonly mediaType?: string;
  readonly schema: TSchema;
  readonly examples: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  /** `path` unless said otherwise. */
  readonly in?: 'path' | 'query';
  /** Parameters of the query may be left out unless this says otherwise. */
  readonly required?: boolean;
  readonly description: string;
  readonly example: string | number | boolean;
  /** A text unless said otherwise. */
  readonly schema?: TSchema;
}

export interface AnswerHeader {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'number' | 'integer';
}
