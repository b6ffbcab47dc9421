import type { TSchema } from 'typebox';
import type { ErrorStatus } from './statuses.ts';

/** One route as the OpenAPI document tells it. Its schemas are the ones that check requests. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it: `/v1/models/{id}`. */
  readonly path: string;
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly request?: Content & { readonly optional?: boolean };
  readonly answer: (Content & Answer) | (Answer & { readonly empty: true });
  /** 200, or 204 of an empty answer, unless said otherwise. */
  readonly statuses?: readonly (200 | 201 | 204)[];
  /** The answer in other media types, for those who ask for one. */
  readonly otherAnswers?: readonly Content[];
  readonly errors: readonly ErrorStatus[];
  /** Errors that look unlike all others. */
  readonly ownErrors?: Readonly<Partial<Record<ErrorStatus, Content & Answer>>>;
  /** Errors are JSON as OpenAI's API has them; else they are what the document says of all. */
  readonly openAiErrors?: boolean;
  /** Needs no API key. */
  readonly open?: boolean;
}

interface Answer {
  readonly description: string;
  readonly headers?: readonly AnswerHeader[];
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
