import type { Answer, ServerError } from '#serve/http/pages/browser/server.ts';
import type { Drawing, Sent } from './tasks/task.ts';
import { byId, element } from '#serve/http/pages/browser/dom.ts';
import { jsonText } from '#serve/http/pages/browser/json-text.ts';
import { errorNotice } from '#serve/http/pages/browser/components/states.ts';
import { milliseconds } from './numbers.ts';

/** Creates the part of the page that shows the results. */
export function createResults() {
  const region = byId('results', HTMLElement);
  const timing = byId('timing', HTMLParagraphElement);
  const spoken = byId('spoken', HTMLParagraphElement);
  const error = byId('error', HTMLDivElement);
  const drawing = byId('drawing', HTMLDivElement);

  /**
   * Scrolls to the results if they are not visible, because there are many texts or because the
   * window is narrow and the results are below the texts.
   */
  const reveal = (part: HTMLElement) => {
    const { top, bottom } = part.getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight) region.scrollIntoView();
  };

  return {
    busy: () => region.setAttribute('aria-busy', 'true'),
    done: () => region.removeAttribute('aria-busy'),

    /** `more`: content to show after the results. */
    show(answer: Answer<unknown>, drawn: Drawing, sent: readonly Sent[], more: readonly Node[]) {
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

    fail(reason: ServerError) {
      timing.textContent = '';
      spoken.textContent = '';
      drawing.replaceChildren();
      error.replaceChildren(errorNotice(reason));
      reveal(error);
    },
  };
}

function truncationNotes({ truncated }: Answer<unknown>, sent: readonly Sent[]) {
  // The texts about labels are truncated as well, but they are not inputs.
  const numbers = truncated.flatMap((index) => sent[index]?.number ?? []);
  if (numbers.length === 0) return [];
  const [longer, them] =
    numbers.length === 1 ? [`Text ${numbers[0]} is`, 'it'] : [`Texts ${numbers.join(', ')} are`, 'them'];
  return [`${longer} longer than the model's maximum length; the rest of ${them} was not processed.`];
}

function timingOf({ milliseconds: all, timings: { total, inference } }: Answer<unknown>) {
  const parts = [
    ...(total === undefined ? [] : [`${milliseconds(total)} on the server`]),
    ...(inference === undefined ? [] : [`${milliseconds(inference)} in the model`]),
  ];
  return parts.length === 0 ? milliseconds(all) : `${milliseconds(all)} (${parts.join(', ')})`;
}

/** Shows the raw response. It is only formatted when the user opens it, because vectors are long. */
function rawAnswer(data: unknown) {
  const code = element('code');
  const text = element('pre', { tabindex: 0, role: 'region', 'aria-label': 'JSON response' }, code);
  const details = element('details', { class: 'raw' }, element('summary', {}, 'JSON response'), text);
  details.addEventListener('toggle', () => {
    if (details.open) code.textContent = jsonText(data);
  });
  return details;
}
