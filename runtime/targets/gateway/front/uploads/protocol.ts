/** Version of the protocol. @see https://tus.io/protocols/resumable-upload */
export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,expiration,termination';
