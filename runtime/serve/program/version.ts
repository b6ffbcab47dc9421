/** The version of the program that runs. Builds of executables replace the variable by their version. */
export const programVersion = (): string => process.env['ENCODERFILE_VERSION'] ?? 'from source';
