import { messageOf } from '../../../../contract/errors.ts';

/** What keeps a request from its gateway, and the way out, as the rest of a sentence. */
export function whyUnreachable(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const reason = cause ?? error;
  const { code = '' } = reason as { readonly code?: string };
  const message = messageOf(reason).replace(/\.$/, '');
  return REASONS[code] ?? REASONS[message] ?? `${message}. Look at its address and the network`;
}

const UNTRUSTED = "its certificate is not trusted. Name its issuer's with NODE_EXTRA_CA_CERTS";

/** By the code of the system, or, where there is none, by the words of the client. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such host. Correct its name',
  EAI_AGAIN: 'its name cannot be looked up just now. Correct it, or look at the network',
  ECONNREFUSED: 'nothing listens there. Start the gateway, or correct its address',
  ECONNRESET: 'the connection was cut. Look at its log, and whether it speaks http or https',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  'bad port': 'clients of HTTP never ask this port. Correct it, or let the gateway listen on another',
};
