import type { ExtraContent } from '../../shapes/chat.ts';
import { sealSignature, signatureIn, withSignature } from '../thought-signatures.ts';

interface Signed {
  readonly extra_content?: ExtraContent;
  readonly tool_calls?: readonly SignedCall[] | null;
}

interface SignedCall {
  readonly id?: string;
  readonly extra_content?: ExtraContent;
}

/** Whether a message, or a part of one, has a signature of Gemini. */
export const hasSignature = ({ extra_content: extra, tool_calls: calls }: Signed): boolean =>
  signatureIn(extra) !== undefined ||
  (calls ?? []).some((call) => signatureIn(call.extra_content) !== undefined);

/** The same with signatures for the client, which the gateway removes again where another provider would read them. */
export function withSealed<Message extends Signed>(message: Message): Message {
  if (!hasSignature(message)) return message;
  const { tool_calls: calls } = message;
  return { ...message, ...sealed('', message), ...(calls && { tool_calls: calls.map(sealedCall) }) };
}

const sealedCall = (call: SignedCall): SignedCall => ({ ...call, ...sealed(call.id ?? '', call) });

function sealed(id: string, { extra_content: extra }: SignedCall): SignedCall {
  const signature = signatureIn(extra);
  return signature === undefined ? {} : withSignature(sealSignature(id, signature));
}
