import { join } from 'node:path';
import { parseHubReference } from '#cli/config/hub-reference.ts';
import { type FetchedModel, fetchModel } from '#cli/packaging/hub/fetch-model.ts';
import { hubSettings } from '#cli/packaging/hub/settings.ts';
import { chooseGraph } from '#cli/packaging/model/graph-variants.ts';
import { silentReporter } from '#cli/packaging/reporter.ts';
import { HubRepository } from './hub-repository.ts';
import { useTempFolder } from './temp-folder.ts';
import { hubVariables, useHub } from './use-hub.ts';

interface FetchOptions {
  readonly env?: Record<string, string>;
  readonly variant?: string;
  readonly offline?: boolean;
  /** Timeouts. */
  readonly seconds?: number;
}

/** The repository files of a small model. */
export const CONTENTS = {
  'config.json': '{}',
  'tokenizer.json': '{"a": 1}',
  'onnx/model.onnx': 'graph',
};

/** A hub and an empty cache for every test in a file. */
export function useFetching() {
  const folder = useTempFolder();
  const hub = useHub();
  const warnings: string[] = [];
  return {
    folder,
    hub,
    /** Warnings of the last call to `fetched`. */
    warnings,
    publish: (contents: Readonly<Record<string, string | Buffer>>, id = 'acme/model'): HubRepository =>
      hub().add(id, new HubRepository(contents)),
    cachedAt: (...parts: string[]): string =>
      join(folder(), 'huggingface', 'hub', 'models--acme--model', ...parts),
    /** Downloads a model with retries that do not wait. */
    fetched: (text: string, options: FetchOptions = {}): Promise<FetchedModel> => {
      const { env = {}, variant, offline = false, seconds } = options;
      const variables = { ...hubVariables(hub(), folder()), ...env };
      const timeouts = seconds === undefined ? {} : { metadataSeconds: seconds, downloadSeconds: seconds };
      warnings.length = 0;
      return fetchModel({
        reference: parseHubReference(text),
        choose: (variants) => chooseGraph(variants, variant, text),
        settings: { ...hubSettings(variables, offline), ...timeouts },
        env: variables,
        userAgent: 'test',
        random: () => 0,
        report: { ...silentReporter, warn: (message) => void warnings.push(message) },
      });
    },
  };
}

export const downloadedFiles = ({ files }: FetchedModel): string[] =>
  files.filter((file) => file.downloaded).map(({ path }) => path);
