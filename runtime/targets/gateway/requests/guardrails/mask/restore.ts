import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import type { Placeholders } from './placeholders.ts';
import { createFrameSplitter, readEvent } from '#serve/event-stream/event-frames.ts';
import { eventText, type ForwardedStream } from '../../../providers/streams/stream.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Replaces placeholders with the original values. */
type Restorer = Pick<Placeholders, 'restore'>;

/** Members whose text is itself JSON, so that restored values must be escaped. */
const JSON_TEXTS = new Set(['arguments', 'partial_json']);

export const escapedIn = (name: string): ((value: string) => string) | undefined =>
  JSON_TEXTS.has(name) ? escaped : undefined;

export const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Restores masked values in all texts of a response, whose default type is JSON. */
export function restoreAnswer(bytes: Uint8Array, placeholders: Restorer, type?: string): Uint8Array {
  if (isBinary(type)) return bytes;
  const text = Buffer.from(bytes).toString('utf8');
  if (!isJsonType(type)) return Buffer.from(placeholders.restore(text));
  const json = parseLossless(text);
  return Buffer.from(JSON.stringify(restored(json, '', placeholders)));
}

export const isJsonType = (type: string | undefined): boolean => type === undefined || type.includes('json');

/** Whether a response is audio, which has no texts. */
export const isBinary = (type: string | undefined): boolean =>
  type !== undefined && !isJsonType(type) && !type.startsWith('text/');

function restored(value: unknown, name: string, placeholders: Restorer): unknown {
  if (typeof value === 'string') return placeholders.restore(value, escapedIn(name));
  if (Array.isArray(value)) return value.map((item) => restored(item, name, placeholders));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restored(member, key, placeholders)]),
  );
}

/** Restores masked values in a stream of any API. A placeholder can be split across several events. */
export function restoreStream(events: ForwardedStream, placeholders: Placeholders): ForwardedStream {
  const restorer = createStreamRestorer(placeholders);
  let isOver = false;
  return {
    ...events,
    async next() {
      if (isOver) return { done: true, value: undefined };
      const piece = await events.next();
      if (!piece.done) return { done: false, value: restorer.push(Buffer.from(piece.value)) };
      isOver = true;
      const rest = restorer.end();
      return rest.length > 0 ? { done: false, value: rest } : piece;
    },
  };
}

/** The end of a text that could be the beginning of a placeholder, and the event in which it arrived. */
interface Held {
  readonly text: string;
  readonly event: string | undefined;
  readonly data: object;
}

interface StreamRestorer {
  push(piece: Buffer): Buffer;
  end(): Buffer;
}

/** @internal Exported for tests only. */
export function createStreamRestorer(placeholders: Placeholders): StreamRestorer {
  const splitter = createFrameSplitter();
  const held = new Map<string, Held>();

  /** Returns events that contain the held text; all other texts in them are empty. */
  const flush = (): string => {
    const out = [...held].map(([key, { text, event, data }]) =>
      eventText(continuationOf(data, key, text), event),
    );
    held.clear();
    return out.join('');
  };
  const restoreFrame = (frame: Buffer): string => {
    const { event, data } = readEvent(frame);
    if (data === undefined) return frame.toString('utf8');
    const json = parseEvent(data);
    if (json === undefined) return flush() + frame.toString('utf8');
    if (json['type'] === 'ping') return frame.toString('utf8');
    let hasDelta = false;
    const changed = mapDeltas(json, ({ key, text, isJson, isLast }) => {
      hasDelta = true;
      const all = (held.get(key)?.text ?? '') + text;
      const open = isLast ? all.length : placeholders.openEnd(all);
      held.delete(key);
      if (open < all.length) held.set(key, { text: all.slice(open), event, data: json });
      return placeholders.restore(all.slice(0, open), isJson ? escaped : undefined);
    });
    const before = hasDelta ? '' : flush();
    return before + eventText(restoreWhole(changed, '', hasDelta, placeholders), event);
  };
  return {
    push: (piece) => Buffer.from(splitter.push(piece).map(restoreFrame).join('')),
    end() {
      const rest = splitter.end();
      return Buffer.from((rest ? restoreFrame(rest) : '') + flush());
    },
  };
}

/** Restores texts that are complete within one event. */
function restoreWhole(
  value: unknown,
  name: string,
  skipsDeltas: boolean,
  placeholders: Placeholders,
): unknown {
  if (skipsDeltas && (name === 'delta' || name === 'choices' || name === 'parts')) return value;
  if (typeof value === 'string') return placeholders.restore(value, escapedIn(name));
  if (Array.isArray(value)) return value.map((item) => restoreWhole(item, name, skipsDeltas, placeholders));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restoreWhole(member, key, skipsDeltas, placeholders)]),
  );
}

/** An event's data; undefined if it is not an object. */
export function parseEvent(data: string): Readonly<Record<string, unknown>> | undefined {
  if (!data.startsWith('{')) return undefined;
  try {
    return membersOf(parseLossless(data));
  } catch {
    return undefined;
  }
}

/** A piece of a text that continues in later events. */
export interface Delta {
  /** Identifies the text within the stream. */
  readonly key: string;
  readonly text: string;
  /** Names of the members that contain the text, outermost first. */
  readonly names: readonly string[];
  /** Whether the text is a complete argument in an object of tool arguments. */
  readonly isArgument: boolean;
  /** Whether the text is JSON, e.g. tool arguments. */
  readonly isJson: boolean;
  /** Whether the event ends the response, so that the text does not continue. */
  readonly isLast: boolean;
}

/** Members that identify which text an event continues. */
const IDENTITIES = ['type', 'item_id', 'output_index', 'content_index', 'summary_index', 'index'];

/** Members of pieces that do not contain text. */
const NO_TEXTS = new Set(['type', 'role', 'id', 'name', 'signature', 'item_id', 'obfuscation', 'call_id']);

const identityText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Replaces the pieces of texts in an event of any API: those in `delta`, and `text` in choices and parts. */
export function mapDeltas(event: object, change: (delta: Delta) => string): object {
  const members = membersOf(event);
  const isArguments = /arguments|input_json/.test(identityText(members['type']));
  interface Place {
    readonly path: string;
    readonly names: readonly string[];
    readonly isDelta: boolean;
    readonly isArgument: boolean;
    readonly isLast: boolean;
  }
  const visit = (value: unknown, place: Place): unknown => {
    const { path, names, isDelta, isArgument, isLast } = place;
    const name = names.at(-1) ?? '';
    if (typeof value === 'string') {
      if (!isDelta || (!isArgument && NO_TEXTS.has(name))) return value;
      const isJson = !isArgument && (isArguments || escapedIn(name) !== undefined);
      return change({ key: path, text: value, names, isArgument, isJson, isLast });
    }
    if (Array.isArray(value)) {
      const isPiece = isDelta || name === 'parts';
      return value.map((item, index) => {
        const { index: ownIndex = index, thought } = membersOf(item);
        // Gemini sends thoughts and output as parts at the same position.
        const own = `${path}.${identityText(ownIndex)}${thought === true ? ' thought' : ''}`;
        return visit(item, { ...place, path: own, isDelta: isPiece });
      });
    }
    if (!isObject(value) || isRawNumber(value)) return value;
    const ends = isLast || isEnd(value['finish_reason']) || isEnd(value['finishReason']);
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const isPiece = isDelta || key === 'delta' || (name === 'choices' && key === 'text');
        return [
          key,
          visit(member, {
            path: `${path}.${key}`,
            names: [...names, key],
            isDelta: isPiece,
            isArgument: isArgument || (isDelta && name === 'functionCall' && key === 'args'),
            isLast: ends,
          }),
        ];
      }),
    );
  };
  const identity = IDENTITIES.map((name) => identityText(members[name])).join(' ');
  const place = { path: identity, names: [], isDelta: false, isArgument: false, isLast: false };
  return membersOf(visit(event, place));
}

const isEnd = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

/**
 * Members that are only sent in the first piece, because chat completions clients would append them to the
 * earlier values.
 */
const SENT_ONCE = new Set(['id', 'name', 'role']);

/** An event that continues only a single text of another event. */
export function continuationOf(event: object, key: string, text: string): object {
  const { choices, candidates, ...others } = membersOf(
    mapDeltas(event, (other) => (other.key === key ? text : '')),
  );
  return {
    ...others,
    ...(choices === undefined ? {} : { choices: withoutSent(choices) }),
    ...(candidates === undefined ? {} : { candidates: withoutSent(candidates) }),
  };
}

function withoutSent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSent);
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !SENT_ONCE.has(name))
      .map(([name, member]) => [
        name,
        name === 'parts' && Array.isArray(member) ? member.filter(hasText) : withoutSent(member),
      ]),
  );
}

const hasText = (part: unknown): boolean => {
  const { text } = membersOf(part);
  return typeof text === 'string' && text !== '';
};
