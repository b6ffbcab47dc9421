import { truncateWellFormed } from '../../shared/truncate-text.ts';
import type { TSchema } from 'typebox';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Steps } from '#core/limits/steps.ts';
import { runFairly } from '#platform/run-yielding.ts';
import type { MemberRange } from '#core/json/scan-json.ts';
import { createBodyParser } from '#serve/http/body.ts';
import { editMembers, listMembers, withNames, type JsonMember } from '../../shared/json-members.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CompletionRequest, PathMembers } from './completion.ts';
import { searchReferences } from '../../providers/references.ts';
import { AppError } from '#contract/errors.ts';
import { repeatedName } from '#core/json/repeated-name.ts';
import { isObject } from '#core/json/is-object.ts';
import type { HeaderReader, Payer } from '../../accounts/identity/identity.ts';
import { isTag, MAX_TAGS, TAG_RULE } from '../../shared/tag.ts';
import type { RequestPolicy } from '../../providers/shapes/policies.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';

/** A request whose format has been validated. */
export interface ReadRequest {
  readonly body: Json;
  /** The body as sent to a provider. */
  readonly bytes: Uint8Array;
  readonly members: ReturnType<typeof listMembers>;
  readonly model: string;
  /** IDs in the body that could refer to objects stored by a provider. */
  readonly references: ReadonlySet<string>;
}

/** Maximum nesting depth of a request body. Tool schemas can be deeply nested. */
const MAX_DEPTH = 200;

/** Creates the function that reads the body of a request that contains a model name. */
export function createRequestReader(): (
  request: Pick<CompletionRequest, 'bytes' | 'hold'>,
  schema: TSchema,
  /** Members that are specified in the path instead of the body. */
  inPath?: PathMembers,
) => Promise<ReadRequest> {
  const parse = createBodyParser({ maxDepth: MAX_DEPTH });
  const read = function* (
    { bytes: given, hold }: Pick<CompletionRequest, 'bytes' | 'hold'>,
    schema: TSchema,
    inPath?: PathMembers,
  ): Steps<ReadRequest> {
    const ranges: MemberRange[] = [];
    const effects = { hold, members: ranges };
    const parsed = membersOf(yield* parse(given, inPath ? withoutModel(schema) : schema, effects));
    yield;
    const body = inPath ? { ...parsed, ...omitUndefined({ ...inPath }) } : parsed;
    const bytes = withMembers(withoutByteOrderMark(given), inPath);
    const members = bytes === given ? withNames(bytes, ranges) : listMembers(bytes);
    requireDistinctMembers(members);
    requireOneModel(body);
    yield;
    const { ids: references, members: count } = yield* searchReferences(body);
    requireDistinctInside(bytes, members, count);
    return { body, bytes, members, model: requireWellFormedModel(body), references };
  };
  return async (request, schema, inPath) => runFairly(read(request, schema, inPath), request.bytes.length);
}

/** Schemas for requests with the model in the path, keyed by the schema for requests with the model in the body. */
const withoutModels = new WeakMap<TSchema, TSchema>();

function withoutModel(schema: TSchema): TSchema {
  const { required } = schema as { readonly required?: readonly string[] };
  if (!required?.includes('model')) return schema;
  const known = withoutModels.get(schema);
  if (known) return known;
  const { $id: _own, ...rest } = schema as TSchema & { readonly $id?: string };
  const changed = { ...rest, required: required.filter((name) => name !== 'model') };
  withoutModels.set(schema, changed);
  return changed;
}

/** Adds members from the request's path. */
function withMembers(bytes: Uint8Array, members: PathMembers | undefined): Uint8Array {
  if (!members) return bytes;
  const { model, stream } = members;
  return editMembers(bytes, {
    model: JSON.stringify(model),
    ...(stream !== undefined && { stream: JSON.stringify(stream) }),
  });
}

/** Removes a byte order mark, which some programs write and providers reject. */
const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef ? bytes.subarray(3) : bytes;

/** Replaces a request's metadata; null removes it. */
export function withMetadata(
  { body, bytes: given, members: known, ...rest }: ReadRequest,
  metadata: Json | null,
): ReadRequest {
  const { metadata: _, ...others } = body;
  const text = metadata === null ? undefined : JSON.stringify(metadata);
  const bytes = editMembers(given, { metadata: text }, known);
  const members = listMembers(bytes);
  return { ...rest, body: metadata === null ? others : { ...others, metadata }, bytes, members };
}

/**
 * Throws an InputError if two members of the request have the same name, ignoring case. The bytes are sent
 * to the provider unchanged, and the provider could use a different one of the two members than the
 * gateway: with another `model` or `max_tokens`, the request would have a different price.
 */
export function requireDistinctMembers(members: readonly JsonMember[]): void {
  const seen = new Map<string, string>();
  for (const { name } of members) {
    const lower = name.toLowerCase();
    const before = seen.get(lower);
    if (before !== undefined) throw ambiguous(before, name);
    seen.set(lower, name);
  }
}

/**
 * Throws an InputError if an object inside the body contains a name twice. `parsed` is the total number of
 * members of all objects in the parsed body, in which only the last of several members with the same name
 * is left.
 */
export function requireDistinctInside(
  bytes: Uint8Array,
  members: readonly JsonMember[],
  parsed: number,
): void {
  const written = members.reduce((sum, { inside }) => sum + inside, members.length);
  if (written === parsed) return;
  const name = repeatedName(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) ?? '';
  throw ambiguous(name, name);
}

function ambiguous(one: string, other: string): AppError {
  const [shown, also] = [one, other].map((name) => JSON.stringify(name.slice(0, 100)));
  const found = one === other ? `${shown} twice` : `both ${shown} and ${also}`;
  const message = `The body has ${found}, and the provider might use a different one than the gateway. Send only one.`;
  return new AppError('InputError', message, {
    details: [{ location: `body.${other.slice(0, 100)}`, message }],
  });
}

/**
 * Returns the model name. Throws an InputError if it contains an unpaired surrogate, which is possible in
 * JSON but not in a URL.
 */
function requireWellFormedModel({ model }: Json): string {
  if (typeof model === 'string' && model.isWellFormed()) return model;
  const message = 'model must be valid Unicode; it contains an unpaired surrogate';
  throw new AppError('InputError', message, { details: [{ location: 'body.model', message }] });
}

/** Members in which aggregators such as OpenRouter accept fallback models. */
export const FURTHER_MODELS = ['models', 'fallbacks', 'fallback_models', 'fallbackModels'];

/**
 * Throws an InputError if the request specifies fallback models, because the gateway applies the
 * permissions, prices and limits of `model`.
 */
export function requireOneModel(body: Json): void {
  const name = FURTHER_MODELS.find((one) => Array.isArray(body[one]) && body[one].length > 0);
  if (name === undefined) return;
  const message = `${name} lists more models, but permissions and prices are checked for one model per request. Use an alias with fallbacks instead.`;
  throw new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
}

/** The header with comma-separated tags. */
const TAGS_HEADER = 'x-gateway-tags';

const MEMBER = 'body.metadata.tags';

/**
 * A request's tags, and its metadata without the tags. The list of tags is removed because providers only
 * accept strings in metadata.
 */
interface TaggedRequest {
  readonly tags: readonly string[];
  /** The new value of `metadata`: null removes `metadata`, undefined leaves it unchanged. */
  readonly metadata?: Json | null | undefined;
}

/** Reads tags from the header, and from `metadata.tags` if it is a list. Throws an InputError for an invalid tag. */
export function tagsOf(headers: HeaderReader, { metadata }: Json): TaggedRequest {
  const header = headers.get(TAGS_HEADER);
  if (!header && !isObject(metadata)) return NO_TAGS;
  const inHeader = (header ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const tags = inHeader.map((text) => checked(text, `header.${TAGS_HEADER}`));
  if (!isObject(metadata) || !Array.isArray(metadata['tags'])) return { tags: unique(tags) };
  const { tags: inBody, ...rest } = metadata;
  const all = [...tags, ...(inBody as unknown[]).map((text) => checked(text, MEMBER))];
  return { tags: unique(all), metadata: Object.keys(rest).length === 0 ? null : rest };
}

const NO_TAGS: TaggedRequest = { tags: [] };

function checked(text: unknown, location: string): string {
  if (typeof text === 'string' && isTag(text)) return text;
  throw refusal(location, `Invalid tag ${JSON.stringify(text)?.slice(0, 100)}: expected ${TAG_RULE}.`);
}

function unique(tags: readonly string[]): string[] {
  const found = [...new Set(tags)];
  if (found.length <= MAX_TAGS) return found;
  throw refusal(`header.${TAGS_HEADER}`, `The request has ${found.length} tags; the maximum is ${MAX_TAGS}.`);
}

const refusal = (location: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location, message }] });

/** The users specified in a request. */
interface NamedUsers {
  /** The user to bill; undefined if the credential determines it. */
  readonly payer: string | undefined;
  /** The client's own user, which is recorded without verification. */
  readonly endUser: string | undefined;
}

/** Maximum length of a recorded user name, so that requests cannot fill the database with long names. */
const MAX_LENGTH = 256;

export function usersOf(
  rules: Pick<EndpointRules, 'user' | 'endUser'>,
  body: Json,
  caller: Payer,
  { userField }: RequestPolicy,
): NamedUsers {
  const user = rules.user(body, caller);
  // With other credentials, the user specified by the request or the job is always the payer.
  const isPayer = caller.kind !== 'key' || userField === 'payer';
  const endUser = (isPayer ? undefined : user) || rules.endUser(body);
  const isOwn = caller.kind === 'master' && endUser === user;
  return {
    payer: isPayer ? user : undefined,
    endUser: !endUser || isOwn ? undefined : truncateWellFormed(endUser, MAX_LENGTH),
  };
}

/** Client headers to pass to a provider with the same API; undefined if there are none. */
export function forwardedHeaders(
  headers: CompletionRequest['headers'],
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (names.length === 0) return undefined;
  const entries = names.flatMap((name) => {
    const value = headers.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
