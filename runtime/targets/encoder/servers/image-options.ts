import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';
import { readUrlHost, URL_HOST_RULE, type UrlHost } from '#core/net/url-hosts.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { listOption, requiredNumber, withEnvironment } from '#serve/cli/values.ts';

/** Options of models that read images, for `serve`, `mcp`, `bench` and `infer`. */
export const IMAGE_OPTIONS = withEnvironment('ENCODERFILE', {
  'allow-image-urls': {
    value: 'hosts',
    help: 'Hosts from which images are fetched, comma-separated, if the model reads images',
    defaultText: 'URLs of images are rejected',
  },
  'max-image-bytes': {
    value: 'bytes',
    help: 'Maximum size of an image file in bytes, if the model reads images',
    fallback: String(DEFAULT_IMAGE_LIMITS.bytes),
  },
  'max-image-pixels': {
    value: 'count',
    help: 'Maximum pixels of an image, if the model reads images; lower if memory is limited',
    fallback: String(DEFAULT_IMAGE_LIMITS.pixels),
  },
});

/** Reads the hosts from which images are fetched. */
export const readImageHosts = (invocation: Invocation): UrlHost[] =>
  listOption(invocation, 'allow-image-urls').map((text) => {
    const host = readUrlHost(text);
    if (host) return host;
    const given = `${invocation.source('allow-image-urls')}: ${JSON.stringify(text)}`;
    throw new UsageError(`${given} is not a valid host name. ${URL_HOST_RULE}`);
  });

const LARGEST = { min: 1, max: 1_000_000_000 };

/** Reads the limits of images. */
export const readImageLimits = (invocation: Invocation): ImageLimits => ({
  bytes: requiredNumber(invocation, 'max-image-bytes', LARGEST),
  pixels: requiredNumber(invocation, 'max-image-pixels', LARGEST),
});
