/**
 * Slow, salted, memory-hard hashing of passwords (RFC 9106, argon2id), a few at a time so that the rest of the service
 * keeps answering. Rejects with Problem `unavailable` `sign_in_busy` when too many wait.
 */
export interface Passwords {
  /** The hash with its salt and parameters, as a PHC string. */
  hash(password: string): Promise<string>
  /** Whether the password has that hash. Without a hash it takes as long and resolves to false. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}
