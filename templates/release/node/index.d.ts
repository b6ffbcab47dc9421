/** Opens a model in this process. */
export declare const open: Open;

/** The error of all functions of this package. Its message is a sentence for the user. */
export declare class EncoderfileError extends Error {
  /**
   * The kind of error: `ConfigError` for a model, file or option that cannot be used, `InputError` for an input
   * or option that the model rejects, `UnavailableError` for a closed model, `InternalError` for all others.
   */
  readonly code: 'ConfigError' | 'InputError' | 'TooLargeError' | 'UnavailableError' | 'InternalError';
}
