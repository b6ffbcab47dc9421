import { configError } from '#contract/errors.ts';
import { isToolAllowed } from '../../config/allowed-tools.ts';
import type { ServerSpec } from '../../config/spec.ts';
import { readPlanInThread } from '../../openapi/read-plan-in-thread.ts';
import { scopesOf } from '../../openapi/security.ts';
import { isOwnDocument, loadDocument } from './fetch-document.ts';

/** Limits for the scopes of a document, which must fit into the URL of a sign-in. */
const MAX_SCOPES = 100;
const MAX_CHARACTERS = 4000;

/**
 * Adds the scopes to a specification that a person's sign-in requests by default: those that the document of an API requires for the
 * operations that are tools and that `tools` and `read_only` allow.
 */
export async function withDocumentScopes(spec: ServerSpec): Promise<ServerSpec> {
  const { name, launch, timeouts } = spec;
  if (launch.kind !== 'remote' || !launch.api || launch.oauth?.grant !== 'authorization_code') return spec;
  if (launch.oauth.scope !== undefined) return spec;
  const { api, headers, oauth } = launch;
  const loaded = await loadDocument({
    document: api.document,
    headers: isOwnDocument(api) ? headers : {},
    timeoutMs: timeouts.init,
  });
  const plan = await readPlanInThread({
    server: name,
    text: loaded?.text ?? '',
    settings: api,
    ownHeaders: Object.keys(headers),
  });
  const credentials = { schemes: plan.schemes, values: api.credentials };
  const scopes = new Set(
    plan.tools
      .filter(({ definition }) => isToolAllowed(spec, definition.name, definition))
      .flatMap(({ operation }) => scopesOf(operation, credentials)),
  );
  const documentScope = [...scopes].join(' ');
  if (scopes.size > MAX_SCOPES || documentScope.length > MAX_CHARACTERS)
    throw configError(
      `The document of ${name} requires ${scopes.size} scopes; the maximum is ${MAX_SCOPES} scopes with ${MAX_CHARACTERS} characters. Set oauth.scope, or select fewer operations with include.`,
    );
  if (documentScope === '') return spec;
  return { ...spec, launch: { ...launch, oauth: { ...oauth, documentScope } } };
}
