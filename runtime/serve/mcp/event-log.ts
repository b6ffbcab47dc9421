/** The messages of one stream that are still kept. */
export interface StreamLog {
  /** Records a JSON message; returns its number in the stream, starting at 1. */
  add(json: string): number;
  /** Returns the messages after a number. */
  after(number: number): readonly LoggedEvent[];
  /** Number of the last message. */
  readonly last: number;
  forget(): void;
}

interface LoggedEvent {
  readonly number: number;
  readonly json: string;
}

export interface EventLog {
  open(): StreamLog;
  /** Total length of all streams in characters. */
  readonly characters: number;
}

/**
 * Records sent messages, so that a client that has lost its connection can resume the stream. All
 * streams share one limit. If it is exceeded, the oldest messages are dropped.
 */
export function createEventLog(maxCharacters: number): EventLog {
  let characters = 0;
  /** All messages in order of arrival, each with the list of its stream. */
  const all = new Map<LoggedEvent, LoggedEvent[]>();
  const drop = (event: LoggedEvent): void => {
    if (all.delete(event)) characters -= event.json.length;
  };
  const makeRoom = (): void => {
    for (const [event, stream] of all) {
      if (characters <= maxCharacters) return;
      stream.shift();
      drop(event);
    }
  };
  return {
    open() {
      const own: LoggedEvent[] = [];
      let last = 0;
      return {
        add(json) {
          last += 1;
          const event = { number: last, json };
          own.push(event);
          all.set(event, own);
          characters += json.length;
          makeRoom();
          return last;
        },
        get last() {
          return last;
        },
        after: (number) => own.filter((event) => event.number > number),
        forget() {
          own.forEach(drop);
          own.length = 0;
        },
      };
    },
    get characters() {
      return characters;
    },
  };
}
