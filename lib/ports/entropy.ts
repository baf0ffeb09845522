/** Bytes that cannot be guessed, for tokens, nonces and codes. The only source of them. */
export type Entropy = (bytes: number) => Buffer
