/** @import { Session } from './session.js' */
/** @import { Model, Sent } from './tasks/index.js' */
import { failed } from './components/states.js';
import { counted } from './counted.js';
import { element } from './dom.js';
import { ServerError } from './server.js';

/** @typedef {{ id: number, text: string, special: boolean, start: number | null, end: number | null }} Token */

/**
 * The tokens of the texts, which are requested when they are opened.
 * @param {readonly Sent[]} sent
 * @param {Session} session
 */
export function tokensDetails(sent, session) {
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

/**
 * @param {readonly Sent[]} sent
 * @param {Session} session
 * @returns {Promise<Token[][]>}
 */
const tokensOf = async (sent, session) =>
  (await session.call('tokenize', { body: { inputs: sent.map(({ text }) => text) } })).data;

/**
 * @param {number} number
 * @param {readonly Token[]} tokens
 */
function tokenList(number, tokens) {
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
    element('ol', { class: 'tokens', 'aria-label': `Tokens of text ${number}` }, ...items),
  );
}

/**
 * Shows the part of each truncated text that the model has not read.
 * @param {HTMLElement} place
 * @param {readonly Sent[]} truncated
 * @param {Session} session
 * @param {Model} model
 */
export async function showUnread(place, truncated, session, model) {
  const parts = await unreadParts(truncated, session, model);
  place.replaceChildren(
    ...parts.map(({ number, before, after }) => {
      const name = `Not read of text ${number}`;
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
 * The part of each truncated text that the model has not read. The tokenizer of the server truncates as the model does.
 * @param {readonly Sent[]} truncated
 * @param {Session} session
 * @param {Model} model
 */
async function unreadParts(truncated, session, { prompts, default_prompt_name: prompt }) {
  const lists = await tokensOf(truncated, session);
  const offset = prompt === undefined ? 0 : Array.from(prompts?.[prompt] ?? '').length;
  return truncated.map(({ number, text }, at) => ({ number, ...unreadPart(text, lists[at] ?? [], offset) }));
}

/**
 * What is before and after the tokens of a text. Offsets count Unicode code points.
 * @param {string} text
 * @param {readonly Token[]} tokens
 * @param {number} offset code points of the prompt before the text
 */
export function unreadPart(text, tokens, offset = 0) {
  const characters = Array.from(text);
  const read = tokens.filter(({ special, end }) => !special && end !== null && end > offset);
  if (read.length === 0) return { before: '', after: text };
  const [start, end] = [(read[0]?.start ?? 0) - offset, (read.at(-1)?.end ?? 0) - offset];
  return {
    before: characters.slice(0, Math.max(0, start)).join('').trim(),
    after: characters.slice(end).join('').trim(),
  };
}
