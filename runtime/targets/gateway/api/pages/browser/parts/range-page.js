/** @import { GatewaySection } from '../sections.js' */
/** @import { TimeRange } from './time-range.js' */
import { element } from '../dom.js';
import { livePart } from './live-part.js';
import { choiceOf, rangeChoice, rangeIn } from './time-range.js';

/**
 * @typedef {object} Choice
 * @property {string} name of the parameter in the address
 * @property {string} title
 * @property {readonly { name: string, words: string }[]} choices the first one is the default
 */

/**
 * Adds fields that choose a time range and more, and a part that is drawn again after each choice.
 * @param {Pick<Parameters<GatewaySection['show']>[0], 'root' | 'query' | 'signal'>} place
 * @param {readonly Choice[]} choices
 * @param {(range: TimeRange, chosen: (name: string) => string, signal: AbortSignal) => Promise<readonly Node[]>} draw
 */
export function rangePage({ root, query, signal }, choices, draw) {
  let range = rangeIn(query);
  const chosen = new Map(
    choices.map(({ name, choices: [first] }) => [name, query.get(name) ?? first?.name ?? '']),
  );
  const part = livePart(signal, (leaving) => draw(range, (name) => chosen.get(name) ?? '', leaving));
  const fields = choices.map((choice) =>
    choiceOf({
      ...choice,
      value: chosen.get(choice.name) ?? '',
      onChange(value) {
        chosen.set(choice.name, value);
        void part.refresh();
      },
    }),
  );
  const rangeField = rangeChoice(query, (selected) => {
    range = selected;
    void part.refresh();
  });
  root.append(element('div', { class: 'filters' }, rangeField, ...fields), part);
  return part;
}
