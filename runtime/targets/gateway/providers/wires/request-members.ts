import { isObject } from '#core/json/is-object.ts';
import { inputError, AppError } from '#contract/errors.ts';
import type { Json, ChatCompletion, ChatRequest } from '../shapes/chat.ts';
import type { MemberEdits } from '../../shared/json-members.ts';
import type { EventEncoder, StreamSyntax } from '../streams/stream.ts';

// Functions that read the members of a request that is to be translated. They throw an InputError that
// contains the path of the invalid member.

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

/** Calls a validator for each object in an optional list, with the object's path. */
export function eachAt(value: unknown, place: string, check: (item: Json, place: string) => void): void {
  for (const [at, item] of objectsAt(value, place).entries()) check(item, `${place}[${at}]`);
}

/** Validates an optional member that is a string or a list of parts. */
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
  // The contents of lists and objects are not included, because they can be of any size.
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
   * The changes to make to a request for a provider with this API. They remove what the gateway has added
   * to responses from other providers.
   */
  nativeEdits?(body: Json): MemberEdits;
  fromChat(answer: ChatCompletion, request: Json): Json;
  /** Creates an encoder for one stream. */
  encoder(request: Json, facts: AnswerFacts): EventEncoder;
  readonly syntax: StreamSyntax;
  /**
   * The changes that rename the model in a response or event of this API; undefined if the response or
   * event contains no model name.
   */
  renames(json: Json, model: string): MemberEdits | undefined;
}
