import { configError } from '#contract/errors.ts';

/** A model on the Hugging Face Hub, as `hf:org/name@revision` names it. */
export interface HubReference {
  /** `org/name`, or only `name` for models from before the hub had organizations. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

const PREFIX = 'hf:';
const DEFAULT_REVISION = 'main';
const FORM = `Write hf:org/name or hf:org/name@revision`;

/** Whether a path names a model on the hub. A folder with such a name is \`./hf:…\`. */
export const isHubReference = (path: string): boolean => path.startsWith(PREFIX);

export function parseHubReference(text: string): HubReference {
  const problem = hubReferenceProblem(text);
  if (problem !== undefined) throw configError(`Invalid model reference: ${problem}.`);
  const { repository, revision = DEFAULT_REVISION } = split(text);
  return { repository, revision };
}

/** Returns the problem of a reference, without the full stop at the end. */
export function hubReferenceProblem(text: string): string | undefined {
  const { repository, revision } = split(text);
  if (!isHubReference(text) || !isRepository(repository))
    return `${JSON.stringify(text)} does not name a model. ${FORM}`;
  if (revision === undefined || isRevision(revision)) return undefined;
  return `${JSON.stringify(revision)} is not a branch, a tag or a commit. ${FORM}`;
}

/** The form that users write; the default revision is omitted. */
export const hubReferenceText = ({ repository, revision }: HubReference): string =>
  `${PREFIX}${repository}${revision === DEFAULT_REVISION ? '' : `@${revision}`}`;

export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);

function split(text: string): { repository: string; revision: string | undefined } {
  const rest = text.slice(PREFIX.length);
  const at = rest.indexOf('@');
  if (at === -1) return { repository: rest, revision: undefined };
  return { repository: rest.slice(0, at), revision: rest.slice(at + 1) };
}

/** Names become parts of paths and URLs, so the rules are those of the hub: `--` separates the parts of a folder name. */
function isRepository(repository: string): boolean {
  const parts = repository.split('/');
  return (
    parts.length <= 2 &&
    parts.every((part) => /^\w(?:[\w.-]{0,94}\w)?$/.test(part)) &&
    !/--|\.\.|\.git$/.test(repository)
  );
}

/** The rules of Git for names of branches and tags, which also become the path of a file in the cache. */
const isRevision = (revision: string): boolean =>
  revision.length <= 200 &&
  // oxlint-disable-next-line no-control-regex -- Git forbids them.
  /^[^\u0000-\u0020\u007f\\:*?"<>|~^[]+$/.test(revision) &&
  revision.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')) &&
  !revision.includes('..');
