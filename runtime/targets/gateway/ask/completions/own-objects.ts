import type { Objects } from '../../accounts/objects/objects.ts';
import { unknownObject } from '../../accounts/objects/create-objects.ts';
import type { Json } from '../shapes/chat.ts';
import { canSee, type Viewer } from '../../shared/owner.ts';

/**
 * Throws a NotFoundError for a request that names a file or an earlier response of somebody else. Objects that were not created through
 * the gateway have no user, so they are left to the provider.
 */
export async function requireOwnObjects(
  objects: Pick<Objects, 'find'>,
  viewer: Viewer,
  body: Json,
  bytes: Uint8Array,
): Promise<void> {
  const { previous_response_id: previous } = body;
  if (typeof previous === 'string') await requireOwn(objects, viewer, 'response', previous);
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('"file_id"')) return;
  for (const id of new Set(fileIdsIn(body))) await requireOwn(objects, viewer, 'file', id);
}

async function requireOwn(
  objects: Pick<Objects, 'find'>,
  viewer: Viewer,
  kind: 'file' | 'response',
  id: string,
): Promise<void> {
  const object = await objects.find(kind, id);
  if (object && !canSee(viewer, object.space)) throw unknownObject(kind, id);
}

function fileIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fileIdsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === 'file_id' && typeof member === 'string' ? [member] : fileIdsIn(member),
  );
}
