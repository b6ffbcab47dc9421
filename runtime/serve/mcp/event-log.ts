/** What was sent over one stream, as long as it is remembered. */
export interface StreamLog {
  /** Remembers a message, as JSON; returns its number in the stream, from 1 on. */
  add(json: string): number;
  /** What came after that number. */
  after(number: number): readonly LoggedEvent[];
  /** The number of the last one. */
  readonly last: number;
  forget(): void;
}

interface LoggedEvent {
  readonly number: number;
  readonly json: string;
}

export interface EventLog {
  open(): StreamLog;
  /** Of all streams together. */
  readonly characters: number;
}

/**
 * Remembers what was sent, so that a client that lost its connection can have it again: all streams share so many characters,
 * and what was sent first is forgotten first.
 */
export function createEventLog(mostCharacters: number): EventLog {
  let characters = 0;
  /** In the order they came, those of each stream among themselves too. */
  const all = new Map<LoggedEvent, LoggedEvent[]>();
  const drop = (event: LoggedEvent): void => {
    if (all.delete(event)) characters -= event.json.length;
  };
  const makeRoom = (): void => {
    for (const [event, stream] of all) {
      if (characters <= mostCharacters) return;
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
