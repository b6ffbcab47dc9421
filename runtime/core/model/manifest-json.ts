import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseJsonText } from '../json/json-text.ts';

// The builder wrote these texts, with a checksum or next to files that have one, so their members
// are not validated again.

export const parseManifest = (json: Uint8Array): Manifest => parse(json) as Manifest;

export const parseRuntimeInfo = (json: Uint8Array): RuntimeInfo => parse(json) as RuntimeInfo;

const parse = (json: Uint8Array): unknown => parseJsonText(new TextDecoder().decode(json));
