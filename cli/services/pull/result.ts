import { formatBytes } from '#core/model/progress.ts';
import type { FetchedModel } from '../../packaging/hub/fetch-model.ts';
import { alignColumns, argumentWord } from '../text.ts';

export interface PullResult extends FetchedModel {
  /** The model as the user named it. */
  readonly reference: string;
  readonly revision: string;
}

const fileRows = (title: string, files: PullResult['files']): string[][] =>
  files.map(({ path, bytes, downloaded }, at) => [
    at === 0 ? title : '',
    `${path} (${formatBytes(bytes)}, ${downloaded ? 'downloaded' : 'from the cache'})`,
  ]);

const tokenizerRows = (title: string, fetched: PullResult['tokenizer']): string[][] =>
  fetched ? [[title, `hf:${fetched.repository}@${fetched.commit}`], ...fileRows('', fetched.files)] : [];

export function pullSummary({
  reference,
  folder,
  repository,
  commit,
  graph,
  files,
  tokenizer,
  labelTokenizer,
}: PullResult): string {
  return alignColumns([
    ['Folder', folder],
    ['Source', `hf:${repository}@${commit}`],
    ['Graph', graph.path],
    ...fileRows('Files', files),
    ...tokenizerRows('Tokenizer', tokenizer),
    ...tokenizerRows('Label tokenizer', labelTokenizer),
    ['Next', `encoderfile build ${argumentWord(reference)}`],
  ]);
}
