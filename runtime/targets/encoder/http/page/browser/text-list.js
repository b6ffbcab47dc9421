/** @import { Sent } from './tasks/index.js' */
import { element } from './dom.js';

/**
 * The text boxes: one at first, more on demand.
 * @param {HTMLOListElement} list
 * @param {() => void} onChange
 */
export function createTextList(list, onChange) {
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
    addEmpty: () => add().focus(),

    /** @param {readonly string[]} texts */
    replace(texts) {
      list.replaceChildren();
      for (const text of texts) add(text);
    },

    /**
     * Returns the texts to send. Empty boxes are skipped unless all are empty; the server then returns its error.
     * @returns {Sent[]}
     */
    sent() {
      const all = boxes().map((box, at) => ({ number: at + 1, text: box.value }));
      const filled = all.filter(({ text }) => text !== '');
      return filled.length === 0 ? all.slice(0, 1) : filled;
    },
  };
}
