import type { Sent } from './tasks/task.ts';
import { element } from '#serve/http/pages/browser/dom.ts';

/** The text boxes. There is one box initially, and the user can add more. */
export function createTextList(list: HTMLOListElement, onChange: () => void) {
  const boxes = () => [...list.querySelectorAll('textarea')];

  const add = (text = '') => {
    const label = element('label', {}, element('span', { class: 'unseen' }, 'Text '), element('span'));
    const box = element('textarea', { rows: 1, spellcheck: 'false' });
    box.value = text;
    const remove = element('button', { type: 'button', class: 'quiet' }, '×');
    remove.addEventListener('click', () => {
      const at = boxes().indexOf(box);
      box.closest('li')?.remove();
      renumber();
      boxes()[Math.max(0, at - 1)]?.focus();
    });
    list.append(element('li', {}, label, box, remove));
    renumber();
    return box;
  };

  /** Renumbers labels and their references in page order. */
  const renumber = () => {
    for (const [at, box] of boxes().entries()) {
      const number = String(at + 1);
      box.id = `text-${number}`;
      const [label, remove] = [box.previousElementSibling, box.nextElementSibling];
      label?.setAttribute('for', box.id);
      label?.lastElementChild?.replaceChildren(number);
      remove?.setAttribute('aria-label', `Remove text ${number}`);
    }
    onChange();
  };

  list.addEventListener('input', onChange);

  return {
    count: () => boxes().length,

    addEmpty: () => add().focus(),

    replace(texts: readonly string[]) {
      list.replaceChildren();
      for (const text of texts) add(text);
    },

    /**
     * Returns the texts to send. Empty boxes are skipped, unless all boxes are empty: then one
     * empty text is sent, and the server returns an error.
     */
    sent(): Sent[] {
      const all = boxes().map((box, at) => ({ number: at + 1, text: box.value }));
      const filled = all.filter(({ text }) => text !== '');
      return filled.length === 0 ? all.slice(0, 1) : filled;
    },
  };
}
