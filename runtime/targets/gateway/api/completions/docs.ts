import type { TSchema } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';

/** The description of a route that calls models in the OpenAPI document. */
export interface EndpointDocs {
  readonly id: string;
  /** Default: `Models`. */
  readonly tag?: string;
  readonly parameters?: Operation['parameters'];
  readonly summary: string;
  readonly description: string;
  readonly request: object;
  readonly answer: TSchema;
  readonly example: unknown;
  /** Whether a request can ask for events, or gets nothing else. */
  readonly streams: boolean | 'only';
  /** Media type of the answer. Default: JSON. */
  readonly answerType?: string;
  /** Other media types of answers. */
  readonly otherTypes?: readonly string[];
}

export const PASSED_THROUGH =
  'Other members are passed to the provider, and its answer is returned unchanged.';
