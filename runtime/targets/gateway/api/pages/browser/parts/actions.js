import { confirmAction } from '../components/dialog.js';
import { element } from '../dom.js';

/**
 * A button that runs an action.
 * @param {string} name
 * @param {() => unknown} run
 * @param {'quiet' | 'danger' | ''} [kind]
 */
export function actionButton(name, run, kind = 'quiet') {
  const button = element('button', { type: 'button', class: kind }, name);
  button.addEventListener('click', () => void run());
  return button;
}

/**
 * A button whose action is confirmed before.
 * @param {string} name
 * @param {{ title: string, words: string, run: () => Promise<unknown>, done: () => unknown }} options
 */
export const confirmedButton = (name, { title, words, run, done }) =>
  actionButton(
    `${name} …`,
    async () => {
      const isDone = await confirmAction({
        title,
        words,
        action: {
          name,
          kind: 'danger',
          async run() {
            await run();
          },
        },
      });
      if (isDone) done();
    },
    'danger',
  );

/** @param {...Node} buttons */
export const actions = (...buttons) => element('div', { class: 'actions' }, ...buttons);
