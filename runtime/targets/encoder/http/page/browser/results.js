/** @import { Answer, ServerError } from './server.js' */
/** @import { Drawing } from './tasks/index.js' */
import { byId, element } from './dom.js';
import { jsonText } from './json-text.js';
import { errorNotice } from './notice.js';
import { milliseconds } from './numbers.js';

/** The part of the page that shows what the server answered. */
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
    ...(total === undefined ? [] : [`${milliseconds(total)} in the server`]),
    ...(inference === undefined ? [] : [`${milliseconds(inference)} in the model`]),
  ];
  return parts.length === 0 ? milliseconds(all) : `${milliseconds(all)}, of which ${parts.join(' and ')}`;
}

/**
 * The answer as it came, written out when somebody opens it: for vectors it is long.
 * @param {unknown} data
 */
function rawAnswer(data) {
  const code = element('code');
  const text = element('pre', { tabindex: 0, role: 'region', 'aria-label': 'The answer as JSON' }, code);
  const details = element('details', { class: 'raw' }, element('summary', {}, 'The answer as JSON'), text);
  details.addEventListener('toggle', () => {
    if (details.open) code.textContent = jsonText(data);
  });
  return details;
}
