import type { Manifest, RuntimeInfo } from '#contract/manifest.ts';
import { parseJsonText } from '../json/json-text.ts';

// The builder wrote these JSON documents. Their members are not validated again, because the
// documents themselves or the files next to them have a checksum.

export const parseManifest = (json: Uint8Array): Manifest => parse(json) as Manifest;

export const parseRuntimeInfo = (json: Uint8Array): RuntimeInfo => parse(json) as RuntimeInfo;

const parse = (json: Uint8Array): unknown => parseJsonText(new TextDecoder().decode(json));
