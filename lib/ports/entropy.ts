/** Bytes that nobody can guess, for tokens, nonces and codes. The only source of them. */
export type Entropy = (bytes: number) => Buffer
