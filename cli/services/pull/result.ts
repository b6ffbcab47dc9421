import { formatBytes } from '#core/model/progress.ts';
import type { FetchedModel } from '../../packaging/hub/fetch-model.ts';
import { alignColumns, argumentWord } from '../text.ts';

export interface PullResult extends FetchedModel {
  /** The model as the user named it. */
  readonly reference: string;
  readonly revision: string;
}

export function pullSummary({ reference, folder, repository, commit, graph, files }: PullResult): string {
  return alignColumns([
    ['Folder', folder],
    ['Source', `hf:${repository}@${commit}`],
    ['Graph', graph.path],
    ...files.map(({ path, bytes, downloaded }, at) => [
      at === 0 ? 'Files' : '',
      `${path} (${formatBytes(bytes)}, ${downloaded ? 'downloaded' : 'from the cache'})`,
    ]),
    ['Next', `encoderfile build ${argumentWord(reference)}`],
  ]);
}
