import type { ToolSettings } from '../../shared/tool-settings.ts';
import type { CompletionAnswer, CompletionRequest, Completions } from '../completions/completion.ts';
import type { ToolRequests } from './with-tools.ts';

interface AddedTools {
  readonly completions: Completions;
  /** The current settings; undefined if the gateway runs no tools. */
  readonly settings: () => ToolSettings | undefined;
  /** Loads the code that runs tools, which gateways without tools do not need. */
  readonly load: () => Promise<ToolRequests>;
}

/** Handles model requests with the configured tools. Without any, requests are not read here. */
export function addTools({ completions, settings, load }: AddedTools): Completions & {
  readonly close: () => Promise<void>;
} {
  let loaded: Promise<ToolRequests> | undefined;
  const run = async (request: CompletionRequest, current: ToolSettings): Promise<CompletionAnswer> => {
    loaded ??= load();
    return await (await loaded).answer(request, current);
  };
  return {
    live: () => completions.live(),
    answer(request) {
      const current = settings();
      return current ? run(request, current) : completions.answer(request);
    },
    async close() {
      await (await loaded)?.close();
    },
  };
}
