import { isObject } from '#core/json/is-object.ts';
import { inputError, AppError } from '#contract/errors.ts';
import type { Json, ChatCompletion, ChatRequest } from '../shapes/chat.ts';
import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventEncoder, StreamSyntax } from '../streams/stream.ts';

// Functions that read members of a request to be translated. They throw an InputError with the path of an
// invalid member.

export function textAt(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  throw invalid(value, place, 'text');
}

export function objectAt(value: unknown, place: string): Json {
  if (isObject(value)) return value;
  throw invalid(value, place, 'an object');
}

/** The objects in a list; empty if it is absent. */
export function objectsAt(value: unknown, place: string): readonly Json[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw invalid(value, place, 'a list of objects');
  return value.map((item, at) => objectAt(item, `${place}[${at}]`));
}

/** Validates each object in an optional list, with its path. */
export function eachAt(value: unknown, place: string, check: (item: Json, place: string) => void): void {
  for (const [at, item] of objectsAt(value, place).entries()) check(item, `${place}[${at}]`);
}

/** Validates an optional member that is a text or a list of parts. */
export function contentAt(value: unknown, place: string, check: (part: Json, place: string) => void): void {
  if (typeof value === 'string' || isAbsent(value)) return;
  if (!Array.isArray(value)) throw invalid(value, place, 'text or a list of parts');
  eachAt(value, place, check);
}

export function optionalTextAt(value: unknown, place: string): void {
  if (!isAbsent(value)) textAt(value, place);
}

export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

function invalid(value: unknown, place: string, what: string): AppError {
  if (value === undefined) return inputError(`${place} must be ${what}, but it is missing`);
  // Contents of lists and objects are not shown, because they can have any size.
  const shown = Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : JSON.stringify(value);
  return inputError(`${place} must be ${what}, not ${shown.slice(0, 40)}`);
}

/** The error for a feature of one client API that providers with other APIs do not support. */
export const refuse = (feature: string): AppError =>
  new AppError(
    'NotImplementedError',
    `The provider of this model does not support ${feature}. Remove it, or use a model from a provider with this API.`,
  );

/** Response metadata that providers do not always report. */
export interface AnswerFacts {
  readonly model: string;
  /** Creation time in seconds since 1970. */
  readonly created: number;
}

/** A client API, with translations to and from the internal format. */
export interface ClientWire {
  /** Translates a request. Throws an InputError for members that the internal format cannot express. */
  toChat(body: Json): ChatRequest;
  /**
   * Changes to a request for a provider with this API: removes what the gateway has added to responses from
   * other providers.
   */
  nativeEdits?(body: Json): MemberEdits;
  fromChat(answer: ChatCompletion, request: Json): Json;
  /** Creates an encoder for one stream. */
  encoder(request: Json, facts: AnswerFacts): EventEncoder;
  readonly syntax: StreamSyntax;
  /** Changes that rename the model in a response or event of this API; undefined if it contains no model name. */
  renames(json: Json, model: string): MemberEdits | undefined;
}
