import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../shapes/chat.ts';
import { idsOfItem, MAX_CREATED_IDS } from '../references/created-ids.ts';
import { createdWith } from '../references/created-with.ts';
import type { EventDecoder, OpenedStream, StoredAnswerState } from '../streams/stream.ts';

interface WatchedStream {
  readonly decode: EventDecoder;
  readonly withStored: (stream: OpenedStream) => OpenedStream;
}

/** Adds to the summary of a stream which answer the provider stores, and what it creates with it. The first event has the id of the answer. */
export function watchStored(
  decode: EventDecoder,
  stateOf: (response: Json) => StoredAnswerState | undefined,
): WatchedStream {
  let stored: StoredAnswerState | undefined;
  const items = new Set<string>();
  const created = new Set<string>();
  return {
    decode(event, data) {
      if (event === 'response.created')
        stored = stateOf(membersOf(membersOf(parseJsonText(data))['response']));
      else if (stored && event === 'response.output_item.added' && items.size < MAX_CREATED_IDS)
        for (const id of idsOfItem(membersOf(parseJsonText(data))['item'])) items.add(id);
      if (created.size < MAX_CREATED_IDS) for (const id of createdWith(data)) created.add(id);
      return decode(event, data);
    },
    withStored: (stream) => ({
      ...stream,
      forward: (options) =>
        stream.forward({
          ...options,
          // A stream that ends has a result.
          settle: (summary) =>
            options.settle({
              ...summary,
              ...(stored && { stored: { ...stored, isQueued: false, items: [...items] } }),
              created: [...created],
            }),
        }),
    }),
  };
}
