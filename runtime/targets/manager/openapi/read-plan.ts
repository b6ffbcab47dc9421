import { isObject } from '#core/json/is-object.ts';
import { messageOf } from '#contract/errors.ts';
import type { ApiSettings } from '../config/spec.ts';
import { documentFiles, parseDocumentText } from './parse-document.ts';
import type { ApiPlan } from './plan.ts';
import { readOperations, versionProblem } from './read-operations.ts';
import { References } from './references.ts';

/** The document as text, and what its server's configuration states. */
export interface PlanRequest {
  readonly kind: 'plan';
  readonly server: string;
  readonly text: string;
  readonly settings: ApiSettings;
  /** Headers that the configuration sets, which callers cannot override. */
  readonly ownHeaders: readonly string[];
}

/** Reads the tools of a document. Throws an error with a sentence if the document has none because of a problem. */
export function readPlan({ server, text, settings, ownHeaders }: Omit<PlanRequest, 'kind'>): ApiPlan {
  let document: unknown;
  try {
    document = parseDocumentText(text);
  } catch (error) {
    throw new Error(`Cannot read ${settings.document}: ${messageOf(error)}.`, { cause: error });
  }
  const problem = versionProblem(document);
  if (problem !== undefined || !isObject(document))
    throw new Error(`Cannot use ${settings.document}: ${problem ?? ''}`);
  const isFile = !/^https?:/i.test(settings.document);
  const files = documentFiles(isFile ? settings.document : undefined);
  const references = new References(document, files.read);
  const plan = readOperations(document, { server, settings, references, ownHeaders });
  return {
    ...plan,
    files: isFile ? [settings.document, ...files.files()] : [],
    problems: unknownNames(plan, settings),
  };
}

/** Settings that name something the document does not have. */
function unknownNames({ schemes }: Pick<ApiPlan, 'schemes'>, { credentials }: ApiSettings): string[] {
  const known = Object.keys(schemes);
  return Object.keys(credentials)
    .filter((name) => !known.includes(name))
    .map(
      (name) =>
        `api.credentials: the document has no security scheme ${JSON.stringify(name)}. Known schemes: ${known.join(', ') || 'none'}.`,
    );
}
