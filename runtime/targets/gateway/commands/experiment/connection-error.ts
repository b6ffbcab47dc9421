import { messageOf } from '../../../../contract/errors.ts';

/** Returns why a gateway cannot be reached, and a remedy, as the rest of a sentence. */
export function explainConnectionError(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const reason = cause ?? error;
  const { code = '' } = reason as { readonly code?: string };
  const message = messageOf(reason).replace(/\.$/, '');
  return REASONS[code] ?? REASONS[message] ?? `${message}. Check the address and the network`;
}

const UNTRUSTED =
  'its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to a file with the certificate of its issuer';

/** By error code of the system, or by message for errors of the HTTP client that have no code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist. Correct it',
  EAI_AGAIN: 'the host name cannot be resolved. Correct it, or check the network',
  ECONNREFUSED: 'connection refused. Start the gateway, or correct the address',
  ECONNRESET: 'the connection was closed. Check whether it uses http or https, and its log',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};
