import type { Static } from 'typebox';
import type { editedBody } from '#manager/http/schemas/configuration.ts';
import type { Answer } from '#serve/http/pages/browser/server.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';

export type Edited = Static<typeof editedBody>;

interface ReviewChangeOptions {
  readonly title: string;
  readonly send: (isDryRun: boolean) => Promise<Answer<Edited>>;
  /** Button label. */
  readonly confirm?: string;
  readonly isDangerous?: boolean;
}

/**
 * Shows a configuration change and writes it after the user confirms. Returns the response; undefined if
 * nothing was written.
 */
export async function reviewChange({
  title,
  send,
  confirm = 'Write the file',
  isDangerous = false,
}: ReviewChangeOptions): Promise<Edited | undefined> {
  const { data: preview } = await send(true);
  let written: Edited | undefined;
  const isUnchanged = preview.diff === '';
  const dialog = openDialog({
    title,
    wide: true,
    content: [
      ...(isUnchanged
        ? [element('p', {}, 'The file already has this content, so nothing changes.')]
        : [element('p', {}, 'Changes to the configuration file:'), diffView(preview.diff)]),
      ...preview.warnings.map((words) => element('p', { class: 'hint' }, words)),
    ],
    actions: isUnchanged
      ? [{ name: 'Close', kind: 'quiet' }]
      : [
          { name: 'Cancel', kind: 'quiet' },
          {
            name: confirm,
            ...(isDangerous ? { kind: 'danger' as const } : {}),
            async run() {
              ({ data: written } = await send(false));
            },
          },
        ],
  });
  await dialog.closed;
  return written;
}

/** The outcome after the file was written. */
export function writtenNotice({ applied, problem }: Edited) {
  if (problem) {
    return element(
      'div',
      { class: 'notice', role: 'alert' },
      element('strong', {}, 'The file was written, but the manager did not apply it'),
      element('p', {}, problem),
    );
  }
  const changes = (['added', 'removed', 'restarted', 'updated'] as const).flatMap((kind) => {
    const names = applied?.[kind] ?? [];
    return names.length > 0 ? [`${kind}: ${names.join(', ')}`] : [];
  });
  return element(
    'p',
    { class: 'state', role: 'status' },
    `The file was written. ${changes.length === 0 ? 'The running servers are not affected.' : `Servers ${changes.join('; ')}.`}`,
  );
}

/** A unified diff. Removed and added lines are marked by signs as well as by color. */
export const diffView = (text: string) =>
  scrollable(
    'Changes to the file',
    element(
      'pre',
      { class: 'diff' },
      ...text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => element('span', { class: kindOf(line) }, `${line}\n`)),
    ),
  );

function kindOf(line: string) {
  if (line.startsWith('+++') || line.startsWith('---') || line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
