import { element } from './dom.js';

/** How long the button shows that it copied. */
const SAID_MS = 2000;

/**
 * A button that copies a text to the clipboard and confirms it visually and to screen readers.
 * @param {string} name
 * @param {string} label accessible name, where "Copy" alone would not be clear
 * @param {() => string} text
 */
export function copyButton(name, label, text) {
  const said = element('span', { 'aria-live': 'polite', class: 'unseen' });
  const face = element('span', {}, name);
  const button = element('button', { type: 'button', class: 'quiet', 'aria-label': label }, face);
  const say = (/** @type {string} */ visible, /** @type {string} */ spoken) => {
    face.textContent = visible;
    said.textContent = spoken;
    setTimeout(() => {
      face.textContent = name;
      said.textContent = '';
    }, SAID_MS);
  };
  button.addEventListener('click', () => {
    copy(text()).then(
      () => say('Copied', 'Copied'),
      () => say('Copy failed; select the text', 'The browser did not allow copying'),
    );
  });
  return element('span', { class: 'copy' }, button, said);
}

/**
 * The clipboard API is only available on HTTPS and localhost; elsewhere, fall back to the older API.
 * @param {string} text
 */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = element('textarea', { class: 'unseen', 'aria-hidden': 'true' });
  field.value = text;
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!copied) throw new Error('refused');
}
