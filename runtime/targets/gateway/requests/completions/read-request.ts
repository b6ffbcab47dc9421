import type { TSchema } from 'typebox';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Steps } from '#core/limits/steps.ts';
import { runFairly } from '#platform/run-yielding.ts';
import { createBodyParser } from '#serve/http/body.ts';
import { editMembers, listMembers } from '../../shared/json-members.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CompletionRequest, PathMembers } from './completion.ts';
import { searchReferences } from '../../providers/references/references-in.ts';
import {
  requireDistinctInside,
  requireDistinctMembers,
  requireOneModel,
  requireWellFormedModel,
} from './check-body.ts';

/** A request whose form was checked. */
export interface ReadRequest {
  readonly body: Json;
  /** The body as it is sent to a provider. */
  readonly bytes: Uint8Array;
  readonly members: ReturnType<typeof listMembers>;
  readonly model: string;
  /** Ids that a provider could look up. */
  readonly references: ReadonlySet<string>;
}

/** Maximum nesting of a body. Requests contain schemas of tools, which can be deep. */
const MAX_DEPTH = 200;

/** Creates the function that reads the body of a request that names a model. */
export function createRequestReader(): (
  request: Pick<CompletionRequest, 'bytes' | 'hold'>,
  schema: TSchema,
  /** Members that the path of the request has instead of its body. */
  inPath?: PathMembers,
) => Promise<ReadRequest> {
  const parse = createBodyParser({ maxDepth: MAX_DEPTH });
  const read = function* (
    { bytes: given, hold }: Pick<CompletionRequest, 'bytes' | 'hold'>,
    schema: TSchema,
    inPath?: PathMembers,
  ): Steps<ReadRequest> {
    const parsed = membersOf(yield* parse(given, inPath ? withoutModel(schema) : schema, hold));
    yield;
    const body = inPath ? { ...parsed, ...omitUndefined({ ...inPath }) } : parsed;
    const bytes = withMembers(withoutByteOrderMark(given), inPath);
    const members = listMembers(bytes);
    requireDistinctMembers(members);
    requireOneModel(body);
    yield;
    const { ids: references, members: count } = yield* searchReferences(body);
    requireDistinctInside(bytes, members, count);
    return { body, bytes, members, model: requireWellFormedModel(body), references };
  };
  return async (request, schema, inPath) => runFairly(read(request, schema, inPath), request.bytes.length);
}

/** Schemas of requests that the path names the model of, by the schema of the body that names it. */
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

/** Adds members that are in the path of the request. */
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

/** Replaces the metadata of a request; null removes it. */
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
