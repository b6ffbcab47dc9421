import { element } from '../dom.js';

/**
 * A button that runs something; it cannot be pressed again until that has ended.
 * @param {string} name
 * @param {() => unknown} run
 * @param {'' | 'quiet' | 'danger'} [kind]
 */
export function button(name, run, kind = '') {
  const node = element('button', { type: 'button', class: kind }, name);
  const press = async () => {
    node.disabled = true;
    try {
      await run();
    } finally {
      node.disabled = false;
    }
  };
  node.addEventListener('click', () => void press());
  return node;
}
