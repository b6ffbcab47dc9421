import { isObject } from '../../../../../core/json/is-object.ts';
import { membersOf } from '../../../../../core/json/members-of.ts';
import { parseJsonText } from '../../../../../core/json/json-text.ts';
import { createFrameSplitter } from '../../../../../serve/event-stream/event-frames.ts';
import { readEvent } from '../../../../../serve/event-stream/event-data.ts';
import { eventText } from '../../streams/event-text.ts';
import type { ForwardedStream } from '../../streams/stream.ts';
import type { Placeholders } from './placeholders.ts';
import { escaped, escapedIn } from './restore-answer.ts';

/** Puts masked values back into a stream of any API. A placeholder can be cut over several events. */
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

/** The end of a text that can be the beginning of a placeholder, and the event that it came in. */
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

  /** Events with what is held, in which all other texts are empty. */
  const flush = (): string => {
    const out = [...held].map(([key, { text, event, data }]) =>
      eventText(
        mapDeltas(data, (other) => (other.key === key ? text : '')),
        event,
      ),
    );
    held.clear();
    return out.join('');
  };
  const restoreFrame = (frame: Buffer): string => {
    const { event, data } = readEvent(frame);
    if (data === undefined) return frame.toString('utf8');
    const json = data.startsWith('{') ? parse(data) : undefined;
    if (json === undefined) return flush() + frame.toString('utf8');
    if (json['type'] === 'ping') return frame.toString('utf8');
    let hasDelta = false;
    const changed = mapDeltas(json, ({ key, text, isJson }) => {
      hasDelta = true;
      const all = (held.get(key)?.text ?? '') + text;
      const open = placeholders.openEnd(all);
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

function parse(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return membersOf(parseJsonText(data));
  } catch {
    return undefined;
  }
}

/** A piece of a text that continues in later events. */
interface Delta {
  /** Identifies the text in the stream. */
  readonly key: string;
  readonly text: string;
  /** Whether the text is JSON, e.g. arguments of a tool. */
  readonly isJson: boolean;
}

/** Members that identify which text an event continues. */
const IDENTITIES = ['type', 'item_id', 'output_index', 'content_index', 'summary_index', 'index'];
/** Members of pieces that are no text. */
const NO_TEXTS = new Set(['type', 'role', 'id', 'name', 'signature', 'item_id', 'obfuscation', 'call_id']);

const identityText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Replaces the pieces of texts in an event of any API: what is in `delta`, and `text` in choices and parts. */
function mapDeltas(event: object, change: (delta: Delta) => string): object {
  const isArguments = /arguments|input_json/.test(identityText(membersOf(event)['type']));
  const visit = (value: unknown, path: string, name: string, isDelta: boolean): unknown => {
    if (typeof value === 'string') {
      if (!isDelta || NO_TEXTS.has(name)) return value;
      const isJson = isArguments || escapedIn(name) !== undefined;
      return change({ key: path, text: value, isJson });
    }
    if (Array.isArray(value)) {
      const isPiece = isDelta || name === 'choices' || name === 'parts';
      return value.map((item, place) =>
        visit(
          item,
          `${path}.${identityText(membersOf(item)['index'] ?? place)}`,
          name,
          isPiece && name !== 'choices',
        ),
      );
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const isPiece = isDelta || key === 'delta' || (name === 'choices' && key === 'text');
        return [key, visit(member, `${path}.${key}`, key, isPiece)];
      }),
    );
  };
  const members = membersOf(event);
  const identity = IDENTITIES.map((name) => identityText(members[name])).join(' ');
  return membersOf(visit(event, identity, '', false));
}

/** Restores the texts that are complete in one event. */
function restoreWhole(
  value: unknown,
  name: string,
  skipsDeltas: boolean,
  placeholders: Placeholders,
): unknown {
  if (skipsDeltas && (name === 'delta' || name === 'choices' || name === 'parts')) return value;
  if (typeof value === 'string') return placeholders.restore(value, escapedIn(name));
  if (Array.isArray(value)) return value.map((item) => restoreWhole(item, name, skipsDeltas, placeholders));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restoreWhole(member, key, skipsDeltas, placeholders)]),
  );
}
