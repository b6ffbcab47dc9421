import { editMembers } from '../../shared/json-members.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { readEvent } from '#serve/event-stream/event-data.ts';
import type { Json } from '../shapes/chat.ts';
import type { ClientWire } from '../wires/client-wire.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Replaces the name of the model in an answer. All other bytes stay the same. */
export function renameInAnswer(wire: ClientWire, bytes: Uint8Array, json: Json, model: string): Uint8Array {
  const edits = wire.renames(json, model);
  return edits ? editMembers(bytes, edits) : bytes;
}

/** Replaces the name of the model in one event of a stream. All other bytes stay the same. */
export function renameInEvent(wire: ClientWire, frame: Buffer, model: string): Buffer {
  const { data } = readEvent(frame);
  if (data === undefined || !data.startsWith('{')) return frame;
  const edits = wire.renames(membersOf(parseJsonText(data)), model);
  const at = edits ? frame.indexOf(data) : -1;
  if (!edits || at === -1) return frame;
  const end = at + Buffer.byteLength(data);
  return Buffer.concat([
    frame.subarray(0, at),
    editMembers(frame.subarray(at, end), edits),
    frame.subarray(end),
  ]);
}
