import { type AppError, inputError } from '#contract/errors.ts';

/** Names of the formats as they are shown to users. */
export const FORMAT_NAMES = { jpeg: 'JPEG', png: 'PNG', webp: 'WebP', gif: 'GIF' } as const;
export type ImageFormat = keyof typeof FORMAT_NAMES;

/** An error for a file that violates the rules of its format, or ends too early. */
export const damaged = (format: ImageFormat, reason: string, cause?: unknown): AppError =>
  inputError(
    `Cannot read the ${FORMAT_NAMES[format]} image: ${reason}. Send the complete file, or save the image again.`,
    cause,
  );

/** An error for a file that may be valid, but uses a part of the format that is not supported. */
export const unsupported = (format: ImageFormat, reason: string): AppError =>
  inputError(
    `Cannot read the ${FORMAT_NAMES[format]} image: ${reason}. Convert the image, for example to an 8-bit PNG in RGB.`,
  );
