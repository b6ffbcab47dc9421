import { element } from './dom.ts';

/** Time during which the button shows that the text was copied. */
const SAID_MS = 2000;

/**
 * A button that copies a text to the clipboard and confirms this both visually and to screen
 * readers. `label` is the accessible name if "Copy" alone would be unclear.
 */
export function copyButton(name: string, label: string, text: () => string) {
  const said = element('span', { 'aria-live': 'polite', class: 'unseen' });
  const face = element('span', {}, name);
  const button = element('button', { type: 'button', class: 'quiet', 'aria-label': label }, face);
  const say = (visible: string, spoken: string) => {
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
      () => say('Copy failed; select the text', 'The browser blocked copying'),
    );
  });
  return element('span', { class: 'copy' }, button, said);
}

/** The clipboard API is only available with HTTPS and on localhost. Otherwise, the older API is used. */
async function copy(text: string) {
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

/** Shows a secret that the server returns only once. */
export function secretOnce({
  name,
  secret,
  words = 'Copy it now: it is not shown again.',
}: {
  name: string;
  secret: string;
  words?: string;
}) {
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
