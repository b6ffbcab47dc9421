import type { Static } from 'typebox';
import type { findingsBody } from '#manager/http/schemas/findings.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { admin, EDIT_HINT, readCaller } from './shared/caller.ts';
import { button } from './shared/parts.ts';

type Finding = Static<typeof findingsBody>['findings'][number];

/** Possible injections in texts of servers, with a button to release what is held. */
export async function showFindings({ root, session, signal }: Place) {
  const caller = await readCaller(session, signal);
  const table = dataTable({
    caption: 'Possible injections in texts of servers',
    filters: [{ key: 'server', title: 'Server', kind: 'text' }],
    columns: [
      { key: 'server', title: 'Server' },
      { key: 'kind', title: 'Kind' },
      { key: 'name', title: 'Name' },
      { key: 'pointer', title: 'Place', cell: ({ pointer }) => (pointer === '' ? '–' : pointer) },
      { key: 'rule', title: 'Rule' },
      { key: 'excerpt', title: 'Text', cell: ({ excerpt }) => element('code', {}, excerpt) },
      {
        key: 'outcome',
        title: 'Outcome',
        cell: ({ outcome }) => badge(outcome, outcome === 'released' ? undefined : 'warning'),
      },
      {
        key: 'actions',
        title: 'Actions',
        cell: (row: Finding) =>
          caller.edit && row.outcome === 'held' ? button('Release', () => release(row), 'quiet') : '–',
      },
    ],
    href: ({ server: name }) => linkTo(['servers', name]),
    async load({ filters, cursor, limit, signal: stop }) {
      const { data } = await session.call<Static<typeof findingsBody>>(admin('findings'), {
        query: { ...filters, cursor, limit },
        signal: stop,
      });
      return { rows: data.findings, total: data.total, next: data.nextCursor };
    },
    empty: 'Nothing was found. Lists are scanned when clients request them.',
  });

  async function release({ server, kind, name }: Finding) {
    await confirmAction({
      title: `Release ${name} of ${server}?`,
      words: 'Clients will get this definition. Another definition with a finding is held again.',
      action: {
        name: 'Release',
        kind: 'danger',
        run: () =>
          session.call(admin('servers', server, 'release'), { method: 'POST', body: { kind, name } }),
      },
    });
    await table.refresh();
  }

  root.append(element('p', { class: 'hint' }, caller.edit ? HINT : EDIT_HINT), table);
}

const HINT =
  'Texts of servers in which a rule or the classifier found instructions to a model. The settings scan and scan_results in the server’s configuration apply to them.';
