import { copyButton } from '../copy-button.js';
import { element } from '../dom.js';

/**
 * Shows a secret that the server returns only once.
 * @param {{ name: string, secret: string, words?: string }} options
 */
export function secretOnce({ name, secret, words = 'Copy it now: it is not shown again.' }) {
  const text = element(
    'code',
    { class: 'secret', tabindex: 0, role: 'textbox', 'aria-readonly': 'true', 'aria-label': name },
    secret,
  );
  text.addEventListener('focus', () => getSelection()?.selectAllChildren(text));
  return element(
    'div',
    { class: 'secret-once', role: 'group', 'aria-label': name },
    element('p', {}, element('strong', {}, name), ` ${words}`),
    element(
      'div',
      { class: 'secret-row' },
      text,
      copyButton('Copy', `Copy ${name}`, () => secret),
    ),
  );
}
