/** @import { Answer, ServerError } from './server.js' */
/** @import { Drawing } from './tasks/index.js' */
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

  return {
    busy: () => region.setAttribute('aria-busy', 'true'),
    done: () => region.removeAttribute('aria-busy'),

    /**
     * @param {Answer} answer
     * @param {Drawing} drawn
     */
    show(answer, drawn) {
      error.replaceChildren();
      timing.textContent = timingOf(answer);
      drawing.replaceChildren(...drawn.parts, rawAnswer(answer.data));
      spoken.textContent = drawn.spoken;
    },

    /** @param {ServerError} reason */
    fail(reason) {
      timing.textContent = '';
      spoken.textContent = '';
      drawing.replaceChildren();
      error.replaceChildren(errorNotice(reason));
    },
  };
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
