import { badge, facts, figures } from './components/facts.js';
import { secretOnce } from './components/secret-once.js';
import { empty, failed, loading } from './components/states.js';
import { element } from './dom.js';
import { bytes, dateTime, duration, money, percent, short } from './format.js';
import { ServerError } from './server.js';
import { HOSTILE, LONG } from './texts.js';

/**
 * @param {string} title
 * @param {...(Node | string)} content
 */
const part = (title, ...content) =>
  element('section', { class: 'page' }, element('h2', {}, title), ...content);

/**
 * @param {string} name
 * @param {() => unknown} run
 * @param {string} [kind]
 */
export function button(name, run, kind = '') {
  const node = element('button', { type: 'button', class: kind }, name);
  node.addEventListener('click', () => void run());
  return node;
}

/** @param {import('./start-app.js').Place} place */
export function showBasics({ root }) {
  const tokens = ['ink', 'soft', 'accent', 'good', 'warning', 'alarm'];
  root.append(
    part(
      'Text',
      element(
        'p',
        {},
        'Body text. ',
        element('a', { href: '#/' }, 'A link'),
        ', ',
        element('code', {}, 'code'),
        ' and ',
        element('kbd', {}, 'Ctrl + Enter'),
        '.',
      ),
      element('p', { class: 'hint' }, 'A hint in the soft colour.'),
      element(
        'pre',
        { tabindex: 0, role: 'region', 'aria-label': 'Code' },
        'curl http://localhost:8080/predict',
      ),
    ),
    part(
      'Colors of text',
      element(
        'div',
        { class: 'actions' },
        ...tokens.map((name) => element('span', { class: `token-${name}` }, name)),
      ),
    ),
    part(
      'Buttons',
      element(
        'div',
        { class: 'actions' },
        button('Main action', () => {}),
        button('Quiet', () => {}, 'quiet'),
        button('Delete', () => {}, 'danger'),
        element('button', { type: 'button', disabled: true }, 'Disabled'),
      ),
    ),
    part(
      'Badges',
      element(
        'div',
        { class: 'actions' },
        badge('ok', 'good'),
        badge('slow', 'warning'),
        badge('failed', 'alarm'),
        badge('unknown'),
      ),
    ),
    part(
      'Figures',
      figures([
        { name: 'Spend today', value: money(1234.5), note: '12% more than yesterday' },
        { name: 'Requests', value: short(1_234_567) },
        { name: 'Errors', value: percent(0.0123), note: 'above 1%', kind: 'alarm' },
        { name: 'Latency, 95%', value: duration(1840), note: 'good', kind: 'good' },
        { name: 'Missing', value: money(undefined) },
      ]),
    ),
    part(
      'Facts',
      facts([
        ['Name', 'gpt-4o-mini'],
        ['Created', dateTime('2026-01-31T12:00:00Z')],
        ['Size', bytes(1_572_864)],
        ['Small amount', money(0.00042)],
        ['Long text', LONG],
        ['Hostile text', HOSTILE],
      ]),
    ),
    part(
      'Secret, shown once',
      secretOnce({ name: 'API key', secret: 'gw-0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghij' }),
    ),
  );
}

/** @param {import('./start-app.js').Place} place */
export function showStates({ root }) {
  root.append(
    part('Loading', loading()),
    part('Empty', empty('There are no keys yet.', { name: 'Create a key', run: () => {} })),
    part(
      'Error with a way out',
      failed(new ServerError('The database is not available.', 503), () => {}),
    ),
    part('No response', failed(new ServerError('The server did not respond. Check that it is running.', 0))),
    part('Error with a hostile message', failed(new ServerError(HOSTILE + LONG, 500))),
  );
}
