import type { Provider } from './provider.ts';

/** A provider that is called with other names for its models. */
export function withModelNames(provider: Provider, nameOf: (model: string) => string): Provider {
  const renamed = <Call extends { readonly model: string }>(call: Call): Call => ({
    ...call,
    model: nameOf(call.model),
  });
  const { countTokens } = provider;
  return {
    ...provider,
    chat: (call) => provider.chat(renamed(call)),
    embed: (call) => provider.embed(renamed(call)),
    relay: (call) => provider.relay(renamed(call)),
    countTokens: countTokens && ((call) => countTokens(renamed(call))),
  };
}
