import { configError } from '#contract/errors.ts';

/** A reference to a model on the Hugging Face Hub: `hf:org/name@revision`. */
export interface HubReference {
  /** `org/name`; only `name` for models that predate organizations on the hub. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
}

const PREFIX = 'hf:';
const DEFAULT_REVISION = 'main';
const FORM = `Write hf:org/name or hf:org/name@revision`;

/** A reference to the default revision of a repository. */
export const mainOf = (repository: string): HubReference => ({ repository, revision: DEFAULT_REVISION });

/** Whether a path names a model on the hub. A local folder with such a name is written \`./hf:…\`. */
export const isHubReference = (path: string): boolean => path.startsWith(PREFIX);

export function parseHubReference(text: string): HubReference {
  const problem = hubReferenceProblem(text);
  if (problem !== undefined) throw configError(`Invalid model reference: ${problem}.`);
  const { repository, revision = DEFAULT_REVISION } = split(text);
  return { repository, revision };
}

/** Returns the problem with a reference, without a final full stop. */
export function hubReferenceProblem(text: string): string | undefined {
  const { repository, revision } = split(text);
  if (!isHubReference(text) || !isRepositoryName(repository))
    return `${JSON.stringify(text)} does not name a model. ${FORM}`;
  if (revision === undefined || isRevision(revision)) return undefined;
  return `${JSON.stringify(revision)} is not a valid branch, tag or commit. ${FORM}`;
}

/** Formats a reference as users write it, without the default revision. */
export const hubReferenceText = ({ repository, revision }: HubReference): string =>
  `${PREFIX}${repository}${revision === DEFAULT_REVISION ? '' : `@${revision}`}`;

export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);

function split(text: string): { repository: string; revision: string | undefined } {
  const rest = text.slice(PREFIX.length);
  const at = rest.indexOf('@');
  if (at === -1) return { repository: rest, revision: undefined };
  return { repository: rest.slice(0, at), revision: rest.slice(at + 1) };
}

/**
 * Names become parts of paths and URLs, so the hub's rules apply. `--` separates the parts of a
 * folder name.
 */
export function isRepositoryName(repository: string): boolean {
  const parts = repository.split('/');
  return (
    parts.length <= 2 &&
    parts.every((part) => /^\w(?:[\w.-]{0,94}\w)?$/.test(part)) &&
    !/--|\.\.|\.git$/.test(repository)
  );
}

/** Git's rules for branch and tag names, which also become paths in the cache. */
const isRevision = (revision: string): boolean =>
  revision.length <= 200 &&
  // oxlint-disable-next-line no-control-regex -- Git forbids them.
  /^[^\u0000-\u0020\u007f\\:*?"<>|~^[]+$/.test(revision) &&
  revision.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')) &&
  !revision.includes('..');
