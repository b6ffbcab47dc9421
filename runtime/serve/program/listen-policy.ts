import { configError } from '#contract/errors.ts';
import { isLoopbackHost } from '../http/request-head.ts';

/** The credential that protects a server that other machines can reach. */
interface RequiredCredential {
  /** The name of the credential with an article: "an API key". */
  readonly name: string;
  readonly isSet: boolean;
  /** The number of characters in the credential, if the user has chosen it. */
  readonly length?: number | undefined;
  /** How to set the credential, as a clause: "Set --api-key". */
  readonly remedy: string;
}

export interface Exposure {
  /** The address to listen on; empty means all addresses. */
  readonly hostname: string;
  readonly credential: RequiredCredential;
}

/**
 * Throws a ConfigError if other machines can reach the server and no credential protects it, unless
 * the user accepts this with --insecure.
 */
export function assertSafeToListen(exposure: Exposure & { readonly insecure: boolean }): void {
  const problem = exposure.insecure ? undefined : exposureProblem(exposure);
  if (problem === undefined) return;
  const { remedy } = exposure.credential;
  throw configError(`${problem} ${remedy}, listen on 127.0.0.1, or accept the risk with --insecure.`);
}

function exposureProblem({ hostname, credential }: Exposure): string | undefined {
  if (isLoopbackHost(hostname)) return undefined;
  const { name, isSet, length = Infinity } = credential;
  const place = hostname || 'all addresses';
  if (!isSet) return `Listening on ${place} without ${name} lets anyone on the network use this server.`;
  if (length >= MIN_PUBLIC_CREDENTIAL_LENGTH) return undefined;
  const found = `${length} character${length === 1 ? '' : 's'}`;
  return `Listening on ${place} requires ${name} of at least ${MIN_PUBLIC_CREDENTIAL_LENGTH} characters; it has ${found}.`;
}

/**
 * Minimum length of a user-chosen credential for a server that other machines can reach: a shorter
 * one can be guessed.
 */
export const MIN_PUBLIC_CREDENTIAL_LENGTH = 16;
