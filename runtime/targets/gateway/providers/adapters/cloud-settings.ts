import type { AzureSettings } from './azure/settings.ts';
import type { BedrockSettings } from './bedrock/settings.ts';
import type { VertexSettings } from './vertex/settings.ts';

/** What the providers of the clouds need besides an address and a key. */
export type CloudSettings = AzureSettings | BedrockSettings | VertexSettings;
