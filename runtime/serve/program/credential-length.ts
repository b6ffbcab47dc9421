/** Minimum length of a credential that a user chooses, for a server that other machines can reach: a shorter one can be guessed. */
export const MIN_PUBLIC_CREDENTIAL_LENGTH = 16;
