import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import { readEvent } from '#serve/event-stream/event-data.ts';
import { eventText } from '../../../providers/streams/event-text.ts';
import type { ForwardedStream } from '../../../providers/streams/stream.ts';
import type { Placeholders } from './placeholders.ts';
import { escaped, escapedIn } from './restore-answer.ts';
import { continuationOf, mapDeltas, parseEvent } from './stream-deltas.ts';

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
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restoreWhole(member, key, skipsDeltas, placeholders)]),
  );
}
