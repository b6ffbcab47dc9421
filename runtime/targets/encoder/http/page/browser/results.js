/** @import { Answer, ServerError } from './server.js' */
/** @import { Drawing, Sent } from './tasks/index.js' */
import { byId, element } from './dom.js';
import { jsonText } from './json-text.js';
import { errorNotice } from './notice.js';
import { milliseconds } from './numbers.js';

/** Creates the part of the page that shows the results. */
export function createResults() {
  const region = byId('results', HTMLElement);
  const timing = byId('timing', HTMLParagraphElement);
  const spoken = byId('spoken', HTMLParagraphElement);
  const error = byId('error', HTMLDivElement);
  const drawing = byId('drawing', HTMLDivElement);

  /**
   * Scrolls to the results if nothing of this part of them is in view: next to many texts, or below them in a narrow window.
   * @param {HTMLElement} part
   */
  const reveal = (part) => {
    const { top, bottom } = part.getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight) region.scrollIntoView();
  };

  return {
    busy: () => region.setAttribute('aria-busy', 'true'),
    done: () => region.removeAttribute('aria-busy'),

    /**
     * @param {Answer} answer
     * @param {Drawing} drawn
     * @param {readonly Sent[]} sent
     * @param {readonly Node[]} more parts after the results
     */
    show(answer, drawn, sent, more) {
      error.replaceChildren();
      timing.textContent = timingOf(answer);
      const notes = truncationNotes(answer, sent);
      const shown = notes.map((note) => element('p', { class: 'hint' }, note));
      const cut = element('div', { class: 'cut' });
      drawing.replaceChildren(
        ...shown,
        ...(notes.length === 0 ? [] : [cut]),
        ...drawn.parts,
        ...more,
        rawAnswer(answer.data),
      );
      spoken.textContent = [...notes, drawn.spoken].join(' ');
      reveal(drawing);
      return { cut };
    },

    /** @param {ServerError} reason */
    fail(reason) {
      timing.textContent = '';
      spoken.textContent = '';
      drawing.replaceChildren();
      error.replaceChildren(errorNotice(reason));
      reveal(error);
    },
  };
}

/**
 * @param {Answer} answer
 * @param {readonly Sent[]} sent
 */
function truncationNotes({ truncated }, sent) {
  const numbers = truncated.map((index) => sent[index]?.number);
  if (numbers.length === 0) return [];
  const [longer, them] =
    numbers.length === 1 ? [`Text ${numbers[0]} is`, 'it'] : [`Texts ${numbers.join(', ')} are`, 'them'];
  return [`${longer} longer than the model's maximum length; the rest of ${them} was not read.`];
}

/** @param {Answer} answer */
function timingOf({ milliseconds: all, timings: { total, inference } }) {
  const parts = [
    ...(total === undefined ? [] : [`${milliseconds(total)} on the server`]),
    ...(inference === undefined ? [] : [`${milliseconds(inference)} in the model`]),
  ];
  return parts.length === 0 ? milliseconds(all) : `${milliseconds(all)} (${parts.join(', ')})`;
}

/**
 * Shows the raw response. It is formatted only when opened, because vectors are long.
 * @param {unknown} data
 */
function rawAnswer(data) {
  const code = element('code');
  const text = element('pre', { tabindex: 0, role: 'region', 'aria-label': 'JSON response' }, code);
  const details = element('details', { class: 'raw' }, element('summary', {}, 'JSON response'), text);
  details.addEventListener('toggle', () => {
    if (details.open) code.textContent = jsonText(data);
  });
  return details;
}
