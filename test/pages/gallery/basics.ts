import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { badge, facts, figures } from '#serve/http/pages/browser/components/facts.ts';
import { secretOnce } from '#serve/http/pages/browser/copy-button.ts';
import { empty, failed, loading } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { bytes, dateTime, duration, money, percent, short } from '#serve/http/pages/browser/format.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { HOSTILE, LONG } from './texts.ts';

const part = (title: string, ...content: (Node | string)[]) =>
  element('section', { class: 'page' }, element('h2', {}, title), ...content);

export function button(name: string, run: () => unknown, kind = '') {
  const node = element('button', { type: 'button', class: kind }, name);
  node.addEventListener('click', () => void run());
  return node;
}

export function showBasics({ root }: Place) {
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

export function showStates({ root }: Place) {
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
