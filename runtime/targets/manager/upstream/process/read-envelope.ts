/** What a message's start and end reveal about it. */
export interface Envelope {
  /** Whether it starts like a message or a batch; otherwise, it is text from the server. */
  readonly isMessage: boolean;
  readonly id?: string | number | undefined;
  readonly method?: string | undefined;
}

/**
 * A message member other than its content. SDKs write these before or after the content, with values without
 * escapes.
 */
const MEMBER = String.raw`"(jsonrpc|id|method)"[ \t]*:[ \t]*(?:"([^"\\]{0,200})"|(-?\d{1,15}))[ \t]*`;
const FIRST = new RegExp(`${MEMBER},[ \\t]*`, 'y');
const LAST = new RegExp(`,[ \\t]*${MEMBER}`, 'y');

/** Extracts a message's ID and method when only its start and end are known. */
export function readEnvelope(head: string, tail: string): Envelope {
  const start = /^[ \t\r]*([{[])[ \t]*/.exec(head);
  if (!start) return { isMessage: false };
  // Batches are not searched for responses: only a single 2025 revision supports batches.
  if (start[1] === '[') return { isMessage: true };
  const members = new Map<string, string | number>();
  for (let at = start[0].length; ; at = FIRST.lastIndex) {
    FIRST.lastIndex = at;
    const found = FIRST.exec(head);
    if (!found) break;
    members.set(...memberIn(found));
  }
  for (const [name, value] of lastMembers(tail)) members.set(name, value);
  const [id, method] = [members.get('id'), members.get('method')];
  return {
    isMessage: true,
    ...(id !== undefined && { id }),
    ...(typeof method === 'string' && { method }),
  };
}

/** Returns the members between the content and the end of the message. */
function lastMembers(tail: string): Member[] {
  const end = tail.trimEnd().length - 1;
  if (tail[end] !== '}') return [];
  // The content ends with the last bracket before them: their values contain no brackets, except in an ID
  // that is a text.
  let at = Math.max(tail.lastIndexOf('}', end - 1), tail.lastIndexOf(']', end - 1)) + 1;
  const found: Member[] = [];
  while (at < end) {
    LAST.lastIndex = at;
    const member = LAST.exec(tail);
    if (!member) return [];
    found.push(memberIn(member));
    at = LAST.lastIndex;
  }
  return at === end ? found : [];
}

type Member = readonly [name: string, value: string | number];

const memberIn = ([, name = '', text, digits]: RegExpExecArray): Member => [name, text ?? Number(digits)];
