import { API } from './http/parts.ts';

/** Resources that Otari has under `/api/v1`, and this gateway under `/v1`. Others under `/api/v1` are of workflows. */
const RESOURCES = [
  ['chat', 'completions', 'messages', 'responses', 'embeddings', 'moderations', 'rerank', 'classify'],
  ['images', 'audio', 'files', 'batches', 'keys', 'users', 'budgets', 'pricing', 'usage'],
].flat();

const OTARI = new RegExp(`^${API}/(?:${RESOURCES.join('|')})(?:/|$)`);

/** The path of a resource for clients of Otari, which is Mozilla's gateway; any other path as it is. */
export const withoutOtariRoot = (path: string): string =>
  OTARI.test(path) ? path.slice('/api'.length) : path;
