import { parseSearchEncoder, type SearchEncoderSetting } from './search-encoder.ts';

/** The encoder that classifies texts of servers, with the labels that mean an injection. */
export interface ScanClassifierSetting {
  readonly encoder: SearchEncoderSetting;
  /** In lower case. Undefined for the usual names. */
  readonly labels?: readonly string[] | undefined;
  /** Score from which a text counts as an injection. */
  readonly threshold?: number | undefined;
}

/** Variable with the API key of a running classifier. It is not a flag, because flags are visible in the process list. */
export const SCAN_CLASSIFIER_KEY = 'MCP_MANAGER_SCAN_CLASSIFIER_KEY';

/** Parses the file or URL of the classifier. A relative path is relative to `folder`. */
export function parseScanClassifier(value: string, folder?: string): ScanClassifierSetting | undefined {
  const encoder = parseSearchEncoder(value, folder);
  return encoder && { encoder };
}
