import type { Session } from '#serve/http/pages/browser/session.ts';
import type { Model, Sent } from './tasks/task.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { counted } from '#serve/http/pages/browser/format.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

interface Token {
  readonly id: number;
  readonly text: string;
  readonly special: boolean;
  readonly start: number | null;
  readonly end: number | null;
}

/** The tokens of the texts. They are requested when the user opens this section. */
export function tokensDetails(sent: readonly Sent[], session: Session) {
  const place = element('div', { class: 'token-lists' });
  const details = element('details', { class: 'raw' }, element('summary', {}, 'Tokens'), place);
  details.addEventListener('toggle', () => void (details.open && place.childElementCount === 0 && show()));
  const show = async () => {
    try {
      const lists = await tokensOf(sent, session);
      place.replaceChildren(...sent.map(({ number }, at) => tokenList(number, lists[at] ?? [])));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      place.replaceChildren(failed(error, () => void show()));
    }
  };
  return details;
}

const tokensOf = async (sent: readonly Sent[], session: Session): Promise<Token[][]> =>
  (await session.call<Token[][]>('tokenize', { body: { inputs: sent.map(({ text }) => text) } })).data;

function tokenList(number: number, tokens: readonly Token[]) {
  const items = tokens.map(({ id, text, special }) =>
    element(
      'li',
      { class: special ? 'special' : '', title: `Token ${id}` },
      element('code', {}, text),
      element('span', {}, String(id)),
    ),
  );
  return element(
    'section',
    {},
    element('h3', {}, `Text ${number}: ${counted(tokens.length, 'token')}`),
    element('ol', { class: 'tokens', 'aria-label': `Tokens in text ${number}` }, ...items),
  );
}

/** Shows the part of each truncated text that the model did not process. */
export async function showUnread(
  place: HTMLElement,
  truncated: readonly Sent[],
  session: Session,
  model: Model,
) {
  const parts = await unreadParts(truncated, session, model);
  place.replaceChildren(
    ...parts.map(({ number, before, after }) => {
      const name = `Unprocessed part of text ${number}`;
      const words = [before, after].filter((part) => part !== '').join(' … ');
      return element(
        'details',
        {},
        element('summary', {}, `${name}: ${counted(Array.from(words).length, 'character')}`),
        element('pre', { class: 'unread', tabindex: 0, role: 'region', 'aria-label': name }, words),
      );
    }),
  );
}

/**
 * Returns the part of each truncated text that the model did not process. The server's tokenizer
 * truncates texts in the same way as the model.
 */
async function unreadParts(
  truncated: readonly Sent[],
  session: Session,
  { prompts, default_prompt_name: prompt }: Model,
) {
  const lists = await tokensOf(truncated, session);
  const offset = prompt === undefined ? 0 : Array.from(prompts?.[prompt] ?? '').length;
  return truncated.map(({ number, text }, at) => ({ number, ...unreadPart(text, lists[at] ?? [], offset) }));
}

/**
 * Returns the text before and after the tokens. Offsets count Unicode code points. `offset` is the
 * number of code points in the prompt that precedes the text.
 */
export function unreadPart(text: string, tokens: readonly Token[], offset = 0) {
  const characters = Array.from(text);
  const read = tokens.filter(({ special, end }) => !special && end !== null && end > offset);
  if (read.length === 0) return { before: '', after: text };
  const [start, end] = [(read[0]?.start ?? 0) - offset, (read.at(-1)?.end ?? 0) - offset];
  return {
    before: characters.slice(0, Math.max(0, start)).join('').trim(),
    after: characters.slice(end).join('').trim(),
  };
}
